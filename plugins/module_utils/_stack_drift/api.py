# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Reads what a stack's resources are like. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Protocol

from .._aws.client import Client, side_by_side
from .model import Expected, Live

# kind -> operation, key of the answer, filter, key of the id, and what the filters' parameter is called. Filters, since
# an id that does not exist is an error and not an empty answer.
_LISTINGS = {
    "vpc": ("describe_vpcs", "Vpcs", "vpc-id", "VpcId", "Filters"),
    "subnet": ("describe_subnets", "Subnets", "subnet-id", "SubnetId", "Filters"),
    "gateway": (
        "describe_internet_gateways",
        "InternetGateways",
        "internet-gateway-id",
        "InternetGatewayId",
        "Filters",
    ),
    "table": ("describe_route_tables", "RouteTables", "route-table-id", "RouteTableId", "Filters"),
    "nat": ("describe_nat_gateways", "NatGateways", "nat-gateway-id", "NatGatewayId", "Filter"),
    "address": ("describe_addresses", "Addresses", "public-ip", "PublicIp", "Filters"),
    "endpoint": ("describe_vpc_endpoints", "VpcEndpoints", "vpc-id", "VpcEndpointId", "Filters"),
}
# type -> the kinds that are read for it, and the property that holds the id; empty: the resource itself.
_READS: dict[str, dict[str, str]] = {
    "AWS::EC2::VPC": {"vpc": ""},
    "AWS::EC2::Subnet": {"subnet": ""},
    "AWS::EC2::InternetGateway": {"gateway": ""},
    "AWS::EC2::RouteTable": {"table": ""},
    "AWS::EC2::NatGateway": {"nat": ""},
    "AWS::EC2::EIP": {"address": ""},
    "AWS::EC2::VPCEndpoint": {"endpoint": "VpcId", "table": "RouteTableIds"},
    "AWS::EC2::VPCGatewayAttachment": {"gateway": "InternetGatewayId", "vpc": "VpcId"},
    "AWS::EC2::Route": {"table": "RouteTableId"},
    "AWS::EC2::SubnetRouteTableAssociation": {"subnet": "SubnetId", "table": "RouteTableId"},
    "AWS::IAM::Role": {"role": ""},
}
KINDS = (*_LISTINGS, "role")


class Clients(Protocol):
    """What is asked of Aws: a client by the name of its service."""

    def client(self, service: str) -> Client:
        """The client."""


def ids_to_read(expected: Iterable[Expected]) -> dict[str, list[str]]:
    """The ids to ask for, by kind."""
    ids: dict[str, set[str]] = {}
    for item in expected:
        for kind, name in _READS.get(item.type, {}).items():
            value = item.properties.get(name) if name else item.physical_id
            ids.setdefault(kind, set()).update(value if isinstance(value, list) else [str(value)] if value else [])
    return {kind: sorted(found) for kind, found in ids.items() if found}


def observe(clients: Clients, expected: Iterable[Expected]) -> Live:
    """All that is there of the resources, read side by side. Raises AwsError."""
    jobs: dict[str, Callable[[], Any]] = {}
    for kind, ids in ids_to_read(expected).items():
        client = clients.client("iam" if kind == "role" else "ec2")
        jobs[kind] = partial(_roles, client, ids) if kind == "role" else partial(_listing, client, kind, ids)
    read = side_by_side(jobs)
    return {kind: read.get(kind, {}) for kind in KINDS}


def _listing(client: Client, kind: str, ids: list[str]) -> dict[str, Mapping[str, Any]]:
    operation, key, name, id_key, parameter = _LISTINGS[kind]
    filters = [{"Name": name, "Values": ids}]
    if (
        kind == "address"
    ):  # not paged: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAddresses.html
        items = client.call(operation, **{parameter: filters}).get(key, [])
    else:
        items = client.pages(operation, key, **{parameter: filters})
    if kind == "vpc":
        items = [item | _dns(client, item["VpcId"]) for item in items]
    return {item[id_key]: item for item in items}


def _dns(client: Client, vpc: str) -> dict[str, Any]:
    """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeVpcAttribute.html (one attribute a call)"""
    found = {}
    for name in ("EnableDnsSupport", "EnableDnsHostnames"):
        answer = client.call("describe_vpc_attribute", VpcId=vpc, Attribute=name[0].lower() + name[1:])
        found[name] = bool(answer[name]["Value"])
    return found


def _roles(client: Client, names: list[str]) -> dict[str, Mapping[str, Any]]:
    found = {}
    for name in names:
        answer = client.find("get_role", RoleName=name)
        if answer is not None:
            attached = client.pages("list_attached_role_policies", "AttachedPolicies", RoleName=name)
            arns = [item["PolicyArn"] for item in attached]
            found[name] = answer["Role"] | {"AttachedPolicyArns": arns}
    return found
