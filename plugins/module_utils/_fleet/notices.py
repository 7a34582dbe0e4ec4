# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What is worth knowing about a fleet. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._kubernetes.quantity import quantity

OLD_DAYS = 60
PENDING_SECONDS = 120
FULL_PERCENT = 90

Fleet = Mapping[str, Any]


def notices(fleet: Fleet) -> list[str]:
    """One sentence each; the most urgent first."""
    return [*_controller(fleet), *_pools(fleet), *_classes(fleet), *_nodes(fleet), *_pods(fleet), *_prices(fleet)]


def _controller(fleet: Fleet) -> Iterator[str]:
    karpenter = fleet["karpenter"]
    if not karpenter["installed"]:
        yield "Karpenter is not installed"
    elif karpenter["replicas_ready"] < karpenter["replicas"]:
        yield f"Only {karpenter['replicas_ready']} of {karpenter['replicas']} replicas of Karpenter are ready"


def _pools(fleet: Fleet) -> Iterator[str]:
    for pool in fleet["node_pools"]:
        if not pool["ready"]:
            yield f"Node pool {pool['name']} is not ready: {pool['reason']}"
        for resource in ("cpu", "memory"):
            share = used_percent(pool, resource)
            if share is not None and share >= FULL_PERCENT:
                yield f"Node pool {pool['name']} uses {share} % of its {resource} limit"


def used_percent(pool: Mapping[str, Any], resource: str) -> int | None:
    """How much of a limit is used; None without a limit."""
    limit = pool["limits"].get(resource)
    if limit is None or not quantity(limit):
        return None
    return int(quantity(pool["usage"].get(resource, 0)) / quantity(limit) * 100)


def _classes(fleet: Fleet) -> Iterator[str]:
    for item in fleet["node_classes"]:
        if not item["ready"]:
            yield f"Node class {item['name']} is not ready: {item['reason']}"
        if not item["pinned"]:
            yield f"AMIs of node class {item['name']} are not pinned ({item['ami_selector']}): they move by themselves"
        if item["ami_age_days"] is not None and item["ami_age_days"] > OLD_DAYS:
            yield f"AMI release {item['ami_release']} of node class {item['name']} is {item['ami_age_days']} days old"
        old = [image["id"] for image in item["images"] if image["deprecated"]]
        if old:
            yield f"Node class {item['name']} uses deprecated images: {', '.join(old)}"


def _nodes(fleet: Fleet) -> Iterator[str]:
    unready = [node["name"] for node in fleet["nodes"] if not node["ready"]]
    if unready:
        yield f"Nodes that are not Ready: {_some(unready)}"
    drifted = [node["name"] for node in fleet["nodes"] if node["drifted"]]
    if drifted:
        yield f"Nodes that differ from their pool and will be replaced: {_some(drifted)}"
    minor = ".".join(fleet["kubernetes_version"].split(".")[:2])
    behind = [node["name"] for node in fleet["nodes"] if not _same_minor(node["kubelet_version"], minor)]
    if behind:
        yield f"Nodes of another Kubernetes minor than the control plane's {minor}: {_some(behind)}"


def _same_minor(kubelet: str | None, minor: str) -> bool:
    return kubelet is None or kubelet.removeprefix("v").split(".")[:2] == minor.split(".")


def _pods(fleet: Fleet) -> Iterator[str]:
    late = [pod for pod in fleet["pending_pods"] if pod["age_seconds"] >= PENDING_SECONDS]
    if late:
        names = _some([f"{pod['namespace']}/{pod['name']}" for pod in late])
        yield f"Pods without a node for more than {PENDING_SECONDS} seconds: {names}"


def _prices(fleet: Fleet) -> Iterator[str]:
    missing = fleet["cost"]["nodes_without_price"]
    if missing:
        yield (
            f"{missing} of {len(fleet['nodes'])} nodes have no known price: the controller tells prices once a node "
            "pool is ready"
        )


def _some(names: list[str], shown: int = 3) -> str:
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")
