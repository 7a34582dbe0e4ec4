"""AMI types of managed node groups, and how their images are found.

https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id-bottlerocket.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from botocore.exceptions import ClientError

from sandbox.eks.context import Caller, Context
from sandbox.eks.errors import invalid_parameter, not_supported

AL2_LAST_MINOR = (1, 32)


@dataclass(frozen=True)
class AmiType:
    """One AMI type: its family (al2, al2023, bottlerocket), architecture, and variant."""

    name: str
    family: str
    architecture: str
    variant: str

    def folder(self, minor: str) -> str:
        """The folder of public SSM parameters for a Kubernetes minor."""
        if self.family == "bottlerocket":
            return f"/aws/service/bottlerocket/aws-k8s-{minor}{self.variant}/{self.architecture}"
        root = f"/aws/service/eks/optimized-ami/{minor}"
        if self.family == "al2":
            return f"{root}/amazon-linux-2{self.variant}"
        return f"{root}/amazon-linux-2023/{self.architecture}/{self.variant}"

    def image_name(self, minor: str, day: str) -> str:
        """The name of the image released on ``day`` (AL2 and AL2023)."""
        if self.family == "al2023":
            return f"amazon-eks-node-al2023-{self.architecture}-{self.variant}-{minor}-v{day}"
        prefix = {"": "amazon-eks-node", "-gpu": "amazon-eks-gpu-node", "-arm64": "amazon-eks-arm64-node"}
        return f"{prefix[self.variant]}-{minor}-v{day}"


_TYPES = (
    AmiType("AL2_x86_64", "al2", "x86_64", ""),
    AmiType("AL2_x86_64_GPU", "al2", "x86_64", "-gpu"),
    AmiType("AL2_ARM_64", "al2", "arm64", "-arm64"),
    AmiType("AL2023_x86_64_STANDARD", "al2023", "x86_64", "standard"),
    AmiType("AL2023_ARM_64_STANDARD", "al2023", "arm64", "standard"),
    AmiType("AL2023_x86_64_NEURON", "al2023", "x86_64", "neuron"),
    AmiType("AL2023_x86_64_NVIDIA", "al2023", "x86_64", "nvidia"),
    AmiType("AL2023_ARM_64_NVIDIA", "al2023", "arm64", "nvidia"),
    AmiType("BOTTLEROCKET_x86_64", "bottlerocket", "x86_64", ""),
    AmiType("BOTTLEROCKET_ARM_64", "bottlerocket", "arm64", ""),
    AmiType("BOTTLEROCKET_x86_64_NVIDIA", "bottlerocket", "x86_64", "-nvidia"),
    AmiType("BOTTLEROCKET_ARM_64_NVIDIA", "bottlerocket", "arm64", "-nvidia"),
)
AMI_TYPES = {one.name: one for one in _TYPES}


@dataclass(frozen=True)
class Release:
    """An image of an AMI type: its id, and the release version as EKS calls it."""

    image_id: str
    version: str


def choose(name: str | None, architectures: set[str], minor: str) -> AmiType:
    """The AMI type for a new node group, AL2023 in the instance types' architecture when none is named.

    Raises InvalidParameterException for a type that the sandbox does not have, that does not fit the instance types,
    or that is not published for the minor.
    """
    if name is None:
        name = "AL2023_ARM_64_STANDARD" if architectures == {"arm64"} else "AL2023_x86_64_STANDARD"
    ami_type = AMI_TYPES.get(name)
    if ami_type is None:
        raise not_supported(f"amiType {name}", f"it has {', '.join(AMI_TYPES)}")
    if architectures != {ami_type.architecture}:
        found = ", ".join(sorted(architectures))
        raise invalid_parameter(
            f"The instance types ({found}) do not fit the architecture of amiType {name}, {ami_type.architecture}."
        )
    number = tuple(int(part) for part in minor.split("."))
    if ami_type.family == "al2" and number > AL2_LAST_MINOR:
        # https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-deprecation-faqs.html
        raise invalid_parameter(f"{name} is not supported for Kubernetes version {minor}: AL2 ends with 1.32.")
    return ami_type


async def find(context: Context, caller: Caller, ami_type: AmiType, minor: str, wanted: str | None) -> Release:
    """The image of a release version, or the recommended one. Raises InvalidParameterException."""
    folder = ami_type.folder(minor)
    if ami_type.family == "bottlerocket":
        leaf, version_name = (wanted or "latest"), "image_version"
    else:
        leaf, version_name = _leaf(ami_type, minor, wanted), "release_version"
    names = [f"{folder}/{leaf}/image_id", f"{folder}/{leaf}/{version_name}"]
    try:
        answer = await context.call("ssm", caller, "get_parameters", Names=names)
    except ClientError as error:
        raise invalid_parameter(str(error)) from error
    values = {parameter["Name"]: parameter["Value"] for parameter in answer["Parameters"]}
    if len(values) < len(names) or (wanted is not None and values[names[1]] != wanted):
        raise invalid_parameter(
            f"Requested release version {wanted or 'latest'} is not valid for kubernetes version {minor}."
        )
    return Release(values[names[0]], values[names[1]])


def _leaf(ami_type: AmiType, minor: str, wanted: str | None) -> str:
    if wanted is None:
        return "recommended"
    match = re.fullmatch(r"\d+\.\d+\.\d+-(\d{8})", wanted)
    if match is None:
        raise invalid_parameter(f"Requested release version {wanted} is not valid for kubernetes version {minor}.")
    return ami_type.image_name(minor, match[1])
