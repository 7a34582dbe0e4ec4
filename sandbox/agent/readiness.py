"""The readiness of pods: taken away from a status that is being written, and given back. Pure.

https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-readiness-status
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KINDS = ("Ready", "ContainersReady")


def is_ready(pod: Mapping[str, Any]) -> bool:
    """Whether the pod's condition Ready is True."""
    found = (pod.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in found)


def taken(pod: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A JSON patch after which the pod is not ready, as when its containers' readiness probes fail."""
    status = pod.get("status") or {}
    statuses, operations = status.get("containerStatuses") or (), []
    names = " ".join(one["name"] for one in statuses)
    message = f"containers with unready status: [{names}]"
    for index, one in enumerate(status.get("conditions") or ()):
        if one["type"] in _KINDS and one["status"] == "True":
            value = one | {"status": "False", "reason": "ContainersNotReady", "message": message}
            operations.append({"op": "replace", "path": f"/status/conditions/{index}", "value": value})
    for index, one in enumerate(statuses):
        if one.get("ready"):
            operations.append({"op": "replace", "path": f"/status/containerStatuses/{index}/ready", "value": False})
    return operations


def given(pod: Mapping[str, Any], now: str) -> dict[str, Any] | None:
    """A strategic patch of the status after which the pod is ready; None for one that is, or that does not run."""
    status = pod.get("status") or {}
    if is_ready(pod) or status.get("phase") != "Running" or pod["metadata"].get("deletionTimestamp"):
        return None
    met = [
        {"type": kind, "status": "True", "lastTransitionTime": now, "reason": None, "message": None} for kind in _KINDS
    ]
    containers = [{"name": one["name"], "ready": True} for one in status.get("containerStatuses") or ()]
    return {"status": {"conditions": met, "containerStatuses": containers}}
