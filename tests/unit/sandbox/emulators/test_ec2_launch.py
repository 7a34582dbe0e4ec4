"""Launching instances: what the launch template says is what they get, and what cannot be is refused."""

from __future__ import annotations

import time
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.emulators import moto
from sandbox.emulators.ec2.instances import forget_terminated

from .world import USER_DATA, World, code


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


def test_an_instant_fleet_keeps_its_tags_when_its_instances_are_gone(world: World) -> None:
    made = world.fleet([world.override()])
    fleet, [instance] = made["FleetId"], made["Instances"][0]["InstanceIds"]
    world.ec2.terminate_instances(InstanceIds=[instance])
    tags = world.ec2.describe_tags(Filters=[{"Name": "resource-id", "Values": [fleet]}])["Tags"]
    assert tags == [{"Key": "pool", "ResourceId": fleet, "ResourceType": "fleet", "Value": "p"}]
    # It is shown to those alone who know its id.
    assert world.ec2.describe_fleets()["Fleets"] == []
    [found] = world.ec2.describe_fleets(FleetIds=[fleet])["Fleets"]
    assert (found["Type"], found["FleetState"]) == ("instant", "active")
    assert found["Tags"] == [{"Key": "pool", "Value": "p"}]
    with pytest.raises(ClientError) as error:
        world.ec2.describe_fleets(FleetIds=["fleet-12345678-1234-1234-1234-123456789012"])
    assert code(error) == "InvalidFleetId.NotFound"
