# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""A node in plain words. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._kubernetes.model import is_true, timestamp

POOL = "karpenter.sh/nodepool"
GROUP = "eks.amazonaws.com/nodegroup"
CAPACITY_LABELS = ("karpenter.sh/capacity-type", "eks.amazonaws.com/capacityType")


def describe(node: Mapping[str, Any], now: float | None = None) -> dict[str, Any]:
    """Name, instance, type, zone, architecture, capacity type, owner, readiness and age of a Node."""
    labels = node["metadata"].get("labels") or {}
    created = node["metadata"].get("creationTimestamp")
    return {
        "name": node["metadata"]["name"],
        "instance_id": str(node["spec"].get("providerID") or "").rsplit("/", 1)[-1] or None,
        "instance_type": labels.get("node.kubernetes.io/instance-type"),
        "zone": labels.get("topology.kubernetes.io/zone"),
        "architecture": labels.get("kubernetes.io/arch"),
        "capacity_type": _capacity(labels),
        "node_pool": labels.get(POOL),
        "node_group": labels.get(GROUP),
        "ready": is_true(node, "Ready"),
        "unschedulable": bool(node["spec"].get("unschedulable")) or _disrupted(node),
        "age_seconds": int(now - timestamp(created)) if now is not None and created else None,
        "kubelet_version": ((node.get("status") or {}).get("nodeInfo") or {}).get("kubeletVersion"),
    }


def _capacity(labels: Mapping[str, str]) -> str | None:
    """EKS spells it ON_DEMAND, Karpenter on-demand
    (https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html)."""
    found = next((labels[name] for name in CAPACITY_LABELS if labels.get(name)), None)
    return found.lower().replace("_", "-") if found else None


def _disrupted(node: Mapping[str, Any]) -> bool:
    return any(taint.get("key") == "karpenter.sh/disrupted" for taint in node["spec"].get("taints") or ())
