"""What a node offers, computed from the instance type as the AMI's bootstrap and the kubelet compute it. Pure.

Allocatable is capacity less kube-reserved, system-reserved and the hard eviction thresholds:
https://kubernetes.io/docs/tasks/administer-cluster/reserve-compute-resources/#node-allocatable
The pod limit follows the interfaces of the type:
https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html#determine-max-pods
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import quantity

MIB = 1024 * 1024
GIB = 1024 * MIB
# Firmware and kernel keep a share of the memory that EC2 advertises: an m5.large of 8 GiB shows about 7.6 GiB.
_MEMORY_SHARE_SEEN = 0.95
_ARM_CONTIGUOUS_MIB = 64
# Partition table, boot partition and file system headers of the root volume.
_DISK_OVERHEAD_KIB = 12308
# The steps of the reserved share of the cores: (up to millicores, ten-thousandths).
_CPU_STEPS = ((1000, 600), (2000, 100), (4000, 50), (1 << 31, 25))
DEFAULT_EVICTION = {"memory.available": "100Mi", "nodefs.available": "10%", "nodefs.inodesFree": "5%"}


@dataclass(frozen=True)
class Shape:
    """An instance type: vCPUs, memory in MiB, the default network card's interfaces and their IPv4 addresses."""

    vcpus: int
    memory_mib: int
    architecture: str
    interfaces: int
    addresses_per_interface: int
    instance_store_gb: int = 0

    @classmethod
    def of(cls, info: Mapping[str, Any]) -> Shape:
        """From one entry of DescribeInstanceTypes."""
        network = info["NetworkInfo"]
        cards = network.get("NetworkCards") or []
        index = network.get("DefaultNetworkCardIndex", 0)
        card = cards[index] if index < len(cards) else {}
        architectures = info.get("ProcessorInfo", {}).get("SupportedArchitectures", ["x86_64"])
        return cls(
            vcpus=info["VCpuInfo"]["DefaultVCpus"],
            memory_mib=info["MemoryInfo"]["SizeInMiB"],
            architecture="arm64" if "arm64" in architectures else "amd64",
            interfaces=card.get("MaximumNetworkInterfaces", network["MaximumNetworkInterfaces"]),
            addresses_per_interface=network["Ipv4AddressesPerInterface"],
            instance_store_gb=info.get("InstanceStorageInfo", {}).get("TotalSizeInGB", 0),
        )


@dataclass(frozen=True)
class Resources:
    """Capacity and allocatable of a node, in the wire form of node.status."""

    capacity: Mapping[str, str]
    allocatable: Mapping[str, str]


def eni_pods(shape: Shape) -> int:
    """The pods that the VPC CNI has addresses for without prefix delegation."""
    return shape.interfaces * (shape.addresses_per_interface - 1) + 2


def reserved_millicores(vcpus: int) -> int:
    """The cores that EKS optimised images reserve for the kubelet and the runtime."""
    total, start, reserved = vcpus * 1000, 0, 0
    for end, share in _CPU_STEPS:
        if total > start:
            reserved += (min(total, end) - start) * share // 10000
        start = end
    return reserved


def reserved_memory_mib(pods: int) -> int:
    """The memory that EKS optimised images reserve, by the number of pods that the node may run."""
    return 11 * pods + 255


def memory_bytes(shape: Shape) -> int:
    """The memory that the kernel of the instance reports, rounded down to KiB."""
    advertised = shape.memory_mib - (_ARM_CONTIGUOUS_MIB if shape.architecture == "arm64" else 0)
    return math.floor(advertised * _MEMORY_SHARE_SEEN * 1024) * 1024


def _threshold(value: str, capacity: int) -> int:
    """An eviction signal in bytes; 100 % switches it off.

    https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/ (evictionHard)
    """
    if not value.endswith("%"):
        return quantity.whole(value)
    percent = float(value.rstrip("%"))
    return 0 if percent >= 100 else math.ceil(capacity * percent / 100)


def max_pods(shape: Shape, kubelet: Mapping[str, Any], default: int) -> int:
    """The kubelet's pod limit: maxPods, or the image's default; podsPerCore lowers either."""
    limit = int(kubelet.get("maxPods") or default)
    per_core = int(kubelet.get("podsPerCore") or 0)
    return min(limit, per_core * shape.vcpus) if per_core else limit


def resources(shape: Shape, disk_gib: int, kubelet: Mapping[str, Any], *, instance_store: bool = False) -> Resources:
    """Capacity and allocatable for a kubelet configuration (KubeletConfiguration keys; missing means default)."""
    memory = memory_bytes(shape)
    disk = disk_gib * GIB - _DISK_OVERHEAD_KIB * 1024
    if instance_store and shape.instance_store_gb:
        disk = shape.instance_store_gb * 10**9
    pods = max_pods(shape, kubelet, eni_pods(shape))
    # The image computes its reserve from its own pod limit, before maxPods of the user is merged in.
    kube = {
        "cpu": f"{reserved_millicores(shape.vcpus)}m",
        "memory": f"{reserved_memory_mib(eni_pods(shape))}Mi",
        "ephemeral-storage": "1Gi",
    } | dict(kubelet.get("kubeReserved") or {})
    system = dict(kubelet.get("systemReserved") or {})
    eviction = DEFAULT_EVICTION | dict(kubelet.get("evictionHard") or {})

    def left(name: str, total: int, keep: int = 0) -> int:
        taken = quantity.whole(kube.get(name, "0")) + quantity.whole(system.get(name, "0")) + keep
        return max(total - taken, 0)

    cpu_reserved = quantity.milli(kube.get("cpu", "0")) + quantity.milli(system.get("cpu", "0"))
    cpu_left = max(shape.vcpus * 1000 - cpu_reserved, 0)
    memory_left = left("memory", memory, _threshold(str(eviction["memory.available"]), memory))
    disk_left = left("ephemeral-storage", disk, _threshold(str(eviction["nodefs.available"]), disk))
    huge = {"hugepages-1Gi": "0", "hugepages-2Mi": "0"}
    capacity = {
        "cpu": str(shape.vcpus),
        "memory": f"{memory // 1024}Ki",
        "ephemeral-storage": f"{disk // 1024}Ki",
        "pods": str(pods),
    }
    allocatable = {
        "cpu": quantity.cpu(cpu_left),
        "memory": f"{memory_left // 1024}Ki",
        "ephemeral-storage": str(disk_left),
        "pods": str(pods),
    }
    return Resources(capacity | huge, allocatable | huge)
