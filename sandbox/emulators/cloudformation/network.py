"""AWS::EC2:: VPC, Subnet, InternetGateway, VPCGatewayAttachment, EIP, NatGateway, VPCEndpoint.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/AWS_EC2.html
"""

from __future__ import annotations

import json
from typing import Any

from sandbox.emulators.cloudformation.calls import (
    Properties,
    Result,
    call,
    flag,
    remove,
    tag_specification,
    update_tags,
)
from sandbox.emulators.cloudformation.types import ResourceType

# VPC


def _vpc_attributes(vpc_id: str) -> dict[str, Any]:
    vpc = call("describe_vpcs", VpcIds=[vpc_id])["Vpcs"][0]
    of_vpc = [{"Name": "vpc-id", "Values": [vpc_id]}]
    groups = call("describe_security_groups", Filters=of_vpc)["SecurityGroups"]
    acls = call("describe_network_acls", Filters=of_vpc)["NetworkAcls"]
    return {
        "VpcId": vpc_id,
        "CidrBlock": vpc["CidrBlock"],
        "CidrBlockAssociations": [one["AssociationId"] for one in vpc.get("CidrBlockAssociationSet", [])],
        "DefaultSecurityGroup": next((one["GroupId"] for one in groups if one["GroupName"] == "default"), ""),
        "DefaultNetworkAcl": next((one["NetworkAclId"] for one in acls if one["IsDefault"]), ""),
        "Ipv6CidrBlocks": [],
    }


def _vpc_dns(vpc_id: str, properties: Properties) -> None:
    for name, default in (("EnableDnsSupport", True), ("EnableDnsHostnames", False)):
        call("modify_vpc_attribute", VpcId=vpc_id, **{name: {"Value": flag(properties.get(name, default))}})


def _create_vpc(_: str, properties: Properties, __: str) -> Result:
    vpc_id = call(
        "create_vpc",
        CidrBlock=properties.get("CidrBlock"),
        InstanceTenancy=properties.get("InstanceTenancy"),
        TagSpecifications=tag_specification("vpc", properties),
    )["Vpc"]["VpcId"]
    _vpc_dns(vpc_id, properties)
    return vpc_id, _vpc_attributes(vpc_id)


def _update_vpc(vpc_id: str, old: Properties, new: Properties, _: str) -> Result:
    _vpc_dns(vpc_id, new)
    update_tags(vpc_id, old, new)
    return vpc_id, _vpc_attributes(vpc_id)


# Subnet


def _subnet_attributes(subnet_id: str) -> dict[str, Any]:
    subnet = call("describe_subnets", SubnetIds=[subnet_id])["Subnets"][0]
    shown = {
        name: subnet[name] for name in ("AvailabilityZone", "AvailabilityZoneId", "CidrBlock", "SubnetId", "VpcId")
    }
    return shown | {"Ipv6CidrBlocks": []}


def _subnet_public(subnet_id: str, properties: Properties) -> None:
    value = {"Value": flag(properties.get("MapPublicIpOnLaunch", False))}
    call("modify_subnet_attribute", SubnetId=subnet_id, MapPublicIpOnLaunch=value)


def _create_subnet(_: str, properties: Properties, __: str) -> Result:
    subnet_id = call(
        "create_subnet",
        VpcId=properties.get("VpcId"),
        CidrBlock=properties.get("CidrBlock"),
        AvailabilityZone=properties.get("AvailabilityZone"),
        AvailabilityZoneId=properties.get("AvailabilityZoneId"),
        TagSpecifications=tag_specification("subnet", properties),
    )["Subnet"]["SubnetId"]
    _subnet_public(subnet_id, properties)
    return subnet_id, _subnet_attributes(subnet_id)


def _update_subnet(subnet_id: str, old: Properties, new: Properties, _: str) -> Result:
    _subnet_public(subnet_id, new)
    update_tags(subnet_id, old, new)
    return subnet_id, _subnet_attributes(subnet_id)


# Internet gateway and its attachment


def _create_gateway(_: str, properties: Properties, __: str) -> Result:
    tags = tag_specification("internet-gateway", properties)
    gateway = call("create_internet_gateway", TagSpecifications=tags)["InternetGateway"]["InternetGatewayId"]
    return gateway, {"InternetGatewayId": gateway}


def _update_gateway(gateway: str, old: Properties, new: Properties, _: str) -> Result:
    update_tags(gateway, old, new)
    return gateway, {"InternetGatewayId": gateway}


def _create_attachment(_: str, properties: Properties, __: str) -> Result:
    vpc_id, gateway = properties["VpcId"], properties["InternetGatewayId"]
    call("attach_internet_gateway", InternetGatewayId=gateway, VpcId=vpc_id)
    return f"IGW|{vpc_id}", {"AttachmentType": "IGW"}


def _delete_attachment(_: str, properties: Properties) -> None:
    remove("detach_internet_gateway", InternetGatewayId=properties["InternetGatewayId"], VpcId=properties["VpcId"])


# Elastic IP address: its physical id is the address


def _create_address(_: str, properties: Properties, __: str) -> Result:
    tags = tag_specification("elastic-ip", properties)
    address = call("allocate_address", Domain="vpc", TagSpecifications=tags)
    shown = {"AllocationId": address["AllocationId"], "PublicIp": address["PublicIp"]}
    return address["PublicIp"], shown


def _address(public_ip: str) -> dict[str, Any]:
    found: dict[str, Any] = call("describe_addresses", PublicIps=[public_ip])["Addresses"][0]
    return found


def _update_address(public_ip: str, old: Properties, new: Properties, _: str) -> Result:
    allocation = _address(public_ip)["AllocationId"]
    update_tags(allocation, old, new)
    return public_ip, {"AllocationId": allocation, "PublicIp": public_ip}


def _delete_address(public_ip: str, _: Properties) -> None:
    every = call("describe_addresses")["Addresses"]
    for address in every:
        if address.get("PublicIp") == public_ip:
            remove("release_address", AllocationId=address["AllocationId"])


# NAT gateway


def _create_nat(_: str, properties: Properties, __: str) -> Result:
    nat = call(
        "create_nat_gateway",
        SubnetId=properties.get("SubnetId"),
        AllocationId=properties.get("AllocationId"),
        ConnectivityType=properties.get("ConnectivityType"),
        TagSpecifications=tag_specification("natgateway", properties),
    )["NatGateway"]["NatGatewayId"]
    return nat, {"NatGatewayId": nat}


def _update_nat(nat: str, old: Properties, new: Properties, _: str) -> Result:
    update_tags(nat, old, new)
    return nat, {"NatGatewayId": nat}


# VPC endpoint


def _endpoint_attributes(endpoint: dict[str, Any]) -> dict[str, Any]:
    return {
        "Id": endpoint["VpcEndpointId"],
        "CreationTimestamp": str(endpoint.get("CreationTimestamp", "")),
        "DnsEntries": [f"{one.get('HostedZoneId')}:{one.get('DnsName')}" for one in endpoint.get("DnsEntries") or []],
        "NetworkInterfaceIds": endpoint.get("NetworkInterfaceIds") or [],
    }


def _create_endpoint(_: str, properties: Properties, __: str) -> Result:
    policy = properties.get("PolicyDocument")
    endpoint = call(
        "create_vpc_endpoint",
        VpcId=properties.get("VpcId"),
        ServiceName=properties.get("ServiceName"),
        VpcEndpointType=properties.get("VpcEndpointType", "Gateway"),
        RouteTableIds=properties.get("RouteTableIds"),
        SubnetIds=properties.get("SubnetIds"),
        SecurityGroupIds=properties.get("SecurityGroupIds"),
        PrivateDnsEnabled=flag(properties["PrivateDnsEnabled"]) if "PrivateDnsEnabled" in properties else None,
        PolicyDocument=json.dumps(policy) if isinstance(policy, dict) else policy,
        TagSpecifications=tag_specification("vpc-endpoint", properties),
    )["VpcEndpoint"]
    return endpoint["VpcEndpointId"], _endpoint_attributes(endpoint)


def _update_endpoint(endpoint: str, old: Properties, new: Properties, _: str) -> Result:
    update_tags(endpoint, old, new)
    shown = call("describe_vpc_endpoints", VpcEndpointIds=[endpoint])["VpcEndpoints"][0]
    return endpoint, _endpoint_attributes(shown)


TYPES = {
    "AWS::EC2::VPC": ResourceType(
        _create_vpc,
        lambda vpc, _: remove("delete_vpc", VpcId=vpc),
        _update_vpc,
        ("CidrBlock", "InstanceTenancy", "Ipv4IpamPoolId", "Ipv4NetmaskLength"),
        tagged=True,
    ),
    "AWS::EC2::Subnet": ResourceType(
        _create_subnet,
        lambda subnet, _: remove("delete_subnet", SubnetId=subnet),
        _update_subnet,
        ("VpcId", "CidrBlock", "AvailabilityZone", "AvailabilityZoneId"),
        tagged=True,
    ),
    "AWS::EC2::InternetGateway": ResourceType(
        _create_gateway,
        lambda gateway, _: remove("delete_internet_gateway", InternetGatewayId=gateway),
        _update_gateway,
        tagged=True,
    ),
    "AWS::EC2::VPCGatewayAttachment": ResourceType(
        _create_attachment, _delete_attachment, replacing=("VpcId", "InternetGatewayId")
    ),
    "AWS::EC2::EIP": ResourceType(_create_address, _delete_address, _update_address, ("Domain",), tagged=True),
    "AWS::EC2::NatGateway": ResourceType(
        _create_nat,
        lambda nat, _: remove("delete_nat_gateway", NatGatewayId=nat),
        _update_nat,
        ("SubnetId", "AllocationId", "ConnectivityType"),
        tagged=True,
    ),
    "AWS::EC2::VPCEndpoint": ResourceType(
        _create_endpoint,
        lambda endpoint, _: remove("delete_vpc_endpoints", VpcEndpointIds=[endpoint]),
        _update_endpoint,
        (
            "VpcId",
            "ServiceName",
            "VpcEndpointType",
            "RouteTableIds",
            "SubnetIds",
            "SecurityGroupIds",
            "PolicyDocument",
            "PrivateDnsEnabled",
        ),
        tagged=True,
    ),
}
