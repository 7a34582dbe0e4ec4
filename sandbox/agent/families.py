"""Image families: which bootstrap an image has, and what its nodes say about themselves. Pure.

The family follows from the image's name, as AWS publishes it:
https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from . import al2, bottlerocket, nodeadm
from .bootconfig import BootConfig, BootError

# Names end in the Kubernetes minor and the release.
_PATTERNS = (
    ("AL2023", re.compile(r"amazon-eks-node-al2023-(?P<arch>x86_64|arm64)-\w+-(?P<minor>\d+\.\d+)-(?P<release>v\w+)")),
    (
        "Bottlerocket",
        re.compile(r"bottlerocket-aws-k8s-(?P<minor>\d+\.\d+)(-\w+)?-(?P<arch>\w+)-(?P<release>v[\w.-]+)"),
    ),
    ("AL2", re.compile(r"amazon-eks-(gpu-|arm64-)?node-(?P<minor>\d+\.\d+)-(?P<release>v\w+)")),
)
_PATCHES = {"1.36": 3}


@dataclass(frozen=True)
class Family:
    """An image family: how to read its user data, and the node's ``nodeInfo`` values."""

    name: str
    parse: Callable[[bytes], BootConfig]
    os_image: str
    kernel: str
    runtime: str


def _unknown(_: bytes) -> BootConfig:
    raise BootError("the image is none of an EKS optimised family: nothing on it starts a kubelet")


_FAMILIES = {
    "AL2023": Family(
        "AL2023", nodeadm.parse, "Amazon Linux 2023.9.20260810", "6.12.40-63.114.amzn2023", "containerd://2.1.4"
    ),
    "Bottlerocket": Family(
        "Bottlerocket",
        bottlerocket.parse,
        "Bottlerocket OS 1.45.0 (aws-k8s)",
        "6.12.37",
        "containerd://2.1.4+bottlerocket",
    ),
    "AL2": Family("AL2", al2.parse, "Amazon Linux 2", "5.10.240-238.955.amzn2", "containerd://1.7.27"),
}
_OTHER = Family("Custom", _unknown, "Linux", "6.12.0", "containerd://2.1.4")


@dataclass(frozen=True)
class Image:
    """An image as its name tells: the family, and the kubelet's version."""

    name: str
    family: Family
    kubelet_version: str

    @classmethod
    def of(cls, name: str) -> Image:
        """From the name in DescribeImages; an unknown name belongs to a family that never joins."""
        for family, pattern in _PATTERNS:
            match = pattern.match(name)
            if match:
                minor = match["minor"]
                build = hashlib.sha256(name.encode()).hexdigest()[:7]
                return cls(name, _FAMILIES[family], f"v{minor}.{_PATCHES.get(minor, 0)}-eks-{build}")
        return cls(name, _OTHER, "")
