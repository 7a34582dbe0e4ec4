"""What a node group is asked to be: checks and defaults of scaling, labels, taints, and instance types.

https://docs.aws.amazon.com/eks/latest/userguide/create-managed-node-group.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from sandbox.eks.context import Caller, Context
from sandbox.eks.errors import invalid_parameter
from sandbox.eks.model import Taint

_RESERVED = ("eks.amazonaws.com/", "kubernetes.io/", "k8s.io/")
_MOST_TAINTS = 50


@dataclass(frozen=True)
class Scaling:
    """How many nodes."""

    least: int
    most: int
    desired: int

    @classmethod
    def of(cls, wanted: dict[str, int], before: Scaling | None = None) -> Scaling:
        """The sizes of a request. Raises InvalidParameterException unless minimum <= desired <= maximum."""
        before = before or cls(1, 2, 2)
        scaling = cls(
            wanted.get("minSize", before.least),
            wanted.get("maxSize", before.most),
            wanted.get("desiredSize", before.desired),
        )
        if scaling.least > scaling.desired:
            raise invalid_parameter(
                f"Minimum capacity {scaling.least} can't be greater than desired size {scaling.desired}"
            )
        if scaling.desired > scaling.most:
            raise invalid_parameter(f"Desired capacity {scaling.desired} can't be greater than max size {scaling.most}")
        return scaling


@dataclass(frozen=True)
class InstanceTypes:
    """The instance types of a group: their architectures, and the pods that each takes."""

    names: list[str]
    architectures: set[str]
    max_pods: int


async def instance_types(context: Context, caller: Caller, names: list[str]) -> InstanceTypes:
    """What EC2 says about the types. Raises InvalidParameterException for one that does not exist, or over 20."""
    if len(names) > 20:
        raise invalid_parameter("A node group can have 20 instance types at most.")
    try:
        answer = await context.call("ec2", caller, "describe_instance_types", InstanceTypes=names)
    except ClientError as error:
        raise invalid_parameter(error.response["Error"]["Message"]) from error
    found = answer["InstanceTypes"]
    architectures = {_architecture(one) for one in found}
    # https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html#determine-max-pods
    pods = [
        one["NetworkInfo"]["MaximumNetworkInterfaces"] * (one["NetworkInfo"]["Ipv4AddressesPerInterface"] - 1) + 2
        for one in found
    ]
    return InstanceTypes(names, architectures, min(pods))


def labels_of(wanted: dict[str, str]) -> dict[str, str]:
    """The labels. Raises InvalidParameterException for one that only EKS or Kubernetes may set."""
    for key in wanted:
        domain = key.partition("/")[0] + "/"
        if any(domain == one or domain.endswith(f".{one}") for one in _RESERVED):
            raise invalid_parameter(f"Label cannot contain reserved prefixes: {key}")
    return dict(wanted)


def taints_of(wanted: list[dict[str, Any]]) -> list[Taint]:
    """The taints. Raises InvalidParameterException for one without key or effect, a double one, or over 50."""
    taints: dict[tuple[str, str], Taint] = {}
    for one in wanted:
        if "key" not in one or "effect" not in one:
            raise invalid_parameter("A taint needs a key and an effect.")
        taint = Taint(one["key"], one["effect"], one.get("value", ""))
        if (taint.key, taint.effect) in taints:
            raise invalid_parameter(f"There are two taints of key {taint.key} and effect {taint.effect}.")
        taints[taint.key, taint.effect] = taint
    if len(taints) > _MOST_TAINTS:
        raise invalid_parameter(f"A node group can have {_MOST_TAINTS} taints at most.")
    return list(taints.values())


def update_config(wanted: dict[str, Any] | None, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """How many nodes an update may take at a time. Raises InvalidParameterException for a count and a percentage."""
    if not wanted:
        return before or {"maxUnavailable": 1}
    if "maxUnavailable" in wanted and "maxUnavailablePercentage" in wanted:
        raise invalid_parameter("Only one of maxUnavailable and maxUnavailablePercentage can be given.")
    return dict(wanted)


def _architecture(found: dict[str, Any]) -> str:
    known = found["ProcessorInfo"]["SupportedArchitectures"]
    return "arm64" if "arm64" in known else "x86_64"
