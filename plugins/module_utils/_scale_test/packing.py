# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""How full the launched nodes were, and what they cost. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from .._fleet.nodes import describe
from .._fleet.prices import Prices
from .._kubernetes.model import Object
from .._kubernetes.quantity import quantity


def requested(pod: Mapping[str, Any], resource: str) -> Decimal:
    """What the scheduler counts for a pod: its containers together, or its largest init container, plus overhead
    (https://kubernetes.io/docs/concepts/scheduling-eviction/pod-overhead/)."""
    spec = pod["spec"]
    side = [item for item in spec.get("initContainers") or () if item.get("restartPolicy") == "Always"]
    once = [item for item in spec.get("initContainers") or () if item.get("restartPolicy") != "Always"]
    running = sum((_request(item, resource) for item in [*spec["containers"], *side]), Decimal(0))
    first = max((_request(item, resource) for item in once), default=Decimal(0))
    return max(running, first) + quantity((spec.get("overhead") or {}).get(resource, 0))


def _request(container: Mapping[str, Any], resource: str) -> Decimal:
    return quantity(((container.get("resources") or {}).get("requests") or {}).get(resource, 0))


def packing(nodes: Iterable[Object], all_pods: Iterable[Object], prices: Prices) -> dict[str, Any]:
    """Requested against allocatable CPU and memory over the nodes, pods per node, and their price.

    :param nodes: the nodes that the test launched, at its peak. :param all_pods: the pods of the cluster then.
    """
    nodes = list(nodes)
    names = {node["metadata"]["name"] for node in nodes}
    on_them = [pod for pod in all_pods if pod["spec"].get("nodeName") in names and _counts(pod)]
    costs = [prices.of_node(describe(node)) for node in nodes]
    return {
        "nodes": len(nodes),
        "pods": len(on_them),
        "pods_per_node": round(len(on_them) / len(nodes), 2) if nodes else None,
        "cpu_percent": _share(nodes, on_them, "cpu"),
        "memory_percent": _share(nodes, on_them, "memory"),
        "cost_per_hour": round(sum(cost for cost in costs if cost is not None), 4) if None not in costs else None,
    }


def _counts(pod: Mapping[str, Any]) -> bool:
    return (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")


def _share(nodes: list[Object], pods: list[Object], resource: str) -> float | None:
    room = sum((quantity(node["status"]["allocatable"].get(resource, 0)) for node in nodes), Decimal(0))
    used = sum((requested(pod, resource) for pod in pods), Decimal(0))
    return round(float(used / room * 100), 1) if room else None
