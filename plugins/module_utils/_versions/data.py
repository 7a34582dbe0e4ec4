# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What is known about versions, with its date and its sources. Pure data. Private to the collection.

As of 2026-08-21 (Karpenter 1.14.1). Sources:
compatibility    https://karpenter.sh/docs/upgrading/compatibility/
releases to skip https://karpenter.sh/docs/upgrading/upgrade-guide/
AMI parameters   https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html,
                 https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id-bottlerocket.html,
                 https://docs.aws.amazon.com/eks/latest/userguide/retrieve-windows-ami-id.html
end of AL2       https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-deprecation-faqs.html
Helm and OCI     https://helm.sh/docs/topics/registries/
"""

from __future__ import annotations

from dataclasses import dataclass, field

AS_OF = "2026-08-21"

DEFAULT_KUBERNETES = "1.36"
DEFAULT_KARPENTER = "1.14.0"
# The releases that the collection's own tests run or that differ from them in nothing it relies on.
TRIED_KARPENTER = ("1.14.0", "1.14.1")
# 1.12 is the first release with the six controller policies of our template and with DescribeInstanceStatus.
MINIMUM_KARPENTER = (1, 12, 0)

# Karpenter minor -> (oldest, newest) Kubernetes minor it supports.
KUBERNETES_OF_KARPENTER: dict[tuple[int, int], tuple[tuple[int, int], tuple[int, int]]] = {
    (1, 0): ((1, 25), (1, 31)),
    (1, 1): ((1, 25), (1, 31)),
    (1, 2): ((1, 25), (1, 32)),
    (1, 3): ((1, 25), (1, 32)),
    (1, 4): ((1, 25), (1, 32)),
    (1, 5): ((1, 26), (1, 33)),
    (1, 6): ((1, 26), (1, 34)),
    (1, 7): ((1, 26), (1, 34)),
    (1, 8): ((1, 26), (1, 34)),
    (1, 9): ((1, 26), (1, 35)),
    (1, 10): ((1, 26), (1, 35)),
    (1, 11): ((1, 26), (1, 35)),
    (1, 12): ((1, 26), (1, 35)),
    (1, 13): ((1, 26), (1, 36)),
    (1, 14): ((1, 26), (1, 36)),
}
# Within a minor: the first patch that supports its newest Kubernetes minor.
FIRST_PATCH: dict[tuple[int, int], dict[tuple[int, int], int]] = {(1, 0): {(1, 31): 5}}


@dataclass(frozen=True)
class SkippedRelease:
    """A Karpenter release that must not be installed, and why."""

    version: str
    reason: str
    source: str


SKIPPED_KARPENTER = (
    SkippedRelease(
        "1.8.4",
        "it may not schedule pods with certain topology spread constraints",
        "https://github.com/kubernetes-sigs/karpenter/issues/2785",
    ),
)


@dataclass(frozen=True)
class AmiVariant:
    """One image of a family. ``{kubernetes}``, ``{architecture}``, ``{variant}`` and ``{release}`` are filled in.

    :param parameter: SSM parameter of a dated release, None where only the newest is published.
    :param latest: SSM parameter of the newest release.
    """

    variant: str
    architectures: tuple[str, ...]
    latest: str
    parameter: str | None


@dataclass(frozen=True)
class AmiFamily:
    """A family of EKS optimized images.

    :param alias: the family in a Karpenter alias (``al2023@v20261106``).
    :param ami_family: the family in EC2NodeClass ``spec.amiFamily``.
    :param release_pattern: what a pinned release looks like; empty where none can be pinned.
    :param image_name: the image's name, for the check against EC2; None where the name carries too little.
    :param first_kubernetes: the first minor that images are published for, None for every one that EKS has.
    :param last_kubernetes: the last minor that images are published for.
    """

    alias: str
    ami_family: str
    release_pattern: str
    image_name: str | None
    variants: tuple[AmiVariant, ...]
    first_kubernetes: tuple[int, int] | None = None
    last_kubernetes: tuple[int, int] | None = None
    replaced_by: str | None = None
    owners: tuple[str, ...] = field(default=("amazon",))


_EKS = "/aws/service/eks/optimized-ami/{kubernetes}"
_AL2023_NAME = "amazon-eks-node-al2023-{architecture}-{variant}-{kubernetes}-{release}"
_AL2023 = _EKS + "/amazon-linux-2023/{architecture}/{variant}"
_BOTTLEROCKET = "/aws/service/bottlerocket/aws-k8s-{kubernetes}"
_BOTH = ("x86_64", "arm64")


def _al2023(variant: str, architectures: tuple[str, ...]) -> AmiVariant:
    return AmiVariant(variant, architectures, f"{_AL2023}/recommended/image_id", f"{_AL2023}/{_AL2023_NAME}/image_id")


def _bottlerocket(variant: str, suffix: str) -> AmiVariant:
    base = f"{_BOTTLEROCKET}{suffix}/{{architecture}}"
    return AmiVariant(variant, _BOTH, f"{base}/latest/image_id", f"{base}/{{release}}/image_id")


def _al2(variant: str, architecture: str, suffix: str) -> AmiVariant:
    base = f"{_EKS}/amazon-linux-2{suffix}"
    name = f"amazon-eks{suffix}-node-{{kubernetes}}-{{release}}"
    return AmiVariant(variant, (architecture,), f"{base}/recommended/image_id", f"{base}/{name}/image_id")


def _windows(year: int, first_kubernetes: tuple[int, int] | None = None) -> AmiFamily:
    path = f"/aws/service/ami-windows-latest/Windows_Server-{year}-English-Core-EKS_Optimized-{{kubernetes}}/image_id"
    return AmiFamily(
        alias=f"windows{year}",
        ami_family=f"Windows{year}",
        release_pattern="",
        image_name=None,
        variants=(AmiVariant("standard", ("x86_64",), path, None),),
        first_kubernetes=first_kubernetes,
    )


# Neuron is listed for both architectures because AWS publishes parameters for both; Karpenter itself looks up x86_64
# alone. A path that is not published is told apart by the lookup.
AMI_FAMILIES: dict[str, AmiFamily] = {
    family.alias: family
    for family in (
        AmiFamily(
            alias="al2023",
            ami_family="AL2023",
            release_pattern=r"v\d{8}",
            image_name=_AL2023_NAME,
            variants=(_al2023("standard", _BOTH), _al2023("nvidia", _BOTH), _al2023("neuron", _BOTH)),
        ),
        AmiFamily(
            alias="bottlerocket",
            ami_family="Bottlerocket",
            release_pattern=r"v?\d+\.\d+\.\d+",
            image_name=None,
            variants=(_bottlerocket("standard", ""), _bottlerocket("nvidia", "-nvidia")),
        ),
        AmiFamily(
            alias="al2",
            ami_family="AL2",
            release_pattern=r"v\d{8}",
            image_name=None,
            variants=(
                _al2("standard", "x86_64", ""),
                _al2("standard", "arm64", "-arm64"),
                _al2("gpu", "x86_64", "-gpu"),
            ),
            last_kubernetes=(1, 32),
            replaced_by="al2023",
        ),
        _windows(2019),
        _windows(2022),
        # https://docs.aws.amazon.com/eks/latest/userguide/eks-optimized-windows-ami.html
        _windows(2025, first_kubernetes=(1, 35)),
    )
}


@dataclass(frozen=True)
class Requirement:
    """A tool or Python library and its oldest version that will do."""

    name: str
    minimum: str
    why: str


# aws, kubectl and eksctl are not here: no role or module of the collection runs them.
TOOLS: dict[str, Requirement] = {
    "helm": Requirement("helm", "3.8.0", "charts are installed from an OCI registry, which Helm supports from 3.8"),
}
# What amazon.aws 11 and kubernetes.core 6 ask for, and the first boto3 that knows what the roles use.
PYTHON_LIBRARIES: dict[str, Requirement] = {
    "boto3": Requirement("boto3", "1.35.54", "the EKS API with zonal shift, access entries and pod identity"),
    "botocore": Requirement("botocore", "1.35.54", "the EKS API with zonal shift, access entries and pod identity"),
    "kubernetes": Requirement("kubernetes", "24.2.0", "kubernetes.core and the Kubernetes modules"),
    "PyYAML": Requirement("PyYAML", "5.1", "templates and Helm values"),
}
MINIMUM_PYTHON = (3, 12)
