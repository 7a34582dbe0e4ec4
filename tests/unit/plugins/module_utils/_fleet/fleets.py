"""Readings of clusters, from empty to busy."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ansible_collections.eksops.karpenter.plugins.module_utils._fleet.report import Observed

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC).timestamp()
METRIC = "karpenter_cloudprovider_instance_type_offering_price_estimate"
METRICS = "".join(
    f'{METRIC}{{capacity_type="{capacity}",instance_type="{kind}",zone="{zone}"}} {price}\n'
    for kind, capacity, zone, price in (
        ("m5.large", "on-demand", "us-west-2a", 0.096),
        ("c6a.2xlarge", "on-demand", "us-west-2b", 0.306),
        ("c6a.2xlarge", "spot", "us-west-2b", 0.11),
        ("c6a.2xlargeish", "on-demand", "us-west-2b", 9),
    )
)


def ready(status: bool = True, message: str = "") -> dict[str, Any]:
    return {"conditions": [{"type": "Ready", "status": str(status), "message": message}]}


def node(name: str, kind: str = "c6a.2xlarge", zone: str = "us-west-2b", **changes: Any) -> dict[str, Any]:
    labels = {
        "node.kubernetes.io/instance-type": kind,
        "topology.kubernetes.io/zone": zone,
        "kubernetes.io/arch": "amd64",
        **changes.get("labels", {"karpenter.sh/nodepool": "default", "karpenter.sh/capacity-type": "on-demand"}),
    }
    return {
        "metadata": {"name": name, "creationTimestamp": "2026-11-30T03:00:00Z", "labels": labels},
        "spec": {"providerID": f"aws:///{zone}/i-{name}", "taints": changes.get("taints", [])},
        "status": {
            **ready(changes.get("ready", True)),
            "nodeInfo": {"kubeletVersion": changes.get("kubelet", "v1.36.3-eks")},
        },
    }


def system_node(name: str) -> dict[str, Any]:
    labels = {
        "eks.amazonaws.com/nodegroup": "system",
        "eks.amazonaws.com/capacityType": "ON_DEMAND",
        "eks.amazonaws.com/nodegroup-image": "ami-1",
    }
    return node(name, "m5.large", "us-west-2a", labels=labels)


def claim(name: str, node_name: str | None, image: str = "ami-1", drifted: bool = False) -> dict[str, Any]:
    conditions = [{"type": "Initialized", "status": "True"}] if node_name else []
    if drifted:
        conditions.append({"type": "Drifted", "status": "True", "reason": "AMIDrift"})
    return {
        "metadata": {
            "name": name,
            "creationTimestamp": "2026-11-30T05:59:00Z",
            "labels": {"karpenter.sh/nodepool": "default"},
        },
        "status": {"nodeName": node_name, "imageID": image, "conditions": conditions},
    }


def node_class(name: str = "default", terms: Any = None, **changes: Any) -> dict[str, Any]:
    image = {
        "id": "ami-1",
        "name": f"amazon-eks-node-al2023-x86_64-standard-1.36-{changes.get('release', 'v20261106')}",
        "requirements": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}],
        "deprecated": changes.get("deprecated", False),
    }
    return {
        "metadata": {"name": name, "annotations": changes.get("annotations", {})},
        "spec": {"amiSelectorTerms": terms or [{"alias": "al2023@v20261106"}]},
        "status": {**ready(changes.get("ready", True), "no subnet"), "amis": changes.get("amis", [image])},
    }


def pool(name: str = "default", **changes: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "spec": {
            "weight": changes.get("weight", 0),
            "limits": changes.get("limits", {"cpu": 1000}),
            "template": {"spec": {"nodeClassRef": {"name": "default"}}},
        },
        "status": {
            **ready(changes.get("ready", True), "its class is not ready"),
            "resources": changes.get("usage", {"cpu": "8", "memory": "16Gi", "nodes": "1"}),
        },
    }


def pending(name: str, created: str = "2026-11-30T05:00:00Z") -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": "shop", "creationTimestamp": created},
        "spec": {},
        "status": {"conditions": [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes"}]},
    }


def observed(**changes: Any) -> Observed:
    """A healthy cluster with two system nodes and one of Karpenter, or what the changes make of it."""
    given: dict[str, Any] = {
        "now": NOW,
        "version": "v1.36.3-eks-25b660a",
        "deployment": {
            "metadata": {"labels": {"app.kubernetes.io/version": "1.14.0"}},
            "spec": {"replicas": 2},
            "status": {"readyReplicas": 2},
        },
        "leader": "karpenter-a",
        "pools": [pool()],
        "classes": [node_class()],
        "claims": [claim("default-a", "n1")],
        "nodes": [node("n1"), system_node("s1"), system_node("s2")],
        "metrics": METRICS,
    }
    return Observed(**{**given, **changes})
