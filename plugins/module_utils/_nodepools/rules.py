# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Everything wrong with the wanted pools and classes, before anything is sent. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .._core.errors import EksopsError
from .._kubernetes.quantity import quantity
from .budgets import budget_problems, told_better
from .build import option_name
from .forms import FORMS
from .known import requirement_problems
from .schema import Problem, problems
from .schemas import spec_schema

Manifest = Mapping[str, Any]
ARCHITECTURE = "kubernetes.io/arch"
BUDGETS = "spec.disruption.budgets"
REQUIREMENTS = "spec.template.spec.requirements"
# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names
_NAME = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
# https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
_LONGEST_NAME = 63


def check(
    classes: Sequence[Manifest],
    pools: Sequence[Manifest],
    *,
    karpenter_version: str,
    architectures: Mapping[str, Collection[str]],
    live_classes: Collection[str] = (),
) -> None:
    """Raise one EksopsError that names every problem, or return; the parameters are those of everything_wrong."""
    found = everything_wrong(
        classes, pools, karpenter_version=karpenter_version, architectures=architectures, live_classes=live_classes
    )
    if found:
        raise EksopsError(
            "; ".join(str(problem) for problem in found),
            where="node_classes, node_pools",
            next_step="correct the values named; nothing was changed",
        )


def everything_wrong(
    classes: Sequence[Manifest],
    pools: Sequence[Manifest],
    *,
    karpenter_version: str,
    architectures: Mapping[str, Collection[str]],
    live_classes: Collection[str] = (),
) -> list[Problem]:
    """Every problem, under the names of the options.

    :param architectures: by class, the architectures of its pinned images, where they are known.
    :param live_classes: names of classes that exist already.
    """
    found = [
        as_told(item, problem)
        for item in (*classes, *pools)
        for problem in (*_name_problems(item), *_spec_problems(item, karpenter_version))
    ]
    found += _duplicates("node class", classes)
    found += _duplicates("node pool", pools)
    known = {item["metadata"]["name"] for item in classes} | set(live_classes)
    for pool in pools:
        found += _pool_problems(pool, known, architectures)
    return found


def as_told(item: Manifest, problem: Problem) -> Problem:
    """A problem of a manifest as one of the options that it was made of."""
    kind = "node class" if item["kind"] == "EC2NodeClass" else "node pool"
    return Problem(f"{kind} {item['metadata']['name']}{_options(problem.path)}", _said(problem.message))


def _name_problems(item: Manifest) -> list[Problem]:
    """Nodes carry the names of their pool and class as values of labels, which are shorter than names of objects."""
    name = str(item["metadata"]["name"])
    if re.fullmatch(_NAME, name) and len(name) <= _LONGEST_NAME:
        return []
    return [
        Problem(
            "name",
            f"{name!r} is not allowed; allowed: small letters, digits, - and ., at most {_LONGEST_NAME} characters, "
            "with a letter or digit at both ends",
        )
    ]


def _spec_problems(item: Manifest, karpenter_version: str) -> list[Problem]:
    """What the API server would tell, and what it would take and the controller could not use."""
    found = problems(spec_schema(item["kind"], karpenter_version), item["spec"], "spec")
    limits = {problem.path for problem in _limit_problems("spec", item["spec"].get("limits") or {})}
    found = [problem for problem in found if problem.path.replace("spec.", "spec: ", 1) not in limits]  # in words
    budgets = (item["spec"].get("disruption") or {}).get("budgets") or ()
    better = budget_problems(budgets, BUDGETS)
    found = [problem for problem in found if not (better and told_better(problem, BUDGETS))] + better
    if item["kind"] != "NodePool":
        return found
    known = list(requirement_problems(item, REQUIREMENTS, karpenter_version))
    told = {problem.path for problem in known}  # with what was meant, which the schema does not know
    return [problem for problem in found if problem.path not in told] + known


def pool_architectures(pool: Manifest) -> set[str] | None:
    """The architectures that a pool names, or None where it names none (whatever has an image goes)."""
    named: set[str] | None = None
    for requirement in pool["spec"]["template"]["spec"].get("requirements") or ():
        if requirement["key"] == ARCHITECTURE and requirement["operator"] == "In":
            values = set(requirement.get("values") or ())
            named = values if named is None else named & values
    return named


def _pool_problems(
    pool: Manifest, classes: Collection[str], architectures: Mapping[str, Collection[str]]
) -> list[Problem]:
    where = f"node pool {pool['metadata']['name']}"
    found = []
    reference = pool["spec"]["template"]["spec"]["nodeClassRef"].get("name")
    if reference is None:  # told by the schema
        return _limit_problems(where, pool["spec"].get("limits") or {})
    if reference not in classes:
        names = ", ".join(sorted(classes)) or "none"
        found.append(Problem(f"{where}: node_class", f"there is no node class {reference!r}; there are: {names}"))
    missing = (pool_architectures(pool) or set()) - set(architectures.get(reference, pool_architectures(pool) or ()))
    if missing:
        found.append(
            Problem(
                f"{where}: requirements",
                f"{ARCHITECTURE} allows {', '.join(sorted(missing))}, but node class {reference} pins images for "
                f"{', '.join(sorted(architectures[reference]))} only: pin one for every architecture, or allow fewer",
            )
        )
    return found + _limit_problems(where, pool["spec"].get("limits") or {})


def _limit_problems(where: str, limits: Mapping[str, Any]) -> list[Problem]:
    found = []
    for key, value in limits.items():
        try:
            if quantity(value) < 0:
                found.append(Problem(f"{where}: limits[{key}]", f"{value} is negative: the pool could launch nothing"))
        except ValueError as error:
            found.append(Problem(f"{where}: limits[{key}]", str(error)))
    return found


def _duplicates(kind: str, items: Iterable[Manifest]) -> list[Problem]:
    names = [item["metadata"]["name"] for item in items]
    return [Problem(f"{kind} {name}", "is given twice") for name in sorted({n for n in names if names.count(n) > 1})]


def _options(path: str) -> str:
    """The path of a manifest as the user's options spell it, after a colon; empty for the whole."""
    path = path.removeprefix("spec").removeprefix(".").removeprefix("template.spec").removeprefix(".")
    for field in ("labels", "annotations"):
        path = path.replace(f"template.metadata.{field}", f"node_{field}")
    parts = path.replace("nodeClassRef", "nodeClass").split(".")
    return f": {'.'.join(option_name(part) for part in parts)}" if path else ""


def _said(message: str) -> str:
    """A schema's own words with the option's name in them, and forms in words where there are some."""
    value, form, pattern = message.partition(" does not have the form ")
    if form and pattern in FORMS:
        return f"{value} is not allowed; allowed: {FORMS[pattern]}"
    field, missing, _rest = message.partition(" is missing")
    return f"{option_name(field)} is missing" if missing else message
