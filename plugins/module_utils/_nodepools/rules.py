# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Everything wrong with the wanted pools and classes, before anything is sent. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .._core.errors import EksopsError
from .._kubernetes.quantity import quantity
from .budgets import budget_problems, told_better
from .build import option_name
from .schema import Problem, problems
from .schemas import spec_schema

Manifest = Mapping[str, Any]
ARCHITECTURE = "kubernetes.io/arch"
BUDGETS = "spec.disruption.budgets"


def check(
    classes: Sequence[Manifest],
    pools: Sequence[Manifest],
    *,
    karpenter_version: str,
    architectures: Mapping[str, Collection[str]],
    live_classes: Collection[str] = (),
) -> None:
    """Raise one EksopsError that names every problem, or return.

    :param architectures: by class, the architectures of its pinned images, where they are known.
    :param live_classes: names of classes that exist already.
    """
    found = [
        Problem(f"{kind} {item['metadata']['name']}{_options(problem.path)}", _said(problem.message))
        for kind, items in (("node class", classes), ("node pool", pools))
        for item in items
        for problem in _spec_problems(item, karpenter_version)
    ]
    found += _duplicates("node class", classes)
    found += _duplicates("node pool", pools)
    known = {item["metadata"]["name"] for item in classes} | set(live_classes)
    for pool in pools:
        found += _pool_problems(pool, known, architectures)
    if found:
        raise EksopsError(
            "; ".join(str(problem) for problem in found),
            where="node_classes, node_pools",
            next_step="correct the values named; nothing was changed",
        )


def _spec_problems(item: Manifest, karpenter_version: str) -> list[Problem]:
    """What the API server would tell, and what it would take and the controller could not use."""
    found = problems(spec_schema(item["kind"], karpenter_version), item["spec"], "spec")
    budgets = (item["spec"].get("disruption") or {}).get("budgets") or ()
    better = budget_problems(budgets, BUDGETS)
    return [problem for problem in found if not (better and told_better(problem, BUDGETS))] + better


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
    parts = path.replace("nodeClassRef", "nodeClass").split(".")
    return f": {'.'.join(option_name(part) for part in parts)}" if path else ""


def _said(message: str) -> str:
    """A schema's own words with the option's name in them."""
    field, missing, _rest = message.partition(" is missing")
    return f"{option_name(field)} is missing" if missing else message
