# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""From wanted and live objects to steps. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._core.plan import Plan, Step
from .build import MANAGER
from .model import Live, Manifest, Request, pool_of
from .ownership import applied_by

# Written by the controller a moment after every change; no part of what is wanted.
_CONTROLLERS_OWN = ("karpenter.sh/", "karpenter.k8s.aws/")


def own_part(item: Mapping[str, Any], wanted: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What of an object a request is about: labels, annotations, spec.

    :param wanted: its annotations count even where they are of Karpenter's domain.
    """
    asked = ((wanted or {}).get("metadata") or {}).get("annotations") or {}
    annotations = {
        key: value
        for key, value in (item["metadata"].get("annotations") or {}).items()
        if key in asked or not key.startswith(_CONTROLLERS_OWN)
    }
    part: dict[str, Any] = {"spec": item["spec"]}
    if annotations:
        part["annotations"] = annotations
    if item["metadata"].get("labels"):
        part["labels"] = item["metadata"]["labels"]
    return part


def write_step(wanted: Manifest, live: Manifest | None, after: Manifest) -> Step | None:
    """The step from the live object to ``after`` (the server's dry run), None where they are the same."""
    kind, name = wanted["kind"], wanted["metadata"]["name"]
    if live is None:
        return Step("create", kind, name, None, own_part(after, wanted))
    before, then = own_part(live, wanted), own_part(after, wanted)
    return None if before == then else Step("update", kind, name, before, then)


def purged(request: Request, live: Live) -> Live:
    """What a purge takes away: pools and classes that this collection has applied and nobody asks for any more."""
    if not request.purge:
        return Live()
    pools = {
        name: item for name, item in live.pools.items() if name not in request.pool_names and applied_by(item, MANAGER)
    }
    classes = {
        name: item
        for name, item in live.classes.items()
        if name not in request.class_names and applied_by(item, MANAGER)
    }
    return Live(classes, pools, _claims_of(pools, live))


def targets(request: Request, live: Live) -> Live:
    """What a removal takes away: everything, or the named pools and classes; claims go with their pools."""
    if request.everything:
        return live
    pools = {name: item for name, item in live.pools.items() if name in request.pool_names}
    classes = {name: item for name, item in live.classes.items() if name in request.class_names}
    return Live(classes, pools, _claims_of(request.pool_names, live), live.installed)


def remaining(going: Live, live: Live) -> Live:
    """What of a removal is still there, with claims that its pools have launched meanwhile."""
    claims = {name: item for name, item in live.claims.items() if name in going.claims or pool_of(item) in going.pools}
    return Live(
        {name: item for name, item in live.classes.items() if name in going.classes},
        {name: item for name, item in live.pools.items() if name in going.pools},
        claims,
    )


def class_users(going: Live, live: Live) -> list[str]:
    """What still needs a class that is to go, as sentences."""
    users = []
    for kind, items, gone in (("node pool", live.pools, going.pools), ("NodeClaim", live.claims, going.claims)):
        for name, item in items.items():
            spec = item["spec"]["template"]["spec"] if kind == "node pool" else item["spec"]
            reference = (spec.get("nodeClassRef") or {}).get("name")
            if name not in gone and reference in going.classes:
                users.append(f"node class {reference} is used by {kind} {name}")
    return users


def deletions(going: Live) -> Plan:
    """The steps of a removal, in order: pools first, so that nothing new is launched."""
    kinds = (("NodePool", going.pools), ("NodeClaim", going.claims), ("EC2NodeClass", going.classes))
    return Plan(
        tuple(Step("delete", kind, name, own_part(item)) for kind, items in kinds for name, item in items.items())
    )


def _claims_of(pools: Iterable[str], live: Live) -> dict[str, Manifest]:
    names = set(pools)
    return {name: claim for name, claim in live.claims.items() if pool_of(claim) in names}
