"""The Node object of an instance: what its kubelet registers, and what the cloud controller manager adds. Pure.

The two share the work as on EKS, where kubelets run with ``--cloud-provider=external``:
https://kubernetes.io/docs/tasks/administer-cluster/running-cloud-controller/
https://kubernetes.io/docs/reference/labels-annotations-taints/
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from .bootconfig import BootConfig
from .capacity import Resources, Shape
from .families import Image
from .instance import Instance

KUBELET_PORT = 10250
UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized"
SHUTDOWN = "node.cloudprovider.kubernetes.io/shutdown"
#: kwok keeps nodes with this annotation alive and plays the pods on them.
KWOK_ANNOTATION = {"kwok.x-k8s.io/node": "fake"}
_OFF = " (off)"
_PRESSURES = (
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
)
_NO_NETWORK = (
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
    "message:Network plugin returns error: cni plugin not initialized"
)


def timestamp(at: datetime | None = None) -> str:
    """A time as Kubernetes writes it, in seconds, UTC."""
    return (at or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")


def conditions(ready: bool, now: str, reason: str = _NO_NETWORK) -> list[dict[str, str]]:
    """The conditions that a kubelet reports; ``reason`` is why it is not ready."""
    found = [
        {"type": kind, "status": "False", "reason": reason, "message": message} for kind, reason, message in _PRESSURES
    ]
    if ready:
        found.append(
            {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}
        )
    else:
        found.append({"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": reason})
    return [condition | {"lastHeartbeatTime": now, "lastTransitionTime": now} for condition in found]


def _machine_id(instance: Instance) -> str:
    return "ec2" + hashlib.sha256(instance.id.encode()).hexdigest()[:29]


def node_info(instance: Instance, image: Image, shape: Shape) -> dict[str, str]:
    """``status.nodeInfo``."""
    machine = _machine_id(instance)
    architecture = "aarch64" if shape.architecture == "arm64" else "x86_64"
    return {
        "architecture": shape.architecture,
        "operatingSystem": "linux",
        "bootID": hashlib.sha256(f"{instance.id} {instance.launched_at}".encode()).hexdigest()[:32],
        "machineID": machine,
        "systemUUID": machine,
        "kernelVersion": f"{image.family.kernel}.{architecture}",
        "osImage": image.family.os_image,
        "containerRuntimeVersion": image.family.runtime,
        "kubeletVersion": image.kubelet_version,
        "kubeProxyVersion": "",
    }


def addresses(instance: Instance) -> list[dict[str, str]]:
    """What the cloud controller manager reports for an instance without a public address."""
    return [
        {"type": "InternalIP", "address": instance.private_ip},
        {"type": "InternalDNS", "address": instance.private_dns},
        {"type": "Hostname", "address": instance.private_dns},
    ]


def registration(
    instance: Instance, image: Image, shape: Shape, config: BootConfig, resources: Resources
) -> dict[str, Any]:
    """The Node that the kubelet creates: not ready, not yet initialised by the cloud controller manager."""
    name = instance.private_dns
    labels = {
        "kubernetes.io/arch": shape.architecture,
        "kubernetes.io/os": "linux",
        "kubernetes.io/hostname": name,
        "beta.kubernetes.io/arch": shape.architecture,
        "beta.kubernetes.io/os": "linux",
    }
    annotations = {
        "alpha.kubernetes.io/provided-node-ip": instance.private_ip,
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
    }
    external = {"key": UNINITIALIZED, "value": "true", "effect": "NoSchedule"}
    kubelet_addresses = [entry for entry in addresses(instance) if entry["type"] != "InternalDNS"]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": labels | dict(config.labels),
            "annotations": annotations | KWOK_ANNOTATION,
        },
        "spec": {"providerID": instance.provider_id, "taints": [*map(dict, config.taints), external]},
        "status": {
            "addresses": kubelet_addresses,
            "capacity": dict(resources.capacity),
            "allocatable": dict(resources.allocatable),
            "conditions": conditions(False, timestamp()),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": KUBELET_PORT}},
            "nodeInfo": node_info(instance, image, shape),
        },
    }


def cloud_labels(instance: Instance, zone_id: str | None, present: Mapping[str, str]) -> dict[str, str]:
    """The labels that the cloud controller manager sets; the zone id only where it is missing."""
    labels = {
        "node.kubernetes.io/instance-type": instance.type,
        "beta.kubernetes.io/instance-type": instance.type,
        "topology.kubernetes.io/zone": instance.zone,
        "failure-domain.beta.kubernetes.io/zone": instance.zone,
        "topology.kubernetes.io/region": instance.region,
        "failure-domain.beta.kubernetes.io/region": instance.region,
    }
    if zone_id and "topology.k8s.aws/zone-id" not in present:
        labels["topology.k8s.aws/zone-id"] = zone_id
    return labels


def without_taint(taints: Sequence[Mapping[str, Any]], keys: Collection[str]) -> list[dict[str, Any]]:
    """The taints but for those of these keys."""
    return [dict(taint) for taint in taints if taint.get("key") not in keys]


def initialization(current: Mapping[str, Any], instance: Instance, zone_id: str | None) -> dict[str, Any] | None:
    """The merge patch by which the cloud controller manager takes a node into service; None when it is already.

    A node that comes back from a stop loses the shutdown taint, and is kept alive again.
    """
    metadata, taints = current["metadata"], current["spec"].get("taints") or []
    left = without_taint(taints, {UNINITIALIZED, SHUTDOWN})
    annotated = KWOK_ANNOTATION.items() <= (metadata.get("annotations") or {}).items()
    if len(left) == len(taints) and annotated:
        return None
    return {
        "metadata": {
            "resourceVersion": metadata["resourceVersion"],
            "labels": cloud_labels(instance, zone_id, metadata.get("labels") or {}),
            "annotations": KWOK_ANNOTATION,
        },
        "spec": {"taints": left},
    }


def silent_lease(name: str) -> dict[str, Any]:
    """A patch for the lease of a node that is off: nobody may renew it, and its last renewal stays what it was."""
    return {"spec": {"holderIdentity": f"{name}{_OFF}", "leaseDurationSeconds": 10 * 365 * 86400}}


#: The opposite: the lease has run out, so that who keeps the nodes alive takes it up.
SPOKEN_LEASE = {"spec": {"leaseDurationSeconds": 1}}


def is_silent(lease: Mapping[str, Any]) -> bool:
    """Whether the lease is that of a node that was switched off."""
    return str(lease["spec"].get("holderIdentity") or "").endswith(_OFF)


def is_ready(node: Mapping[str, Any]) -> bool:
    """Whether the Node's Ready condition is True."""
    found = (node.get("status") or {}).get("conditions") or ()
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in found)
