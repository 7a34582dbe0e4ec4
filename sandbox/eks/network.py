"""What EKS checks and makes in EC2 for a cluster: subnets, security groups, the cluster security group.

https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
"""

from __future__ import annotations

import ipaddress
import random
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from sandbox.eks.context import Caller, Context
from sandbox.eks.errors import invalid_parameter
from sandbox.eks.model import Cluster

_PRIVATE = [ipaddress.IPv4Network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")]


@dataclass(frozen=True)
class Place:
    """Where the subnets of a request are: their VPC, its address blocks, and the zone of each subnet by id."""

    vpc_id: str
    vpc_cidrs: list[str]
    zones: dict[str, str]


async def place_of(context: Context, caller: Caller | Cluster, subnet_ids: list[str]) -> Place:
    """Where the subnets are. Raises InvalidParameterException when one does not exist or they are of two VPCs."""
    filters = [{"Name": "subnet-id", "Values": subnet_ids}]
    subnets = (await context.call("ec2", caller, "describe_subnets", Filters=filters))["Subnets"]
    missing = set(subnet_ids) - {subnet["SubnetId"] for subnet in subnets}
    if missing:
        raise invalid_parameter(f"The subnet ID '{min(missing)}' does not exist")
    vpcs = {subnet["VpcId"] for subnet in subnets}
    if len(vpcs) != 1:
        raise invalid_parameter(f"Subnets specified must belong to one VPC, they belong to {', '.join(sorted(vpcs))}.")
    vpc_id = vpcs.pop()
    vpc = (await context.call("ec2", caller, "describe_vpcs", VpcIds=[vpc_id]))["Vpcs"][0]
    cidrs = [block["CidrBlock"] for block in vpc.get("CidrBlockAssociationSet", [])] or [vpc["CidrBlock"]]
    return Place(vpc_id, cidrs, {subnet["SubnetId"]: subnet["AvailabilityZone"] for subnet in subnets})


async def cluster_place(context: Context, caller: Caller | Cluster, subnet_ids: list[str]) -> Place:
    """As ``place_of``, for a control plane, which needs two subnets in two zones."""
    if len(set(subnet_ids)) < 2:
        raise invalid_parameter("Subnets specified must be in at least two different AZs")
    place = await place_of(context, caller, subnet_ids)
    if len(set(place.zones.values())) < 2:
        raise invalid_parameter("Subnets specified must be in at least two different AZs")
    return place


async def check_security_groups(context: Context, caller: Caller | Cluster, ids: list[str], vpc_id: str) -> None:
    """Raise InvalidParameterException for more than five groups, or one that is not in the VPC."""
    if len(ids) > 5:
        raise invalid_parameter("You can specify up to five security groups.")
    if not ids:
        return
    try:
        groups = (await context.call("ec2", caller, "describe_security_groups", GroupIds=ids))["SecurityGroups"]
    except ClientError as error:
        raise invalid_parameter(error.response["Error"]["Message"]) from error
    strangers = [group["GroupId"] for group in groups if group["VpcId"] != vpc_id]
    if strangers:
        raise invalid_parameter(f"Security group {strangers[0]} is not in {vpc_id}, the VPC of the subnets.")


def service_cidr(wanted: str | None, vpc_cidrs: list[str]) -> str:
    """The addresses of the cluster's services.

    Without a wish EKS takes 10.100.0.0/16 or 172.20.0.0/16, the one that the VPC does not use.
    https://docs.aws.amazon.com/eks/latest/APIReference/API_KubernetesNetworkConfigRequest.html
    Raises InvalidParameterException for a block that is not private, not /12 to /24, or overlaps the VPC.
    """
    vpc = [ipaddress.IPv4Network(cidr) for cidr in vpc_cidrs]
    if wanted is None:
        in_ten = any(one.overlaps(_PRIVATE[0]) for one in vpc)
        return "172.20.0.0/16" if in_ten else "10.100.0.0/16"
    try:
        block = ipaddress.IPv4Network(wanted)
    except ValueError as error:
        raise invalid_parameter(f"serviceIpv4Cidr '{wanted}' is not an IPv4 block: {error}.") from error
    if not any(block.subnet_of(private) for private in _PRIVATE):
        raise invalid_parameter("serviceIpv4Cidr must be within 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16.")
    if not 12 <= block.prefixlen <= 24:
        raise invalid_parameter("serviceIpv4Cidr must be between /24 and /12.")
    if any(block.overlaps(one) for one in vpc):
        raise invalid_parameter("serviceIpv4Cidr overlaps with a CIDR block of the cluster's VPC.")
    return wanted


def check_cidrs(cidrs: list[str]) -> None:
    """Raise InvalidParameterException for a public access block that is not an IPv4 block."""
    for cidr in cidrs:
        try:
            ipaddress.IPv4Network(cidr)
        except ValueError as error:
            raise invalid_parameter(f"The public access CIDR '{cidr}' is not valid: {error}.") from error


async def create_cluster_security_group(context: Context, cluster: Cluster) -> str:
    """Make the cluster security group: all traffic among its members, all traffic out; the id.

    One that is there already is of an attempt that a restart of the sandbox broke off, and is used.
    """
    mine = [{"Name": "tag:aws:eks:cluster-name", "Values": [cluster.name]}]
    found = (await context.call("ec2", cluster, "describe_security_groups", Filters=mine))["SecurityGroups"]
    identity: str = found[0]["GroupId"] if found else await _create_group(context, cluster)
    rule = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": identity}]}
    if not (found and found[0]["IpPermissions"]):
        await context.call("ec2", cluster, "authorize_security_group_ingress", GroupId=identity, IpPermissions=[rule])
    return identity


async def _create_group(context: Context, cluster: Cluster) -> str:
    name = f"eks-cluster-sg-{cluster.name}-{random.randrange(10**8, 10**10)}"
    tags = {"Name": name, "aws:eks:cluster-name": cluster.name, f"kubernetes.io/cluster/{cluster.name}": "owned"}
    group = await context.call(
        "ec2",
        cluster,
        "create_security_group",
        GroupName=name,
        Description="EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, "
        "as well as any managed workloads.",
        VpcId=cluster.vpc_id,
        TagSpecifications=[{"ResourceType": "security-group", "Tags": tag_list(tags)}],
    )
    identity: str = group["GroupId"]
    return identity


async def delete_cluster_security_group(context: Context, cluster: Cluster) -> None:
    """Delete the cluster security group; one that is gone already is not an error."""
    if cluster.cluster_security_group_id is None:
        return
    try:
        await context.call("ec2", cluster, "delete_security_group", GroupId=cluster.cluster_security_group_id)
    except ClientError as error:
        if error.response["Error"]["Code"] != "InvalidGroup.NotFound":
            raise


def tag_list(tags: dict[str, str]) -> list[dict[str, Any]]:
    """Tags as EC2 wants them."""
    return [{"Key": key, "Value": value} for key, value in tags.items()]
