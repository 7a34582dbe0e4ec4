"""What a launch needs: a VPC, an image, a profile and a launch template like Karpenter's."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from botocore.exceptions import ClientError

AMI = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id"
USER_DATA = base64.b64encode(b"MIME-Version: 1.0\n").decode()


class World:
    """A VPC, a launch template like Karpenter's, and what it names."""

    def __init__(self, aws: Any) -> None:
        self.ec2 = aws.client("ec2")
        self.image = aws.client("ssm").get_parameter(Name=AMI)["Parameter"]["Value"]
        subnets = self.ec2.describe_subnets()["Subnets"]
        self.subnets = {one["AvailabilityZone"]: one["SubnetId"] for one in subnets}
        self.vpc = subnets[0]["VpcId"]
        self.group = self.ec2.create_security_group(GroupName="node", Description="n", VpcId=self.vpc)["GroupId"]
        iam = aws.client("iam")
        self.profile = iam.create_instance_profile(InstanceProfileName="karpenter-nodes", Path="/karpenter/")
        self.template: dict[str, Any] = {
            "ImageId": self.image,
            "SecurityGroupIds": [self.group],
            "IamInstanceProfile": {"Name": "karpenter-nodes"},
            "UserData": USER_DATA,
            "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 30, "VolumeType": "gp3"}}],
            "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 1},
            "TagSpecifications": [{"ResourceType": "network-interface", "Tags": [{"Key": "of", "Value": "eni"}]}],
        }
        self.ec2.create_launch_template(LaunchTemplateName="nodes", LaunchTemplateData=self.template)

    def fleet(self, overrides: list[dict[str, Any]], spot: bool = False, **more: Any) -> Any:
        tags = [
            {"ResourceType": kind, "Tags": [{"Key": "pool", "Value": "p"}]} for kind in ("instance", "volume", "fleet")
        ]
        return self.ec2.create_fleet(
            Type="instant",
            LaunchTemplateConfigs=[
                {
                    "LaunchTemplateSpecification": {"LaunchTemplateName": "nodes", "Version": "$Latest"},
                    "Overrides": overrides,
                }
            ],
            TargetCapacitySpecification={
                "TotalTargetCapacity": 1,
                "DefaultTargetCapacityType": "spot" if spot else "on-demand",
            },
            TagSpecifications=tags,
            **more,
        )

    def override(self, kind: str = "c6a.large", zone: str = "us-west-2b") -> dict[str, Any]:
        return {"InstanceType": kind, "SubnetId": self.subnets[zone], "ImageId": self.image, "AvailabilityZone": zone}

    def instance(self, instance_id: str) -> Any:
        return self.ec2.describe_instances(InstanceIds=[instance_id])["Reservations"][0]["Instances"][0]


def code(error: pytest.ExceptionInfo[ClientError]) -> str:
    return str(error.value.response["Error"]["Code"])
