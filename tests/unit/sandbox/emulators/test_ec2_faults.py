"""Faults of launches and ends, and what EventBridge hears about instances."""

from __future__ import annotations

import json
import time
from datetime import datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.commands.common import CommandError
from sandbox.emulators.messages import passed
from tests.faultclient import FaultClient
from tests.unit.waiting import HANGS_SECONDS, until

from .world import World, code


@pytest.fixture
def faults(aws: Any) -> FaultClient:
    return FaultClient(aws.front.url, aws.front.token, aws.id)


class Inbox:
    """A queue to which everything goes that AWS tells of instances."""

    def __init__(self, aws: Any) -> None:
        self._sqs, events = aws.client("sqs"), aws.client("events")
        self._url = self._sqs.create_queue(QueueName="inbox")["QueueUrl"]
        arn = self._sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        allow = {"Effect": "Allow", "Principal": {"Service": "events.amazonaws.com"}, "Action": "sqs:SendMessage"}
        # As Karpenter's queue denies it.
        insecure = {"Bool": {"aws:SecureTransport": "false"}}
        deny = {"Effect": "Deny", "Principal": "*", "Action": "sqs:*", "Resource": arn, "Condition": insecure}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [allow | {"Resource": arn}, deny]})
        self._sqs.set_queue_attributes(QueueUrl=self._url, Attributes={"Policy": policy})
        events.put_rule(Name="all", EventPattern=json.dumps({"source": ["aws.ec2", "aws.health"]}))
        events.put_targets(Rule="all", Targets=[{"Id": "1", "Arn": arn}])

    def take(self, number: int) -> list[dict[str, Any]]:
        """That many events, and no more."""
        found: list[dict[str, Any]] = []
        deadline = time.monotonic() + HANGS_SECONDS
        while len(found) < number and time.monotonic() < deadline:
            found += self._receive()
        assert len(found) == number, found
        assert self._receive() == []
        return found

    def _receive(self) -> list[dict[str, Any]]:
        answer = self._sqs.receive_message(QueueUrl=self._url, MaxNumberOfMessages=10, WaitTimeSeconds=0)
        for message in answer.get("Messages") or []:
            self._sqs.delete_message(QueueUrl=self._url, ReceiptHandle=message["ReceiptHandle"])
        return [json.loads(message["Body"]) for message in answer.get("Messages") or []]


@pytest.fixture
def inbox(aws: Any) -> Inbox:
    return Inbox(aws)


def launched(world: World, *, spot: bool = False, **override: str) -> str:
    fleet = world.fleet([world.override(**override)], spot)
    assert fleet["Errors"] == []
    return str(fleet["Instances"][0]["InstanceIds"][0])


def test_a_fleet_lists_the_errors_of_what_it_cannot_launch(world: World, faults: FaultClient) -> None:
    overrides = [world.override("c6a.large"), world.override("m5.large")]
    with faults.fault("launch-error", code="InsufficientInstanceCapacity", instance_type="c6a.*", zone="us-west-2b"):
        fleet = world.fleet(overrides)
        [error] = fleet["Errors"]
        assert error["ErrorCode"] == "InsufficientInstanceCapacity"
        assert (
            "sufficient c6a.large capacity in the Availability Zone you requested (us-west-2b)" in error["ErrorMessage"]
        )
        assert error["LaunchTemplateAndOverrides"]["Overrides"]["InstanceType"] == "c6a.large"
        assert fleet["Instances"][0]["InstanceType"] == "m5.large"
        assert launched(world, kind="c6a.large", zone="us-west-2a")
    assert world.fleet(overrides)["Errors"] == []


@pytest.mark.parametrize(
    ("selectors", "spot", "failed"),
    [
        ({"capacity_type": "spot"}, True, True),
        ({"capacity_type": "spot"}, False, False),
        ({"capacity_type": "on-demand"}, False, True),
        ({"image": "ami-0"}, False, False),
        ({"region": "eu-*"}, False, False),
    ],
)
def test_a_launch_error_is_for_what_it_selects(
    world: World, faults: FaultClient, selectors: dict[str, str], spot: bool, failed: bool
) -> None:
    with faults.fault("launch-error", code="MaxSpotInstanceCountExceeded", **selectors):
        assert bool(world.fleet([world.override()], spot)["Errors"]) is failed


@pytest.mark.parametrize(
    ("wanted", "status"),
    [("InsufficientInstanceCapacity", 500), ("VcpuLimitExceeded", 400), ("UnauthorizedOperation", 403)],
)
def test_run_instances_is_refused_with_the_error_and_its_status(
    world: World, faults: FaultClient, wanted: str, status: int
) -> None:
    template = {"LaunchTemplateName": "nodes"}
    request = {"LaunchTemplate": template, "InstanceType": "m5.large", "MinCount": 1, "MaxCount": 1}
    with faults.fault("launch-error", code=wanted), pytest.raises(ClientError) as caught:
        world.ec2.run_instances(**request)
    assert code(caught) == wanted
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == status
    assert world.ec2.run_instances(**request)["Instances"]


def test_an_instance_that_takes_its_time_to_end(world: World, faults: FaultClient, inbox: Inbox) -> None:
    instance, volume_count = launched(world), len(world.ec2.describe_volumes()["Volumes"])
    inbox.take(2)
    with faults.fault("node-termination-duration", seconds=3600):
        world.ec2.terminate_instances(InstanceIds=[instance])
        again = world.ec2.terminate_instances(InstanceIds=[instance])["TerminatingInstances"][0]
        assert again["CurrentState"]["Name"] == again["PreviousState"]["Name"] == "shutting-down"
        assert world.instance(instance)["State"]["Name"] == "shutting-down"
        assert len(world.ec2.describe_volumes()["Volumes"]) == volume_count
        assert [event["detail"]["state"] for event in inbox.take(1)] == ["shutting-down"]
    other = launched(world)
    inbox.take(2)
    with faults.fault("node-termination-duration", seconds=0.5):
        world.ec2.terminate_instances(InstanceIds=[other])
        assert [event["detail"]["state"] for event in inbox.take(2)] == ["shutting-down", "terminated"]
        assert world.instance(other)["State"]["Name"] == "terminated"
    other = launched(world)
    world.ec2.terminate_instances(InstanceIds=[other])
    assert world.instance(other)["State"]["Name"] == "terminated"


def test_states_are_told_without_any_fault(aws: Any, world: World, inbox: Inbox) -> None:
    """https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-instance-state-changes.html"""
    instance = launched(world)
    for operation in ("stop_instances", "start_instances", "terminate_instances", "terminate_instances"):
        getattr(world.ec2, operation)(InstanceIds=[instance])
    events = inbox.take(8)
    states = [event["detail"]["state"] for event in events]
    assert states == ["pending", "running", "stopping", "stopped", "pending", "running", "shutting-down", "terminated"]
    event = events[0]
    assert event["detail-type"] == "EC2 Instance State-change Notification"
    assert event["source"] == "aws.ec2"
    assert event["resources"] == [f"arn:aws:ec2:us-west-2:{aws.id}:instance/{instance}"]
    assert (event["account"], event["region"], event["version"]) == (aws.id, "us-west-2", "0")
    assert event["detail"]["instance-id"] == instance
    assert abs(datetime.fromisoformat(event["time"]).timestamp() - time.time()) < 60


def test_a_spot_instance_is_warned_and_then_ended(world: World, faults: FaultClient, inbox: Inbox) -> None:
    instance = launched(world, spot=True)
    inbox.take(2)
    faults.set("spot-interruption", instance=instance, notice_seconds=0.5)
    warning, *states = inbox.take(3)
    assert warning["detail-type"] == "EC2 Spot Instance Interruption Warning"
    assert warning["detail"] == {"instance-id": instance, "instance-action": "terminate"}
    assert warning["resources"] == [f"arn:aws:ec2:us-west-2b:instance/{instance}"]
    assert [event["detail"]["state"] for event in states] == ["shutting-down", "terminated"]
    found = world.instance(instance)
    assert found["State"]["Name"] == "terminated"
    assert found["StateReason"]["Code"] == "Server.SpotInstanceTermination"
    until(lambda: faults.all() == [])


def test_an_interruption_that_is_cleared_in_time_ends_nothing(world: World, faults: FaultClient, inbox: Inbox) -> None:
    instance = launched(world, spot=True)
    inbox.take(2)
    with faults.fault("spot-interruption", instance=instance, notice_seconds=3):
        pass
    inbox.take(1)
    time.sleep(3.5)
    assert world.instance(instance)["State"]["Name"] == "running"
    inbox.take(0)


def test_a_rebalance_recommendation_is_a_message_alone(
    aws: Any, world: World, faults: FaultClient, inbox: Inbox
) -> None:
    instance = launched(world, spot=True)
    inbox.take(2)
    with faults.fault("rebalance-recommendation", instance=instance):
        [event] = inbox.take(1)
    assert event["detail-type"] == "EC2 Instance Rebalance Recommendation"
    assert event["detail"] == {"instance-id": instance}
    assert event["resources"] == [f"arn:aws:ec2:us-west-2:{aws.id}:instance/{instance}"]


def test_a_scheduled_change_comes_from_aws_health(world: World, faults: FaultClient, inbox: Inbox) -> None:
    instance = launched(world)
    inbox.take(2)
    with faults.fault("scheduled-change", instance=instance, event="AWS_EC2_INSTANCE_STOP_SCHEDULED"):
        [event] = inbox.take(1)
    assert (event["source"], event["detail-type"]) == ("aws.health", "AWS Health Event")
    detail = event["detail"]
    assert (detail["service"], detail["eventTypeCategory"]) == ("EC2", "scheduledChange")
    assert detail["eventTypeCode"] == "AWS_EC2_INSTANCE_STOP_SCHEDULED"
    assert [entity["entityValue"] for entity in detail["affectedEntities"]] == [instance]
    assert event["resources"] == [instance]
    assert detail["startTime"].endswith(" GMT")


def test_messages_are_for_instances_that_are_there(world: World, faults: FaultClient) -> None:
    instance = launched(world)
    with pytest.raises(CommandError, match="this is no Spot Instance, and AWS sends spot-interruption to no other"):
        faults.set("spot-interruption", instance=instance)
    with pytest.raises(CommandError, match="instance=i-0: the account has no instance of this id"):
        faults.set("scheduled-change", instance="i-0")
    world.ec2.terminate_instances(InstanceIds=[instance])
    with pytest.raises(CommandError, match="or it has ended"):
        faults.set("scheduled-change", instance=instance)
    assert faults.all() == []


@pytest.mark.parametrize(
    ("before", "after", "states"),
    [
        (None, "running", ("pending", "running")),
        ("running", "running", ()),
        ("running", "shutting-down", ("shutting-down",)),
        ("shutting-down", "terminated", ("terminated",)),
        ("running", "terminated", ("shutting-down", "terminated")),
        (None, "terminated", ()),
    ],
)
def test_states_between_two_looks(before: str | None, after: str, states: tuple[str, ...]) -> None:
    assert passed(before, after) == states
