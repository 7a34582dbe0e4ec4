# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Node pools and node classes by their inputs alone, before there is a cluster. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from .._core.errors import EksopsError
from .._nodepools.build import node_class, node_pool
from .._nodepools.images import alias_errors, image_errors
from .._nodepools.model import offered_architectures
from .._nodepools.options import NODE_CLASSES, NODE_POOLS
from .._nodepools.rules import as_told, everything_wrong
from .._nodepools.schema import Problem
from .._versions.data import AMI_FAMILIES
from .._versions.parse import kubernetes_minor
from .model import Finding, Outcome
from .shape import shape_findings

CHECK = "node pools"
CLASSES, POOLS = "karpenter_nodepool_node_classes", "karpenter_nodepool_node_pools"
UNKNOWN = "unknown_reason"
# Stands for the images that are looked up when the class is made.
_ANY_IMAGE = [{"id": "ami-00000000000000000"}]
Item = Mapping[str, Any]


@dataclass(frozen=True)
class Listed:
    """The items of one kind: those whose form is right, and the names of the others, which count as there."""

    items: tuple[dict[str, Any], ...] = ()
    others: frozenset[str] = frozenset()
    findings: tuple[Finding, ...] = ()
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pin:
    """How classes without images of their own are pinned when they are made."""

    family: str = ""
    release: str = "latest"
    architectures: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Pin:
        """From the option of the module."""
        named = frozenset(values.get("architectures") or ())
        return cls(values.get("family") or "", values.get("release") or "latest", named)


def check_pools(
    classes: Sequence[Any], pools: Sequence[Any], pin: Pin, *, kubernetes: Any, karpenter: Any, cluster_exists: bool
) -> Outcome:
    """Everything wrong with the wanted pools and classes that the inputs tell.

    :param cluster_exists: then classes that are not listed may be there, and images may be pinned otherwise.
    """
    some_classes = listed(classes, NODE_CLASSES, CLASSES, "node class")
    some_pools = listed(pools, NODE_POOLS, POOLS, "node pool")
    findings = [*some_classes.findings, *some_pools.findings]
    wanted = [_with_pin(item, pin) for item in some_classes.items]
    manifests = [node_class(item) for item in wanted]
    built = [node_pool(item) for item in some_pools.items]
    names = {item["metadata"]["name"] for item in manifests} | some_classes.others
    referred = frozenset(str(item["node_class"]) for item in some_pools.items if item.get("node_class"))
    problems = everything_wrong(
        manifests,
        built,
        karpenter_version=str(karpenter),
        architectures={} if cluster_exists else offered_architectures(wanted),
        live_classes=some_classes.others | (referred if cluster_exists else frozenset()),
    )
    findings += [_finding(str(problem)) for problem in problems]
    findings += [
        _image_finding(as_told(item, Problem(path, error.what)), error)
        for item in manifests
        for path, error in alias_errors(item, _minor(kubernetes))
    ]
    findings += _pin_findings(some_classes.items, pin, kubernetes)
    findings += [_elsewhere(name) for name in sorted(referred - names)] if cluster_exists else []
    return Outcome(findings=tuple(findings), skipped=(*some_classes.skipped, *some_pools.skipped))


def listed(items: Iterable[Any], option: Mapping[str, Any], variable: str, kind: str) -> Listed:
    """The items, converted as the module converts its options, and what is wrong with the form of the others."""
    good: list[dict[str, Any]] = []
    others: set[str] = set()
    findings: list[Finding] = []
    skipped: list[str] = []
    element = {**option, "type": "dict"}
    for index, item in enumerate(items):
        name = item.get("name") if isinstance(item, Mapping) else None
        label = f"{kind} {name or index + 1}"
        if isinstance(item, Mapping) and UNKNOWN in item:
            if "_result" in item[UNKNOWN]:  # of a role that runs later
                skipped.append(f"{label}, which is made of what is not known yet: {item[UNKNOWN]}")
            else:
                text = f"{label} cannot be read: {item[UNKNOWN]}"
                findings.append(Finding(CHECK, "error", text, variable, None, "correct what it is made of"))
        elif found := list(shape_findings(element, item, f"{variable}[{name or index}]")):
            findings += found
        else:
            good.append(_converted(option, item))
            continue
        others |= {str(name)} if name else set()
    return Listed(tuple(good), frozenset(others), tuple(findings), tuple(skipped))


def _converted(option: Mapping[str, Any], item: Item) -> dict[str, Any]:
    checked = ArgumentSpecValidator({"items": option}).validate({"items": [dict(item)]})
    return dict(checked.validated_parameters["items"][0])


def _with_pin(item: dict[str, Any], pin: Pin) -> dict[str, Any]:
    if item.get("ami_selector_terms"):
        return item
    architectures = sorted(pin.architectures) or item.get("ami_architectures")
    family = item.get("ami_family") or pin.family
    if family == pin.family and family.lower() not in AMI_FAMILIES:
        family = next(iter(AMI_FAMILIES.values())).ami_family  # told once, as what is wrong with the pin
    return {**item, "ami_family": family, "ami_selector_terms": _ANY_IMAGE, "ami_architectures": architectures}


def _pin_findings(items: Iterable[Item], pin: Pin, kubernetes: Any) -> list[Finding]:
    """Family and release of the images that are looked up for classes without their own."""
    unpinned = [item for item in items if not item.get("ami_selector_terms")]
    if not unpinned or not pin.family:
        return []
    where = "karpenter_nodepool_ami_family, karpenter_nodepool_ami_release"
    names = ", ".join(str(item["name"]) for item in unpinned)
    others = [item for item in unpinned if item.get("ami_family") not in (None, pin.family)]
    return [_other_family(item, pin) for item in others] + [
        _image_finding(Problem(f"node class {names}", error.what), error, where)
        for error in image_errors(pin.family, pin.release, _minor(kubernetes))
    ]


def _other_family(item: Item, pin: Pin) -> Finding:
    what = f"node class {item['name']}: ami_family is {item['ami_family']}, and images of {pin.family} are looked up"
    step = "give the class ami_selector_terms (eks_ami_info finds the ids), or change one of the families"
    return Finding(CHECK, "error", what, f"{CLASSES}, karpenter_nodepool_ami_family", "one family for both", step)


def _image_finding(problem: Problem, error: EksopsError, where: str = CLASSES) -> Finding:
    return Finding(CHECK, "error", str(problem), where, error.allowed, error.next_step or "correct the release")


def _minor(kubernetes: Any) -> tuple[int, int] | None:
    try:
        return kubernetes_minor(kubernetes)
    except EksopsError:
        return None  # told by the check of versions


def _finding(text: str) -> Finding:
    where = CLASSES if text.startswith("node class") else POOLS
    return Finding(CHECK, "error", text, where, None, "correct the value named")


def _elsewhere(name: str) -> Finding:
    what = f"Node class {name!r} is used and not listed; the run fails unless the cluster has it"
    return Finding(CHECK, "warning", what, POOLS, "a class of karpenter_nodepool_node_classes, or one that is there")
