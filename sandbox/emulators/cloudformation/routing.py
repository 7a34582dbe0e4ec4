"""AWS::EC2:: RouteTable, Route, SubnetRouteTableAssociation.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/AWS_EC2.html
"""

from __future__ import annotations

from typing import Any

from sandbox.emulators.cloudformation.calls import Properties, Result, call, remove, tag_specification, update_tags
from sandbox.emulators.cloudformation.types import ResourceType

_TARGETS = (
    "GatewayId",
    "NatGatewayId",
    "InstanceId",
    "NetworkInterfaceId",
    "TransitGatewayId",
    "VpcPeeringConnectionId",
    "VpcEndpointId",
)
_DESTINATIONS = ("DestinationCidrBlock", "DestinationIpv6CidrBlock", "DestinationPrefixListId")


def _create_table(_: str, properties: Properties, __: str) -> Result:
    tags = tag_specification("route-table", properties)
    table = call("create_route_table", VpcId=properties.get("VpcId"), TagSpecifications=tags)["RouteTable"]
    return table["RouteTableId"], {"RouteTableId": table["RouteTableId"]}


def _update_table(table: str, old: Properties, new: Properties, _: str) -> Result:
    update_tags(table, old, new)
    return table, {"RouteTableId": table}


def _destination(properties: Properties) -> dict[str, Any]:
    return {name: properties[name] for name in _DESTINATIONS if properties.get(name)}


def _target(properties: Properties) -> dict[str, Any]:
    return {name: properties[name] for name in _TARGETS if properties.get(name)}


def _create_route(_: str, properties: Properties, __: str) -> Result:
    destination = _destination(properties)
    call("create_route", RouteTableId=properties.get("RouteTableId"), **destination, **_target(properties))
    value = next(iter(destination.values()), "")
    return f"{properties['RouteTableId']}|{value}", {"CidrBlock": value}


def _update_route(route: str, _: Properties, new: Properties, __: str) -> Result:
    destination = _destination(new)
    call("replace_route", RouteTableId=new.get("RouteTableId"), **destination, **_target(new))
    return route, {"CidrBlock": next(iter(destination.values()), "")}


def _delete_route(_: str, properties: Properties) -> None:
    remove("delete_route", RouteTableId=properties["RouteTableId"], **_destination(properties))


def _create_association(_: str, properties: Properties, __: str) -> Result:
    given = {name: properties.get(name) for name in ("RouteTableId", "SubnetId")}
    association = call("associate_route_table", **given)["AssociationId"]
    return association, {"Id": association}


TYPES = {
    "AWS::EC2::RouteTable": ResourceType(
        _create_table,
        lambda table, _: remove("delete_route_table", RouteTableId=table),
        _update_table,
        ("VpcId",),
        tagged=True,
    ),
    "AWS::EC2::Route": ResourceType(_create_route, _delete_route, _update_route, ("RouteTableId", *_DESTINATIONS)),
    "AWS::EC2::SubnetRouteTableAssociation": ResourceType(
        _create_association,
        lambda association, _: remove("disassociate_route_table", AssociationId=association),
        replacing=("RouteTableId", "SubnetId"),
    ),
}
