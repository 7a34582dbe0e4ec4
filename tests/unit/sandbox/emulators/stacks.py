"""A network's template and a CloudFormation client that waits, for the tests of stacks."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.waiting import until

NETWORK: dict[str, Any] = {
    "AWSTemplateFormatVersion": "2010-09-09",
    "Parameters": {"ClusterName": {"Type": "String", "Default": "demo"}},
    "Resources": {
        "Vpc": {
            "Type": "AWS::EC2::VPC",
            "Properties": {
                "CidrBlock": "10.42.0.0/16",
                "EnableDnsHostnames": True,
                "Tags": [{"Key": "Name", "Value": {"Ref": "ClusterName"}}],
            },
        },
        "Gateway": {"Type": "AWS::EC2::InternetGateway"},
        "Attachment": {
            "Type": "AWS::EC2::VPCGatewayAttachment",
            "Properties": {"VpcId": {"Ref": "Vpc"}, "InternetGatewayId": {"Ref": "Gateway"}},
        },
        "PublicTable": {"Type": "AWS::EC2::RouteTable", "Properties": {"VpcId": {"Ref": "Vpc"}}},
        "PublicRoute": {
            "Type": "AWS::EC2::Route",
            "DependsOn": "Attachment",
            "Properties": {
                "RouteTableId": {"Ref": "PublicTable"},
                "DestinationCidrBlock": "0.0.0.0/0",
                "GatewayId": {"Ref": "Gateway"},
            },
        },
        "PublicA": {
            "Type": "AWS::EC2::Subnet",
            "Properties": {
                "VpcId": {"Ref": "Vpc"},
                "CidrBlock": {"Fn::Select": [0, {"Fn::Cidr": [{"Fn::GetAtt": "Vpc.CidrBlock"}, 4, 12]}]},
                "AvailabilityZone": {"Fn::Select": [0, {"Fn::GetAZs": ""}]},
                "MapPublicIpOnLaunch": True,
                "Tags": [{"Key": "karpenter.sh/discovery", "Value": {"Ref": "ClusterName"}}],
            },
        },
        "PublicAAssociation": {
            "Type": "AWS::EC2::SubnetRouteTableAssociation",
            "Properties": {"SubnetId": {"Ref": "PublicA"}, "RouteTableId": {"Ref": "PublicTable"}},
        },
        "Address": {"Type": "AWS::EC2::EIP", "Properties": {"Domain": "vpc"}},
        "Nat": {
            "Type": "AWS::EC2::NatGateway",
            "Properties": {"SubnetId": {"Ref": "PublicA"}, "AllocationId": {"Fn::GetAtt": "Address.AllocationId"}},
        },
        "Group": {
            "Type": "AWS::EC2::SecurityGroup",
            "Properties": {
                "GroupDescription": "nodes",
                "VpcId": {"Ref": "Vpc"},
                "SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "10.0.0.0/8"}],
            },
        },
        "Self": {
            "Type": "AWS::EC2::SecurityGroupIngress",
            "Properties": {
                "GroupId": {"Ref": "Group"},
                "IpProtocol": "-1",
                "SourceSecurityGroupId": {"Ref": "Group"},
            },
        },
        "Endpoint": {
            "Type": "AWS::EC2::VPCEndpoint",
            "Properties": {
                "VpcId": {"Ref": "Vpc"},
                "ServiceName": {"Fn::Sub": "com.amazonaws.${AWS::Region}.s3"},
                "RouteTableIds": [{"Ref": "PublicTable"}],
            },
        },
    },
    "Outputs": {
        "VpcId": {"Value": {"Ref": "Vpc"}},
        "DefaultGroup": {"Value": {"Fn::GetAtt": "Vpc.DefaultSecurityGroup"}},
        "Zone": {"Value": {"Fn::GetAtt": "PublicA.AvailabilityZone"}},
        "Subnet": {"Value": {"Ref": "PublicA"}},
    },
}


class Stacks:
    """A CloudFormation client that waits."""

    def __init__(self, aws: Any, region: str = "us-west-2") -> None:
        self.client = aws.client("cloudformation", region)
        self.ec2 = aws.client("ec2", region)

    def settled(self, name: str) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            stack: dict[str, Any] = self.client.describe_stacks(StackName=name)["Stacks"][0]
            return None if stack["StackStatus"].endswith("_IN_PROGRESS") else stack

        settled: dict[str, Any] = until(look, f"the end of what goes on with {name}")
        return settled

    def create(self, name: str, template: dict[str, Any], **more: Any) -> dict[str, Any]:
        more.setdefault("Capabilities", ["CAPABILITY_NAMED_IAM"])
        arn = self.client.create_stack(StackName=name, TemplateBody=json.dumps(template), **more)["StackId"]
        return self.settled(arn)

    def update(self, name: str, template: dict[str, Any], **more: Any) -> dict[str, Any]:
        more.setdefault("Capabilities", ["CAPABILITY_NAMED_IAM"])
        self.client.update_stack(StackName=name, TemplateBody=json.dumps(template), **more)
        return self.settled(name)

    def delete(self, stack_id: str) -> dict[str, Any]:
        self.client.delete_stack(StackName=stack_id)
        return self.settled(stack_id)

    def reasons(self, stack_id: str, status: str) -> list[str]:
        events = self.client.describe_stack_events(StackName=stack_id)["StackEvents"]
        return [one.get("ResourceStatusReason", "") for one in events if one["ResourceStatus"] == status]


def outputs(stack: dict[str, Any]) -> dict[str, str]:
    return {one["OutputKey"]: one["OutputValue"] for one in stack["Outputs"]}


def counts(ec2: Any) -> dict[str, int]:
    return {
        "vpcs": len(ec2.describe_vpcs()["Vpcs"]),
        "subnets": len(ec2.describe_subnets()["Subnets"]),
        "tables": len(ec2.describe_route_tables()["RouteTables"]),
        "groups": len(ec2.describe_security_groups()["SecurityGroups"]),
        "gateways": len(ec2.describe_internet_gateways()["InternetGateways"]),
        "addresses": len(ec2.describe_addresses()["Addresses"]),
        "interfaces": len(ec2.describe_network_interfaces()["NetworkInterfaces"]),
        "tags": len(ec2.describe_tags(Filters=[{"Name": "resource-type", "Values": ["vpc", "subnet"]}])["Tags"]),
    }
