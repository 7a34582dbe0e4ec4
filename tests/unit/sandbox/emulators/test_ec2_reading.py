"""Looking at instances, templates and prices; dry runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from .world import World, code


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


def test_a_volume_of_no_snapshot_says_so(world: World) -> None:
    """CreateVolume and DescribeVolumes have an empty SnapshotId then; clients such as ec2_vol_info rely on it.

    https://docs.aws.amazon.com/cli/latest/reference/ec2/create-volume.html#examples
    """
    made = world.ec2.create_volume(AvailabilityZone="us-west-2a", Size=1, VolumeType="gp3")
    assert made["SnapshotId"] == ""
    [shown] = world.ec2.describe_volumes(VolumeIds=[made["VolumeId"]])["Volumes"]
    assert (shown["SnapshotId"], shown["Iops"], shown["Throughput"]) == ("", 3000, 125)
    snapshot = world.ec2.create_snapshot(VolumeId=made["VolumeId"])["SnapshotId"]
    copy = world.ec2.create_volume(AvailabilityZone="us-west-2a", SnapshotId=snapshot)
    assert copy["SnapshotId"] == snapshot
    filters = [{"Name": "snapshot-id", "Values": [snapshot]}]
    assert [one["VolumeId"] for one in world.ec2.describe_volumes(Filters=filters)["Volumes"]] == [copy["VolumeId"]]


def test_volumes_of_instances_are_what_image_and_launch_say(world: World) -> None:
    """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html"""
    disk = {"VolumeSize": 30, "VolumeType": "gp3", "Iops": 4000, "Throughput": 250}
    blank = {"VolumeSize": 5, "VolumeType": "gp3"}
    world.ec2.run_instances(
        ImageId=world.image,
        InstanceType="c6a.large",
        MinCount=1,
        MaxCount=1,
        BlockDeviceMappings=[{"DeviceName": "/dev/xvda", "Ebs": disk}, {"DeviceName": "/dev/xvdb", "Ebs": blank}],
    )
    [of_image] = world.ec2.describe_images(ImageIds=[world.image])["Images"][0]["BlockDeviceMappings"]
    found = {one["Attachments"][0]["Device"]: one for one in world.ec2.describe_volumes()["Volumes"]}
    root = found["/dev/xvda"]
    assert {"VolumeSize": root["Size"]} | {key: root[key] for key in disk if key != "VolumeSize"} == disk
    assert root["SnapshotId"] == of_image["Ebs"]["SnapshotId"]
    assert (found["/dev/xvdb"]["SnapshotId"], found["/dev/xvdb"]["Throughput"]) == ("", 125)


def test_a_profile_can_be_put_on_a_running_instance(world: World) -> None:
    [instance] = world.ec2.run_instances(ImageId=world.image, InstanceType="c6a.large", MinCount=1, MaxCount=1)[
        "Instances"
    ]
    world.ec2.associate_iam_instance_profile(
        InstanceId=instance["InstanceId"], IamInstanceProfile={"Name": "karpenter-nodes"}
    )
    arn = world.instance(instance["InstanceId"])["IamInstanceProfile"]["Arn"]
    assert arn == world.profile["InstanceProfile"]["Arn"]
