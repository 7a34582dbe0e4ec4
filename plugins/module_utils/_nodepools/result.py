# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the module answers. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .hours import hours
from .model import Live, Request, image_ids, release
from .readiness import ready

Item = Mapping[str, Any]


def present(request: Request, live: Live) -> dict[str, Any]:
    """Pools and classes as they are now (in check mode: as they would be), all of the cluster."""
    classes = [class_result(item) for item in live.classes.values()]
    pools = [pool_result(item) for item in live.pools.values()]
    asked = [item for item in classes if item["name"] in request.class_names or not request.class_names]
    asked += [item for item in pools if item["name"] in request.pool_names or not request.pool_names]
    names = {item["name"] for item in classes} >= set(request.class_names)
    names = names and {item["name"] for item in pools} >= set(request.pool_names)
    return {
        "exists": not live.empty,
        "ready": bool(asked) and names and all(item["ready"] for item in asked),
        "node_classes": classes,
        "node_pools": pools,
        "node_claims": sorted(live.claims),
    }


def class_result(item: Item) -> dict[str, Any]:
    """One node class."""
    reason = ready.reason("EC2NodeClass", item)
    return {
        "name": item["metadata"]["name"],
        "ready": reason is None,
        "reason": reason,
        "ami_family": item["spec"].get("amiFamily"),
        "ami_release": release(item),
        "ami_ids": image_ids(item),
        "ami_selector_terms": item["spec"].get("amiSelectorTerms") or [],
        "role": item["spec"].get("role"),
        "instance_profile": item["spec"].get("instanceProfile"),
    }


def pool_result(item: Item) -> dict[str, Any]:
    """One node pool."""
    reason = ready.reason("NodePool", item)
    spec = item["spec"]
    return {
        "name": item["metadata"]["name"],
        "ready": reason is None,
        "reason": reason,
        "node_class": spec["template"]["spec"]["nodeClassRef"].get("name"),
        "limits": spec.get("limits") or {},
        "weight": spec.get("weight"),
        "budgets": [
            {"nodes": budget.get("nodes"), "reasons": budget.get("reasons") or [], "holds": hours(budget)}
            for budget in (spec.get("disruption") or {}).get("budgets") or ()
        ],
        "nodes": int((item.get("status") or {}).get("nodes") or 0),
    }
