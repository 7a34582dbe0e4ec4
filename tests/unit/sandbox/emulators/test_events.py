"""The queue and rules of interruption handling: what a rule matches arrives where the queue's policy allows it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.front.server import Front

from .stacks import Stacks, outputs


@pytest.fixture
def queue(aws: Any) -> tuple[str, str]:
    """URL and ARN."""
    sqs = aws.client("sqs")
    url = sqs.create_queue(QueueName="demo")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    return url, arn


def test_a_queue_is_found_at_the_front(aws: Any, queue: tuple[str, str]) -> None:
    url, arn = queue
    assert url == f"{aws.front.url}/{aws.id}/demo"
    assert arn == f"arn:aws:sqs:us-west-2:{aws.id}:demo"
    assert aws.client("sqs").get_queue_url(QueueName="demo")["QueueUrl"] == url


def test_a_queue_of_a_stack_is_found_at_the_front_by_each_of_its_addresses(aws: Any, stacks: Stacks) -> None:
    """Ref and QueueUrl give the URL, and clients may send to it themselves, as the SDK for JavaScript does.

    On AWS it is https://sqs.<region>.amazonaws.com/<account>/<name>; what follows the host says which queue it is.
    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queue.html
    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-queue-message-identifiers.html
    """
    queue = {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "other"}}
    values = {"Url": {"Ref": "Q"}, "Attribute": {"Fn::GetAtt": "Q.QueueUrl"}}
    template = {"Resources": {"Q": queue}, "Outputs": {name: {"Value": value} for name, value in values.items()}}
    stack = stacks.create("q", template)
    url = f"{aws.front.url}/{aws.id}/other"
    assert outputs(stack) == {"Url": url, "Attribute": url}
    [resource] = stacks.client.describe_stack_resources(StackName="q")["StackResources"]
    assert resource["PhysicalResourceId"] == url
    own = aws.client("sqs")
    assert own.get_queue_url(QueueName="other")["QueueUrl"] == url
    sender = aws.client("sqs", url=url)
    for address in (url, f"https://sqs.us-west-2.amazonaws.com/{aws.id}/other"):
        sender.send_message(QueueUrl=address, MessageBody=address)
        assert own.receive_message(QueueUrl=address)["Messages"][0]["Body"] == address


def test_a_queue_is_found_at_the_front_of_its_account_when_there_are_several(aws: Any, state_dir: Path) -> None:
    other = Front(state_dir)
    asyncio.run_coroutine_threadsafe(other.start(), aws.loop).result(30)
    try:
        guest = replace(aws, front=other, account=other.accounts.get_or_create("guest"))
        for one in (aws, guest, aws):
            url = one.client("sqs").create_queue(QueueName="mine")["QueueUrl"]
            assert url == f"{one.front.url}/{one.id}/mine"
    finally:
        asyncio.run_coroutine_threadsafe(other.stop(), aws.loop).result(30)


def test_messages_are_received_once(aws: Any, queue: tuple[str, str]) -> None:
    sqs = aws.client("sqs")
    sqs.send_message(QueueUrl=queue[0], MessageBody="hello")
    [message] = sqs.receive_message(QueueUrl=queue[0])["Messages"]
    assert message["Body"] == "hello"
    assert not sqs.receive_message(QueueUrl=queue[0]).get("Messages")
    sqs.delete_message(QueueUrl=queue[0], ReceiptHandle=message["ReceiptHandle"])


@pytest.mark.parametrize("allowed", [True, False])
def test_an_event_arrives_if_the_queue_lets_it(aws: Any, queue: tuple[str, str], allowed: bool) -> None:
    sqs, events = aws.client("sqs"), aws.client("events")
    service = "events.amazonaws.com" if allowed else "sns.amazonaws.com"
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sqs:SendMessage",
        "Resource": queue[1],
    }
    insecure = {"Bool": {"aws:SecureTransport": "false"}}
    deny = {"Effect": "Deny", "Principal": "*", "Action": "sqs:*", "Resource": queue[1], "Condition": insecure}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement, deny]})
    sqs.set_queue_attributes(QueueUrl=queue[0], Attributes={"Policy": policy})
    events.put_rule(Name="r", EventPattern=json.dumps({"source": ["demo"], "detail-type": ["Notice"]}))
    assert events.put_targets(Rule="r", Targets=[{"Id": "1", "Arn": queue[1]}])["FailedEntryCount"] == 0
    entry = {"Source": "demo", "DetailType": "Notice", "Detail": json.dumps({"instance-id": "i-1"})}
    other = entry | {"DetailType": "Other"}
    assert events.put_events(Entries=[entry, other])["FailedEntryCount"] == 0
    messages = sqs.receive_message(QueueUrl=queue[0], MaxNumberOfMessages=10, WaitTimeSeconds=1).get("Messages") or []
    bodies = [json.loads(message["Body"]) for message in messages]
    assert [body["detail"] for body in bodies] == ([{"instance-id": "i-1"}] if allowed else [])
