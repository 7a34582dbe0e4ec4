# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Whether the test can run, and what it would do. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from .._core.errors import EksopsError
from .._core.plan import Plan, Step
from .._fleet.table import cores
from .._kubernetes.model import Object, condition, is_true
from .._kubernetes.quantity import quantity
from .model import DEPLOYMENT, NAMESPACE, OWNER, OWNER_LABEL, POOL_LABEL, RENEWED_ANNOTATION, RUN_ANNOTATION, Spec

TERM_SECONDS = 20.0
"""A run renews its mark every few seconds; one that has not for so long is dead."""
HARD_EFFECTS = ("NoSchedule", "NoExecute")


class NotYetError(EksopsError):
    """Something that a run before this one makes is not there; in check mode it may be planned."""


@dataclass(frozen=True)
class Found:
    """The cluster before the test. ``pools`` is None where Karpenter's kinds are not installed."""

    pools: Sequence[Object] | None
    leader: str | None
    former: Object | None


def check(spec: Spec, found: Found) -> tuple[Mapping[str, Any], ...]:
    """The taints that the pods have to tolerate. Raises EksopsError when the test cannot say anything."""
    if found.pools is None:
        raise NotYetError(
            "Karpenter is not installed in this cluster: it knows no NodePool",
            where="kubeconfig",
            next_step="run role karpenter_install, then karpenter_nodepool",
        )
    if found.leader is None:
        raise NotYetError(
            "No controller of Karpenter leads, so nothing would answer the test",
            where="controller_namespace",
            next_step="ask karpenter_controller_info why",
        )
    refuse_foreign(found.former)
    usable = _usable(spec, found.pools)
    _room(spec, usable)
    _removable(spec, usable)
    return tuple(usable[0]["spec"]["template"]["spec"].get("taints") or ()) if spec.node_pool else ()


def refuse_foreign(former: Object | None) -> None:
    """Raises EksopsError when the namespace is somebody else's: it would be deleted."""
    if former is None or (former["metadata"].get("labels") or {}).get(OWNER_LABEL) == OWNER:
        return
    raise EksopsError(
        f"Namespace {NAMESPACE} is there, and no scale test made it",
        where=NAMESPACE,
        allowed=f"a namespace with label {OWNER_LABEL}={OWNER}",
        next_step="move what is in it and delete it; the test deletes this namespace at its end",
    )


def _usable(spec: Spec, pools: Sequence[Object]) -> list[Object]:
    names = sorted(pool["metadata"]["name"] for pool in pools)
    if spec.node_pool:
        pools = [pool for pool in pools if pool["metadata"]["name"] == spec.node_pool]
        if not pools:
            raise NotYetError(
                f"There is no NodePool {spec.node_pool}",
                where="node_pool",
                allowed=f"one of: {', '.join(names)}" if names else None,
                next_step=None if names else "make one (role karpenter_nodepool)",
            )
    elif not pools:
        raise NotYetError("There is no NodePool", where="cluster", next_step="make one (role karpenter_nodepool)")
    reasons = {pool["metadata"]["name"]: _unusable(pool, named=bool(spec.node_pool)) for pool in pools}
    usable = [pool for pool in pools if reasons[pool["metadata"]["name"]] is None]
    if not usable:
        raise EksopsError(
            "No NodePool can take the pods: " + "; ".join(f"{name}: {why}" for name, why in sorted(reasons.items())),
            where="node_pool",
            next_step="repair the pool or its EC2NodeClass, or name a pool by node_pool (its taints are tolerated)",
        )
    return usable


def _unusable(pool: Object, *, named: bool) -> str | None:
    if not is_true(pool, "Ready"):
        ready = condition(pool, "Ready") or {}
        return f"it is not Ready ({ready.get('message') or ready.get('reason') or 'no status yet'})"
    taints = [
        taint for taint in pool["spec"]["template"]["spec"].get("taints") or () if taint["effect"] in HARD_EFFECTS
    ]
    if taints and not named:
        return "it has taints (" + ", ".join(taint["key"] for taint in taints) + ")"
    return None


def _room(spec: Spec, pools: Sequence[Object]) -> None:
    """The pools' CPU limits leave room for the pods, or what is missing is told."""
    rooms = [_cpu_left(pool) for pool in pools]
    wanted = quantity(spec.cpu) * spec.replicas
    if any(room is None for room in rooms) or sum(room for room in rooms if room is not None) >= wanted:
        return
    left = "; ".join(
        f"{pool['metadata']['name']} has {cores(room)} of {pool['spec']['limits']['cpu']} left"
        for pool, room in zip(pools, rooms, strict=True)
    )
    raise EksopsError(
        f"{spec.replicas} pods of {spec.cpu} CPU do not fit below the limits of the node pools: {left}",
        where="replicas",
        next_step="test with fewer replicas, or raise spec.limits.cpu of the pool",
    )


def _removable(spec: Spec, pools: Sequence[Object]) -> None:
    """An empty node of the pools goes again, unless nobody waits for it."""
    never = sorted(pool["metadata"]["name"] for pool in pools if _after(pool) == "Never")
    if spec.wait_for_removal and len(never) == len(pools):
        raise EksopsError(
            f"Empty nodes of {', '.join(never)} are never removed (spec.disruption.consolidateAfter is Never)",
            where="wait_for_removal",
            next_step="set wait_for_removal to false and remove the nodes yourself, or test another pool",
        )


def consolidate_after(found: Found) -> dict[str, str]:
    """How long the nodes of each pool are left empty, as the pool spells it."""
    return {pool["metadata"]["name"]: _after(pool) for pool in found.pools or ()}


def _after(pool: Object) -> str:
    return str((pool["spec"].get("disruption") or {}).get("consolidateAfter", "0s"))


def _cpu_left(pool: Object) -> Decimal | None:
    limit = (pool["spec"].get("limits") or {}).get("cpu")
    if limit is None:
        return None
    used = ((pool.get("status") or {}).get("resources") or {}).get("cpu", 0)
    return max(Decimal(0), quantity(limit) - quantity(used))


def lasting(found: Found) -> Plan:
    """What of a run would last: what a former test left is removed. The test itself leaves nothing."""
    if found.former is None:
        return Plan()
    notice = f"A former scale test did not end well; its namespace {NAMESPACE} is removed first"
    return Plan((Step("delete", "Namespace", NAMESPACE, before=_summary(found.former)),), (notice,))


def _summary(former: Object) -> dict[str, Any]:
    annotations = former["metadata"].get("annotations") or {}
    return {"name": NAMESPACE, "run": annotations.get(RUN_ANNOTATION)}


def passing(spec: Spec) -> list[str]:
    """What the test makes and takes away again, in words."""
    where = f"nodes of node pool {spec.node_pool}" if spec.node_pool else f"nodes with label {POOL_LABEL}"
    size = f"{spec.cpu} CPU" + (f" and {spec.memory} memory" if spec.memory else "")
    rest = f"the cluster has rested for {spec.stability_seconds:g} seconds"
    gone = f"wait until the nodes launched for it are gone and {rest}"
    end = gone if spec.wait_for_removal else "leave the nodes to Karpenter"
    return [
        f"make namespace {NAMESPACE} and Deployment {DEPLOYMENT} with 0 replicas, for {where}",
        f"scale it to {spec.replicas} replicas of {size}; wait until all are ready",
        f"scale it to 0 replicas; {end}",
        f"delete namespace {NAMESPACE}",
    ]


def alive(former: Object | None, now: float) -> bool:
    """Whether a run renewed the mark of its namespace in time."""
    if former is None:
        return False
    text = (former["metadata"].get("annotations") or {}).get(RENEWED_ANNOTATION, "0")
    try:
        return now - float(text) < TERM_SECONDS
    except ValueError:
        return False
