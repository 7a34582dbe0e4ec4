"""The Kubernetes side of a managed node group: which nodes are ready, draining, labels and taints."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from sandbox.eks.context import LOG
from sandbox.eks.kube import Kube, KubeError
from sandbox.eks.model import Nodegroup, Taint
from sandbox.eks.userdata import kubernetes_effect

_RETRY_SECONDS = 1.0
_NO_BALANCER = "node.kubernetes.io/exclude-from-external-load-balancers"


async def of_group(kube: Kube, group: Nodegroup) -> dict[str, dict[str, Any]]:
    """The nodes of a group by instance id. Raises KubeError."""
    found = await kube.list("/api/v1/nodes", labelSelector=f"eks.amazonaws.com/nodegroup={group.name}")
    return {str(node["spec"].get("providerID", "")).rpartition("/")[2]: node for node in found}


def is_ready(node: dict[str, Any]) -> bool:
    """Whether a node says that it is ready."""
    conditions = node.get("status", {}).get("conditions") or []
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


async def retire(kube: Kube, names: list[str]) -> None:
    """Let nothing new come to nodes that are to be replaced: neither pods nor what load balancers send.

    https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html#managed-node-update-scale-up
    """
    for name in names:
        change = {"metadata": {"labels": {_NO_BALANCER: "true"}}, "spec": {"unschedulable": True}}
        await _tolerating_404(kube.merge(f"/api/v1/nodes/{name}", change))


async def reinstate(kube: Kube, names: list[str]) -> None:
    """Take back what ``retire`` did."""
    for name in names:
        change = {"metadata": {"labels": {_NO_BALANCER: None}}, "spec": {"unschedulable": None}}
        await _tolerating_404(kube.merge(f"/api/v1/nodes/{name}", change))


async def drain(kube: Kube, names: list[str], seconds: float) -> list[str]:
    """Cordon the nodes and evict their pods; the paths of pods that are still there after ``seconds``.

    https://docs.aws.amazon.com/eks/latest/userguide/delete-managed-node-group.html
    """
    for name in names:
        await _tolerating_404(kube.merge(f"/api/v1/nodes/{name}", {"spec": {"unschedulable": True}}))
    deadline = time.monotonic() + seconds
    while True:
        pods = [pod for name in names for pod in await _to_evict(kube, name)]
        if not pods:
            return []
        if time.monotonic() >= deadline:
            left = [_path(pod) for pod in pods]
            LOG.warning("pods that were not evicted in time: %s", left)
            return left
        for pod in pods:
            if "deletionTimestamp" not in pod["metadata"]:
                await _evict(kube, pod)
        await asyncio.sleep(_RETRY_SECONDS)


async def relabel(kube: Kube, node: dict[str, Any], old: dict[str, str], new: dict[str, str]) -> None:
    """Bring a node's labels from a group's old ones to its new ones. Raises KubeError."""
    changes: dict[str, str | None] = {key: None for key in old if key not in new}
    changes |= {key: value for key, value in new.items() if old.get(key) != value}
    if changes:
        await kube.merge(f"/api/v1/nodes/{node['metadata']['name']}", {"metadata": {"labels": changes}})


async def retaint(kube: Kube, node: dict[str, Any], old: list[Taint], new: list[Taint]) -> None:
    """Bring a node's taints from a group's old ones to its new ones; all others stay. Raises KubeError."""
    if old == new:
        return
    ours = {(taint.key, kubernetes_effect(taint)) for taint in [*old, *new]}
    taints = [one for one in node["spec"].get("taints") or [] if (one["key"], one["effect"]) not in ours]
    for taint in new:
        value = {"value": taint.value} if taint.value else {}
        taints.append({"key": taint.key, "effect": kubernetes_effect(taint), **value})
    version = node["metadata"]["resourceVersion"]
    change = {"metadata": {"resourceVersion": version}, "spec": {"taints": taints}}
    await kube.merge(f"/api/v1/nodes/{node['metadata']['name']}", change)


async def _to_evict(kube: Kube, node: str) -> list[dict[str, Any]]:
    pods = await kube.list("/api/v1/pods", fieldSelector=f"spec.nodeName={node}")
    return [pod for pod in pods if not _stays(pod)]


def _stays(pod: dict[str, Any]) -> bool:
    owners = pod["metadata"].get("ownerReferences") or []
    mirror = "kubernetes.io/config.mirror" in (pod["metadata"].get("annotations") or {})
    done = pod.get("status", {}).get("phase") in ("Succeeded", "Failed")
    return mirror or done or any(owner["kind"] == "DaemonSet" for owner in owners)


def _path(pod: dict[str, Any]) -> str:
    meta = pod["metadata"]
    return f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"


async def _evict(kube: Kube, pod: dict[str, Any]) -> None:
    meta = {"name": pod["metadata"]["name"], "namespace": pod["metadata"]["namespace"]}
    try:
        await kube.create(f"{_path(pod)}/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": meta})
    except KubeError as error:
        # 429: a disruption budget does not allow it now; 500: more than one budget covers the pod.
        if error.status not in (404, 429, 500):
            raise


async def _tolerating_404(request: Any) -> None:
    try:
        await request
    except KubeError as error:
        if error.status != 404:
            raise
