# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""A fleet in plain data: what the module karpenter_fleet_info returns. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._kubernetes.model import Object, condition, is_true, timestamp
from . import releases
from .nodes import POOL, describe
from .notices import notices
from .prices import HOURS_PER_MONTH, Prices

IMAGE_LABEL = "eks.amazonaws.com/nodegroup-image"
VERSION_LABEL = "app.kubernetes.io/version"


@dataclass(frozen=True)
class Observed:
    """One reading of a cluster. ``metrics`` is None when they could not be had, or were not asked for."""

    now: float
    version: str
    deployment: Object | None = None
    leader: str | None = None
    pools: Sequence[Object] = ()
    classes: Sequence[Object] = ()
    claims: Sequence[Object] = ()
    nodes: Sequence[Object] = ()
    pending: Sequence[Object] = field(default=())
    metrics: str | None = None


def report(seen: Observed) -> dict[str, Any]:
    """The fleet."""
    nodes = _nodes(seen)
    classes = [_class(item, seen.now) for item in seen.classes]
    pools = [_pool(item, nodes) for item in seen.pools]
    found = {
        "kubernetes_version": seen.version.removeprefix("v").partition("-")[0],
        "karpenter": _karpenter(seen),
        "node_pools": sorted(pools, key=lambda pool: (-pool["weight"], pool["name"])),
        "node_classes": sorted(classes, key=lambda item: str(item["name"])),
        "nodes": nodes,
        "node_claims_on_the_way": _on_the_way(seen),
        "cost": _cost(nodes),
        "pending_pods": _pending(seen),
    }
    return {**found, "notices": notices(found)}


def _karpenter(seen: Observed) -> dict[str, Any]:
    deployment = seen.deployment or {"metadata": {}, "spec": {"replicas": 0}}
    version = (deployment["metadata"].get("labels") or {}).get(VERSION_LABEL)
    return {
        "installed": seen.deployment is not None,
        "version": version,
        "replicas": deployment["spec"].get("replicas", 1),
        "replicas_ready": (deployment.get("status") or {}).get("readyReplicas", 0),
        "leader": seen.leader,
    }


def _nodes(seen: Observed) -> list[dict[str, Any]]:
    claims = {(claim.get("status") or {}).get("nodeName"): claim for claim in seen.claims}
    known = {image["id"]: image for item in seen.classes for image in releases.images(item, seen.now)}
    described = [(node, describe(node, seen.now)) for node in seen.nodes]
    types = {str(found["instance_type"]) for _node, found in described}
    prices = Prices.from_metrics(seen.metrics, types)
    result = []
    for node, found in described:
        claim = claims.get(found["name"]) or {}
        image = (claim.get("status") or {}).get("imageID") or (node["metadata"].get("labels") or {}).get(IMAGE_LABEL)
        drift = condition(claim, "Drifted") or {}
        result.append(
            {
                **found,
                "image_id": image,
                "ami_release": known[image]["release"] if image in known else None,
                "drifted": drift.get("reason") if drift.get("status") == "True" else None,
                "cost_per_hour": prices.of_node(found),
            }
        )
    return sorted(result, key=lambda node: (str(node["node_pool"] or ""), str(node["zone"]), str(node["name"])))


def _class(item: Object, now: float) -> dict[str, Any]:
    pinned, selector = releases.pin(item)
    images = releases.images(item, now)
    annotated = (item["metadata"].get("annotations") or {}).get(releases.RELEASE_ANNOTATION)
    distinct = {image["release"] for image in images}
    release = annotated or (distinct.pop() if len(distinct) == 1 else None)
    return {
        "name": item["metadata"]["name"],
        **_readiness(item),
        "pinned": pinned,
        "ami_selector": selector,
        "ami_release": release,
        "ami_age_days": releases.age_days(release, now),
        "images": images,
    }


def _readiness(item: Object) -> dict[str, Any]:
    ready = is_true(item, "Ready")
    found = condition(item, "Ready") or {}
    reason = None if ready else str(found.get("message") or found.get("reason") or "no status yet")
    return {"ready": ready, "reason": reason}


def _pool(item: Object, nodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    name = item["metadata"]["name"]
    own = [node for node in nodes if node["node_pool"] == name]
    costs = [node["cost_per_hour"] for node in own]
    usage = (item.get("status") or {}).get("resources") or {}
    return {
        "name": name,
        "node_class": item["spec"]["template"]["spec"]["nodeClassRef"]["name"],
        **_readiness(item),
        "weight": item["spec"].get("weight", 0),
        "limits": dict(item["spec"].get("limits") or {}),
        "usage": {key: usage[key] for key in ("cpu", "memory", "nodes") if key in usage},
        "nodes": len(own),
        "cost_per_hour": None if None in costs else round(sum(costs), 4),
    }


def _on_the_way(seen: Observed) -> list[dict[str, Any]]:
    """Claims that are no node yet."""
    return [
        {
            "name": claim["metadata"]["name"],
            "node_pool": (claim["metadata"].get("labels") or {}).get(POOL),
            "age_seconds": int(seen.now - timestamp(claim["metadata"]["creationTimestamp"])),
        }
        for claim in seen.claims
        if not is_true(claim, "Initialized") and not claim["metadata"].get("deletionTimestamp")
    ]


def _cost(nodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Per hour and month of 730 hours. Nodes without a price are counted, never taken for free."""
    known = [node for node in nodes if node["cost_per_hour"] is not None]
    total = round(sum(node["cost_per_hour"] for node in known), 4)
    own = round(sum(node["cost_per_hour"] for node in known if node["node_pool"]), 4)
    some = bool(known) or not nodes
    return {
        "per_hour": total if some else None,
        "per_month": round(total * HOURS_PER_MONTH, 2) if some else None,
        "node_pools_per_hour": own if some else None,
        "other_nodes_per_hour": round(total - own, 4) if some else None,
        "nodes_without_price": len(nodes) - len(known),
    }


def _pending(seen: Observed) -> list[dict[str, Any]]:
    """Pods that have no node, with what the scheduler says."""
    return [
        {
            "namespace": pod["metadata"]["namespace"],
            "name": pod["metadata"]["name"],
            "age_seconds": int(seen.now - timestamp(pod["metadata"]["creationTimestamp"])),
            "reason": (condition(pod, "PodScheduled") or {}).get("message"),
        }
        for pod in seen.pending
        if not pod["spec"].get("nodeName")
    ]
