"""Wanted and live objects for the tests of node pools."""

from __future__ import annotations

import copy
from typing import Any

CLASS_OPTIONS: dict[str, Any] = {
    "name": "default",
    "role": "KarpenterNodeRole-demo",
    "ami_family": "AL2023",
    "ami_release": "v20261106",
    "ami_architectures": ["x86_64"],
    "ami_selector_terms": [{"id": "ami-0123456789abcdef0", "alias": None}],
    "subnet_selector_terms": [{"tags": {"karpenter.sh/discovery": "demo"}}],
    "security_group_selector_terms": [{"tags": {"karpenter.sh/discovery": "demo"}}],
}
POOL_OPTIONS: dict[str, Any] = {
    "name": "default",
    "node_class": "default",
    "requirements": [
        {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
        {"key": "karpenter.k8s.aws/instance-generation", "operator": "Gt", "values": ["2"]},
    ],
    "expire_after": "720h",
    "limits": {"cpu": 1000},
    "disruption": {"consolidation_policy": "WhenEmptyOrUnderutilized", "consolidate_after": "1m"},
}
PARAMS: dict[str, Any] = {
    "node_classes": [CLASS_OPTIONS],
    "node_pools": [POOL_OPTIONS],
    "cluster_name": "demo",
    "karpenter_version": "1.14.0",
    "namespace": "kube-system",
    "unpinned_action": "fail",
    "purge": False,
    "all": False,
    "force": False,
    "force_conflicts": False,
    "controller_absent_action": "fail",
    "wait": True,
    "wait_timeout_seconds": 0,
    "drain_timeout_seconds": 0,
}


def params(**changes: Any) -> dict[str, Any]:
    """The module's parameters."""
    return copy.deepcopy(PARAMS) | changes


def condition(kind: str, status: str = "True", reason: str = "", message: str = "", generation: int = 1) -> Any:
    """A condition of a Karpenter object."""
    return {
        "type": kind,
        "status": status,
        "reason": reason or kind,
        "message": message,
        "observedGeneration": generation,
    }


def live(manifest: dict[str, Any], *conditions: Any, **metadata: Any) -> dict[str, Any]:
    """A manifest as the API server has it; without conditions it is ready."""
    item = copy.deepcopy(manifest)
    item["metadata"] |= {"uid": f"uid-{item['metadata']['name']}", "generation": 1, "managedFields": []} | metadata
    item["status"] = {"conditions": list(conditions) or [condition("Ready")]}
    return item


def claim(name: str, pool: str = "default", *, instance: str | None = None, **metadata: Any) -> dict[str, Any]:
    """A NodeClaim of a pool."""
    return {
        "kind": "NodeClaim",
        "metadata": {"name": name, "labels": {"karpenter.sh/nodepool": pool}, **metadata},
        "spec": {"nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}},
        "status": {"nodeName": f"node-{name}", **({"providerID": f"aws:///us-west-2a/{instance}"} if instance else {})},
    }
