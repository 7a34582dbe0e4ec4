"""Launching instances: what the launch template says is what they get, and what cannot be is refused."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.emulators import moto
from sandbox.emulators.ec2.instances import forget_terminated

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


@pytest.fixture
def world(aws: Any) -> World:
    return World(aws)


def code(error: pytest.ExceptionInfo[ClientError]) -> str:
    return str(error.value.response["Error"]["Code"])


def test_fleet_launches_what_the_template_says(world: World) -> None:
    answer = world.fleet([world.override()])
    assert answer["Errors"] == []
    [launched] = answer["Instances"]
    assert launched["InstanceType"] == "c6a.large"
    assert launched["LaunchTemplateAndOverrides"]["Overrides"]["AvailabilityZone"] == "us-west-2b"
    instance = world.instance(launched["InstanceIds"][0])
    assert [group["GroupId"] for group in instance["SecurityGroups"]] == [world.group]
    assert instance["IamInstanceProfile"]["Arn"] == world.profile["InstanceProfile"]["Arn"]
    assert instance["SubnetId"] == world.subnets["us-west-2b"]
    assert instance["Placement"]["AvailabilityZone"] == "us-west-2b"
    assert instance["Placement"]["AvailabilityZoneId"].startswith("usw2-az")
    assert instance["Architecture"] == "x86_64"
    assert (
        instance["PrivateDnsName"] == f"ip-{instance['PrivateIpAddress'].replace('.', '-')}.us-west-2.compute.internal"
    )
    assert instance["MetadataOptions"]["HttpTokens"] == "required"
    tags = {tag["Key"]: tag["Value"] for tag in instance["Tags"]}
    assert tags["pool"] == "p"
    assert tags["aws:ec2:fleet-id"] == answer["FleetId"]
    assert tags["aws:ec2launchtemplate:version"] == "1"
    assert "SpotInstanceRequestId" not in instance
    assert instance["State"]["Name"] in ("pending", "running")


def test_interface_and_volume_come_and_go_with_the_instance(world: World) -> None:
    [instance_id] = world.fleet([world.override()])["Instances"][0]["InstanceIds"]
    [interface] = world.instance(instance_id)["NetworkInterfaces"]
    shown = world.ec2.describe_network_interfaces(NetworkInterfaceIds=[interface["NetworkInterfaceId"]])
    assert {tag["Key"] for tag in shown["NetworkInterfaces"][0]["TagSet"]} == {"of"}
    [volume] = world.ec2.describe_volumes()["Volumes"]
    assert (volume["Size"], volume["VolumeType"]) == (30, "gp3")
    assert {tag["Key"] for tag in volume["Tags"]} == {"pool"}
    world.ec2.terminate_instances(InstanceIds=[instance_id])
    assert world.ec2.describe_volumes()["Volumes"] == []
    assert world.ec2.describe_network_interfaces()["NetworkInterfaces"] == []
    assert world.instance(instance_id)["State"]["Name"] == "terminated"
    assert world.ec2.describe_tags(Filters=[{"Name": "resource-type", "Values": ["volume"]}])["Tags"] == []
    again = world.ec2.terminate_instances(InstanceIds=[instance_id])["TerminatingInstances"][0]
    assert again["PreviousState"]["Name"] == "terminated"


def test_addresses_of_instances_differ(world: World) -> None:
    names = {
        world.instance(world.fleet([world.override()])["Instances"][0]["InstanceIds"][0])["PrivateDnsName"]
        for _ in range(5)
    }
    assert len(names) == 5


def test_user_data_can_be_read_back(world: World) -> None:
    [instance_id] = world.fleet([world.override()])["Instances"][0]["InstanceIds"]
    answer = world.ec2.describe_instance_attribute(InstanceId=instance_id, Attribute="userData")
    assert answer["UserData"]["Value"] == USER_DATA
    versions = world.ec2.describe_launch_template_versions(LaunchTemplateName="nodes")["LaunchTemplateVersions"]
    assert versions[0]["LaunchTemplateData"]["UserData"] == USER_DATA
    assert versions[0]["LaunchTemplateData"]["TagSpecifications"] == world.template["TagSpecifications"]


def test_groups_of_a_running_instance_can_be_changed(world: World) -> None:
    [instance_id] = world.fleet([world.override()])["Instances"][0]["InstanceIds"]
    other = world.ec2.create_security_group(GroupName="other", Description="o", VpcId=world.vpc)["GroupId"]
    world.ec2.modify_instance_attribute(InstanceId=instance_id, Groups=[other])
    assert [group["GroupId"] for group in world.instance(instance_id)["SecurityGroups"]] == [other]


def test_spot_is_cheapest_first_and_marked(world: World) -> None:
    overrides = [world.override("m5.24xlarge"), world.override("c6a.large"), world.override("m5.4xlarge")]
    [launched] = world.fleet(overrides, spot=True)["Instances"]
    assert (launched["InstanceType"], launched["Lifecycle"]) == ("c6a.large", "spot")
    instance = world.instance(launched["InstanceIds"][0])
    assert instance["SpotInstanceRequestId"].startswith("sir-")
    assert instance["InstanceLifecycle"] == "spot"


def test_prioritized_fleets_follow_the_priorities(world: World) -> None:
    overrides = [world.override("c6a.large") | {"Priority": 2.0}, world.override("m5.4xlarge") | {"Priority": 1.0}]
    [launched] = world.fleet(overrides, OnDemandOptions={"AllocationStrategy": "prioritized"})["Instances"]
    assert launched["InstanceType"] == "m5.4xlarge"


def test_fleet_reports_the_override_that_cannot_be_and_takes_the_next(world: World) -> None:
    # a1 is not offered in every zone, and its architecture is not the image's: both are the override's own trouble
    offered = world.ec2.describe_instance_type_offerings(
        LocationType="availability-zone", Filters=[{"Name": "instance-type", "Values": ["m1.small"]}]
    )["InstanceTypeOfferings"]
    missing = sorted(set(world.subnets) - {one["Location"] for one in offered})[0]
    answer = world.fleet([world.override("m1.small", missing), world.override("c6a.48xlarge")])
    assert [error["ErrorCode"] for error in answer["Errors"]] == ["Unsupported"]
    assert answer["Instances"][0]["InstanceType"] == "c6a.48xlarge"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"ImageId": "ami-00000000000000000"}, "InvalidAMIID.NotFound"),
        ({"SubnetId": "subnet-00000000"}, "InvalidSubnetID.NotFound"),
        ({"InstanceType": "m6g.large"}, "InvalidParameterValue"),
        ({"SecurityGroupIds": ["sg-00000000"]}, "InvalidGroup.NotFound"),
        ({"IamInstanceProfile": {"Name": "nobody"}}, "InvalidParameterValue"),
        ({"LaunchTemplate": {"LaunchTemplateName": "nothing"}}, "InvalidLaunchTemplateName.NotFoundException"),
        ({"LaunchTemplate": {"LaunchTemplateId": "lt-00000000000000000"}}, "InvalidLaunchTemplateId.NotFound"),
    ],
)
def test_run_instances_refuses_what_does_not_exist(world: World, change: dict[str, Any], expected: str) -> None:
    given = {
        "InstanceType": "c6a.large",
        "LaunchTemplate": {"LaunchTemplateName": "nodes"},
        "SubnetId": world.subnets["us-west-2a"],
    } | change
    with pytest.raises(ClientError) as error:
        world.ec2.run_instances(MinCount=1, MaxCount=1, **given)
    assert code(error) == expected
    assert world.ec2.describe_instances()["Reservations"] == []


def test_a_full_subnet_is_said_to_be_full(world: World) -> None:
    vpc = world.ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnet = world.ec2.create_subnet(VpcId=vpc, CidrBlock="10.9.0.0/28", AvailabilityZone="us-west-2a")["Subnet"][
        "SubnetId"
    ]
    given = {"ImageId": world.image, "InstanceType": "c6a.large", "SubnetId": subnet, "MinCount": 1, "MaxCount": 1}
    for _ in range(11):
        world.ec2.run_instances(**given)
    with pytest.raises(ClientError) as error:
        world.ec2.run_instances(**given)
    assert code(error) == "InsufficientFreeAddressesInSubnet"


def test_several_instances_of_one_call_share_a_reservation(world: World) -> None:
    answer = world.ec2.run_instances(
        ImageId=world.image, InstanceType="c6a.large", MinCount=3, MaxCount=3, SubnetId=world.subnets["us-west-2a"]
    )
    assert [one["AmiLaunchIndex"] for one in answer["Instances"]] == [0, 1, 2]
    assert len(world.ec2.describe_instances()["Reservations"]) == 1


def test_a_repeated_client_token_launches_nothing_new(world: World) -> None:
    answers = [world.fleet([world.override()], ClientToken="again") for _ in range(2)]
    assert answers[0]["Instances"] == answers[1]["Instances"]
    given = {"ImageId": world.image, "InstanceType": "c6a.large", "MinCount": 1, "MaxCount": 1, "ClientToken": "again"}
    ids = {world.ec2.run_instances(**given)["Instances"][0]["InstanceId"] for _ in range(2)}
    assert len(ids) == 1
    assert len(world.ec2.describe_instances()["Reservations"]) == 2


def test_terminated_instances_are_shown_for_an_hour(world: World, aws: Any) -> None:
    [instance_id] = world.fleet([world.override()])["Instances"][0]["InstanceIds"]
    world.ec2.terminate_instances(InstanceIds=[instance_id])
    backend = moto.ec2_backend(aws.id, "us-west-2")
    forget_terminated(backend, time.time() + 3500)
    assert world.instance(instance_id)["State"]["Name"] == "terminated"
    forget_terminated(backend, time.time() + 3700)
    assert world.ec2.describe_instances()["Reservations"] == []
    assert world.ec2.describe_tags(Filters=[{"Name": "resource-id", "Values": [instance_id]}])["Tags"] == []


def test_dry_runs_create_nothing(world: World) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: world.fleet([world.override()], DryRun=True),
        lambda: world.ec2.run_instances(
            LaunchTemplate={"LaunchTemplateName": "nodes"},
            InstanceType="c6a.large",
            MinCount=1,
            MaxCount=1,
            DryRun=True,
        ),
        lambda: world.ec2.create_launch_template(
            LaunchTemplateName="dry", LaunchTemplateData={"ImageId": world.image}, DryRun=True
        ),
    ]
    for call in calls:
        with pytest.raises(ClientError) as error:
            call()
        assert code(error) == "DryRunOperation"
        assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 412
    assert world.ec2.describe_instances()["Reservations"] == []
    assert len(world.ec2.describe_launch_templates()["LaunchTemplates"]) == 1


def test_filters_of_the_same_name_are_joined(world: World) -> None:
    [instance_id] = world.fleet([world.override()])["Instances"][0]["InstanceIds"]
    both = [{"Name": "tag-key", "Values": ["absent"]}, {"Name": "tag-key", "Values": ["pool"]}]
    assert world.ec2.describe_instances(Filters=both)["Reservations"] == []
    assert world.ec2.describe_instances(Filters=both[::-1])["Reservations"] == []
    assert (
        world.ec2.describe_instances(Filters=both[1:])["Reservations"][0]["Instances"][0]["InstanceId"] == instance_id
    )


def test_more_than_fifteen_launch_templates_are_listed(world: World) -> None:
    for number in range(20):
        world.ec2.create_launch_template(
            LaunchTemplateName=f"many-{number}", LaunchTemplateData={"ImageId": world.image}
        )
    assert len(world.ec2.describe_launch_templates()["LaunchTemplates"]) == 21
    pages = world.ec2.get_paginator("describe_launch_templates").paginate(PaginationConfig={"PageSize": 5})
    assert len({one["LaunchTemplateId"] for page in pages for one in page["LaunchTemplates"]}) == 21
    one = world.ec2.describe_launch_templates()["LaunchTemplates"][0]["LaunchTemplateId"]
    world.ec2.create_tags(Resources=[one], Tags=[{"Key": "late", "Value": "1"}])
    assert (
        world.ec2.describe_launch_templates(LaunchTemplateIds=[one])["LaunchTemplates"][0]["Tags"][0]["Key"] == "late"
    )
    world.ec2.delete_launch_template(LaunchTemplateId=one)
    with pytest.raises(ClientError) as error:
        world.ec2.delete_launch_template(LaunchTemplateId=one)
    assert code(error) == "InvalidLaunchTemplateId.NotFound"


def test_tagging_an_instance_that_never_was_fails(world: World) -> None:
    with pytest.raises(ClientError) as error:
        world.ec2.create_tags(Resources=["i-00000000000000000"], Tags=[{"Key": "a", "Value": "b"}])
    assert code(error) == "InvalidInstanceID.NotFound"


def test_what_cannot_be_made_is_listed_as_none(world: World) -> None:
    assert world.ec2.describe_capacity_reservations()["CapacityReservations"] == []
    assert world.ec2.describe_placement_groups()["PlacementGroups"] == []
    with pytest.raises(ClientError) as error:
        world.ec2.describe_placement_groups(GroupNames=["x"])
    assert code(error) == "InvalidPlacementGroup.Unknown"


def test_instance_status_and_spot_prices(world: World) -> None:
    [instance_id] = world.fleet([world.override()])["Instances"][0]["InstanceIds"]
    [status] = world.ec2.describe_instance_status(InstanceIds=[instance_id])["InstanceStatuses"]
    assert status["InstanceStatus"]["Status"] == "ok"
    prices = world.ec2.describe_spot_price_history(InstanceTypes=["c6a.large"], ProductDescriptions=["Linux/UNIX"])
    by_zone = {one["AvailabilityZone"]: float(one["SpotPrice"]) for one in prices["SpotPriceHistory"]}
    assert set(by_zone) >= {"us-west-2a", "us-west-2b", "us-west-2c"}
    assert all(0.02 < price < 0.0765 for price in by_zone.values())


def test_a_profile_can_be_put_on_a_running_instance(world: World) -> None:
    [instance] = world.ec2.run_instances(ImageId=world.image, InstanceType="c6a.large", MinCount=1, MaxCount=1)[
        "Instances"
    ]
    world.ec2.associate_iam_instance_profile(
        InstanceId=instance["InstanceId"], IamInstanceProfile={"Name": "karpenter-nodes"}
    )
    arn = world.instance(instance["InstanceId"])["IamInstanceProfile"]["Arn"]
    assert arn == world.profile["InstanceProfile"]["Arn"]
