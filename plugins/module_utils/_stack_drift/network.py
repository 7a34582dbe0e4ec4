# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What of a network was changed by hand, and the call that puts it right. Pure: standard library only. Private.

Names of properties: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/AWS_EC2.html
Names of calls: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .model import Call, Drift, Expected, Live, gone

Compare = Callable[[Expected, Live], Iterator[Drift]]
# A gateway or endpoint that was deleted is listed for a while with its state:
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_NatGateway.html
_ENDED = frozenset({"deleting", "deleted", "failed", "rejected", "expired"})
_TARGETS = ("GatewayId", "NatGatewayId")


def _ec2(operation: str, **parameters: Any) -> Call:
    return Call("ec2", operation, parameters)


def _tagged(resource: Expected, have: Mapping[str, Any], target: str) -> Iterator[Drift]:
    """Tags that are missing or have another value; further tags are somebody else's."""
    tags = {item["Key"]: item["Value"] for item in have.get("Tags") or []}
    put = {key: value for key, value in resource.tags.items() if tags.get(key) != value}
    if put:
        listed = [{"Key": key, "Value": value} for key, value in put.items()]
        before = {key: tags[key] for key in put if key in tags}
        yield Drift(resource, "Tags", before, put, _ec2("create_tags", Resources=[target], Tags=listed))


def _part(kind: str) -> Compare:
    """A thing that is there or not, with its tags."""

    def compare(resource: Expected, live: Live) -> Iterator[Drift]:
        have = live[kind].get(resource.physical_id)
        if have is None or str(have.get("State", "")).lower() in _ENDED:
            yield gone(resource)
        else:
            yield from _tagged(resource, have, str(have.get("AllocationId") or resource.physical_id))

    return compare


def _vpc(resource: Expected, live: Live) -> Iterator[Drift]:
    yield from _part("vpc")(resource, live)
    have = live["vpc"].get(resource.physical_id, {})
    for name in ("EnableDnsSupport", "EnableDnsHostnames"):
        if name in have and name in resource.properties and have[name] != resource.flag(name):
            call = _ec2("modify_vpc_attribute", VpcId=resource.physical_id, **{name: {"Value": resource.flag(name)}})
            yield Drift(resource, name, have[name], resource.flag(name), call)


def _subnet(resource: Expected, live: Live) -> Iterator[Drift]:
    yield from _part("subnet")(resource, live)
    have, wanted = live["subnet"].get(resource.physical_id, {}), resource.flag("MapPublicIpOnLaunch")
    if have and bool(have.get("MapPublicIpOnLaunch")) != wanted:
        value = {"Value": wanted}
        call = _ec2("modify_subnet_attribute", SubnetId=resource.physical_id, MapPublicIpOnLaunch=value)
        yield Drift(resource, "MapPublicIpOnLaunch", not wanted, wanted, call)


def _endpoint(resource: Expected, live: Live) -> Iterator[Drift]:
    found = list(_part("endpoint")(resource, live))
    yield from found
    tables = resource.properties.get("RouteTableIds") or []
    have = live["endpoint"].get(resource.physical_id)
    if have is None or any(drift.call is None for drift in found):
        return
    lacking = [table for table in tables if table not in (have.get("RouteTableIds") or []) and table in live["table"]]
    if lacking:
        call = _ec2("modify_vpc_endpoint", VpcEndpointId=resource.physical_id, AddRouteTableIds=lacking)
        yield Drift(resource, "RouteTableIds", have.get("RouteTableIds") or [], tables, call)


def _attachment(resource: Expected, live: Live) -> Iterator[Drift]:
    vpc, gateway = resource.text("VpcId"), resource.text("InternetGatewayId")
    have = live["gateway"].get(gateway)
    if have is None or vpc not in live["vpc"]:
        return  # told of the gateway or the VPC itself
    attached = [item["VpcId"] for item in have.get("Attachments") or []]
    if vpc not in attached:
        # A gateway is in one VPC at a time; in another one it is somebody's decision.
        call = None if attached else _ec2("attach_internet_gateway", InternetGatewayId=gateway, VpcId=vpc)
        yield Drift(resource, "VpcId", ", ".join(attached) or None, vpc, call)


def _route(resource: Expected, live: Live) -> Iterator[Drift]:
    table, destination = resource.text("RouteTableId"), resource.text("DestinationCidrBlock")
    wanted = {name: resource.text(name) for name in _TARGETS if resource.text(name)}
    if table not in live["table"] or not destination or not wanted:
        return
    routes = live["table"][table].get("Routes") or []
    have = next((item for item in routes if item.get("DestinationCidrBlock") == destination), None)
    if have is None or any(have.get(name) != value for name, value in wanted.items()):
        operation = "create_route" if have is None else "replace_route"
        call = _ec2(operation, RouteTableId=table, DestinationCidrBlock=destination, **wanted)
        before = None if have is None else {name: have[name] for name in have if name.endswith("Id")}
        yield Drift(resource, destination, before, wanted, call)


def _association(resource: Expected, live: Live) -> Iterator[Drift]:
    """Made anew, an association has another id, which the stack would not know, so that it cannot be put right here."""
    subnet, table = resource.text("SubnetId"), resource.text("RouteTableId")
    if subnet not in live["subnet"] or table not in live["table"]:
        return  # told of the subnet or the table itself
    associations = live["table"][table].get("Associations") or []
    if resource.physical_id not in [item["RouteTableAssociationId"] for item in associations]:
        yield gone(resource)


COMPARE: dict[str, Compare] = {
    "AWS::EC2::VPC": _vpc,
    "AWS::EC2::Subnet": _subnet,
    "AWS::EC2::InternetGateway": _part("gateway"),
    "AWS::EC2::RouteTable": _part("table"),
    "AWS::EC2::NatGateway": _part("nat"),
    "AWS::EC2::EIP": _part("address"),
    "AWS::EC2::VPCEndpoint": _endpoint,
    "AWS::EC2::VPCGatewayAttachment": _attachment,
    "AWS::EC2::Route": _route,
    "AWS::EC2::SubnetRouteTableAssociation": _association,
}
