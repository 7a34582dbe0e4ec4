"""An account with something of everything in it is saved soon, and is the same after it was gone."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto.core import base_backend

from sandbox.emulators import stores
from sandbox.emulators.ec2 import states
from sandbox.faults.store import Faults
from sandbox.front.accounts import Accounts
from sandbox.front.principals import Principals
from sandbox.saved import files, pickling
from sandbox.saved.saver import Saver
from tests.unit.clients import empower
from tests.unit.waiting import until

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}],
}
TEMPLATE = {
    "Resources": {
        "Queue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "of-the-stack"}},
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.7.0.0/16"}},
    },
    "Outputs": {"Url": {"Value": {"Ref": "Queue"}}},
}
#: What a client sees of the account, by service; each is the same before and after.
LOOKS: list[tuple[str, str, dict[str, Any]]] = [
    ("ec2", "describe_instances", {}),
    ("ec2", "describe_volumes", {}),
    ("ec2", "describe_vpcs", {}),
    ("ec2", "describe_security_groups", {}),
    ("ec2", "describe_launch_templates", {}),
    ("ec2", "describe_images", {"Owners": ["amazon"]}),
    ("ssm", "get_parameters_by_path", {"Path": "/mine", "Recursive": True}),
    ("ssm", "get_parameters_by_path", {"Path": "/aws/service/bottlerocket", "Recursive": True}),
    ("elbv2", "describe_load_balancers", {}),
    ("logs", "describe_log_groups", {}),
    ("iam", "list_roles", {}),
    ("iam", "list_access_keys", {}),
    ("iam", "list_attached_user_policies", {"UserName": "admin"}),
    ("sqs", "list_queues", {}),
    ("events", "list_rules", {}),
    ("cloudformation", "describe_stacks", {}),
    ("cloudformation", "describe_stack_resources", {"StackName": "stack"}),
]


class Records:
    """Another service's part of an account."""

    def __init__(self) -> None:
        self.restored: list[Any] = []

    def dump(self, account: str) -> list[dict[str, Any]]:
        return [{"cluster of": account}]

    def restore(self, records: list[dict[str, Any]]) -> None:
        self.restored += records


def fill(aws: Any) -> Any:
    """Make something in every service; the keys of a session."""
    ec2 = aws.client("ec2")
    subnets = [one["SubnetId"] for one in ec2.describe_subnets()["Subnets"]]
    image = ec2.describe_images(Filters=[{"Name": "architecture", "Values": ["x86_64"]}])["Images"][0]["ImageId"]
    # An encrypted volume has a KMS key, which is an object with a private key in it.
    disk = {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 30, "Encrypted": True}}
    template = {"ImageId": image, "BlockDeviceMappings": [disk]}
    ec2.create_launch_template(LaunchTemplateName="template", LaunchTemplateData=template)
    launch = {"MinCount": 2, "MaxCount": 2, "InstanceType": "m5.large", "SubnetId": subnets[0], "ClientToken": "once"}
    ec2.run_instances(LaunchTemplate={"LaunchTemplateName": "template"}, **launch)
    aws.client("ssm").put_parameter(Name="/mine/a", Value="b", Type="String")
    aws.client("elbv2").create_load_balancer(Name="lb", Subnets=subnets[:2])
    aws.client("logs").create_log_group(logGroupName="group")
    aws.client("iam").create_role(RoleName="r", AssumeRolePolicyDocument=json.dumps(TRUST))
    aws.client("sqs").send_message(QueueUrl=aws.client("sqs").create_queue(QueueName="q")["QueueUrl"], MessageBody="m")
    aws.client("events").put_rule(Name="rule", EventPattern='{"source": ["x"]}')
    cloudformation = aws.client("cloudformation")
    cloudformation.create_stack(StackName="stack", TemplateBody=json.dumps(TEMPLATE))
    cloudformation.get_waiter("stack_create_complete").wait(StackName="stack", WaiterConfig={"Delay": 0.1})
    role = f"arn:aws:iam::{aws.id}:role/r"
    return aws.client("sts").assume_role(RoleArn=role, RoleSessionName="me")["Credentials"]


def look(aws: Any) -> list[Any]:
    """Everything that LOOKS asks for, without what differs from call to call."""
    answers = [getattr(aws.client(service), operation)(**given) for service, operation, given in LOOKS]
    return [{key: value for key, value in answer.items() if key != "ResponseMetadata"} for answer in answers]


def forget(account: str) -> None:
    """Let the emulators have nothing of the account, as in a new process."""
    for backends in list(base_backend.BackendDict._instances):
        dict.pop(backends, account, None)
    for store in stores._stores().values():
        for key in [key for key in store._data if key[0] == account]:
            del store._data[key]


@pytest.fixture
def run(front_loop: asyncio.AbstractEventLoop) -> Callable[[Awaitable[Any]], Any]:
    """Run a coroutine on the front's loop."""

    async def work(awaitable: Awaitable[Any]) -> Any:
        return await awaitable

    return lambda awaitable: asyncio.run_coroutine_threadsafe(work(awaitable), front_loop).result(60)


@pytest.fixture
def saver(aws: Any, run: Any, tmp_path: Path) -> Iterator[Saver]:
    """What saves the account, not started."""

    async def make() -> Saver:
        parts = {"clusters": Records(), "faults": aws.front.faults}
        return Saver(tmp_path, aws.front.accounts, aws.front.principals, parts, within_seconds=0.4)

    made = run(make())
    yield made
    run(made.stop())


def until_saved(path: Path, seconds: float) -> bytes:
    deadline = time.monotonic() + seconds
    while (content := files.read(path)) is None:
        assert time.monotonic() < deadline, f"not saved within {seconds} s"
        time.sleep(0.02)
    return content


def test_an_account_is_the_same_after_it_was_gone(aws: Any, saver: Saver, run: Any, tmp_path: Path) -> None:
    keys = fill(aws)
    before = look(aws)
    fault = run(aws.front.faults.set(aws.id, "launch-error", {"code": "Unsupported", "zone": "us-west-2d"}))
    saver.touch(aws.id)

    async def start() -> None:
        saver.start()

    run(start())
    content = until_saved(tmp_path / f"{aws.id}.account", 10)
    assert len(content) < 300_000, "images and public parameters are named, not written"
    forget(aws.id)
    with pytest.raises(ClientError):
        aws.client("iam").list_roles()
    records = Records()
    accounts, principals = Accounts("other", lambda _: None), Principals(aws.front.principals._users)
    faults = Faults()

    async def restore() -> Any:
        return await Saver(tmp_path, accounts, principals, {"clusters": records, "faults": faults}).restore()

    assert run(restore()) == [aws.account] == accounts.all()
    assert faults.all() == aws.front.faults.all(aws.id) == [fault]
    assert records.restored == [{"cluster of": aws.id}]
    found = principals.find(keys["AccessKeyId"])
    assert found is not None
    assert found.credentials.token == keys["SessionToken"]
    assert look(aws) == before


def test_what_is_back_goes_on(aws: Any) -> None:
    fill(aws)
    content = stores.snapshot(aws.id, pickling.dumps)
    forget(aws.id)
    stores.restore(aws.id, pickling.loads(content))
    ec2, sqs = aws.client("ec2"), aws.client("sqs")
    token = {"MinCount": 2, "MaxCount": 2, "InstanceType": "m5.large", "ClientToken": "once"}
    subnet = ec2.describe_instances()["Reservations"][0]["Instances"][0]["SubnetId"]
    again = ec2.run_instances(LaunchTemplate={"LaunchTemplateName": "template"}, SubnetId=subnet, **token)["Instances"]
    [reservation] = ec2.describe_instances()["Reservations"]
    assert {one["InstanceId"] for one in again} == {one["InstanceId"] for one in reservation["Instances"]}
    ec2.terminate_instances(InstanceIds=[one["InstanceId"] for one in again])
    queue = sqs.get_queue_url(QueueName="q")["QueueUrl"]
    assert sqs.receive_message(QueueUrl=queue)["Messages"][0]["Body"] == "m"
    aws.client("ssm").put_parameter(Name="/mine/a", Value="c", Type="String", Overwrite=True)
    assert aws.client("ssm").get_parameter(Name="/mine/a")["Parameter"]["Version"] == 2
    cloudformation = aws.client("cloudformation")
    cloudformation.delete_stack(StackName="stack")
    cloudformation.get_waiter("stack_delete_complete").wait(StackName="stack", WaiterConfig={"Delay": 0.1})
    assert "10.7.0.0/16" not in {vpc["CidrBlock"] for vpc in ec2.describe_vpcs()["Vpcs"]}
    # It can be saved once more: what came out of a pickle goes into one.
    assert stores.snapshot(aws.id, pickling.dumps)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("CREATE_IN_PROGRESS", "CREATE_FAILED"),
        ("UPDATE_ROLLBACK_IN_PROGRESS", "UPDATE_ROLLBACK_FAILED"),
        ("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "UPDATE_COMPLETE"),
        ("DELETE_IN_PROGRESS", "DELETE_FAILED"),
        ("REVIEW_IN_PROGRESS", "REVIEW_IN_PROGRESS"),
        ("UPDATE_COMPLETE", "UPDATE_COMPLETE"),
    ],
)
def test_a_stack_on_its_way_has_failed(aws: Any, before: str, after: str) -> None:
    cloudformation = aws.client("cloudformation")
    body = json.dumps({"Resources": {"Queue": TEMPLATE["Resources"]["Queue"]}})
    cloudformation.create_stack(StackName="stack", TemplateBody=body)
    cloudformation.get_waiter("stack_create_complete").wait(StackName="stack", WaiterConfig={"Delay": 0.1})
    kept = pickling.loads(stores.snapshot(aws.id, pickling.dumps))
    [stack] = kept["ministack"]["ministack.services.cloudformation:_stacks"].values()
    stack["StackStatus"] = before
    stores.restore(aws.id, kept)
    assert cloudformation.describe_stacks(StackName="stack")["Stacks"][0]["StackStatus"] == after
    if after.endswith("_FAILED"):
        cloudformation.delete_stack(StackName="stack")
        cloudformation.get_waiter("stack_delete_complete").wait(StackName="stack", WaiterConfig={"Delay": 0.1})


def test_an_instance_that_was_about_to_end_ends_at_its_time(aws: Any, run: Any) -> None:
    fill(aws)
    ec2 = aws.client("ec2")
    slow, slower = (one["InstanceId"] for one in ec2.describe_instances()["Reservations"][0]["Instances"])
    run(aws.front.faults.set(aws.id, "node-termination-duration", {"seconds": "0.6", "for_seconds": "0.1"}))
    ec2.terminate_instances(InstanceIds=[slow])
    until(lambda: aws.front.faults.all(aws.id) == [])
    run(aws.front.faults.set(aws.id, "node-termination-duration", {"seconds": "3600"}))
    ec2.terminate_instances(InstanceIds=[slower])
    asked = time.monotonic()
    kept = pickling.loads(stores.snapshot(aws.id, pickling.dumps))
    forget(aws.id)
    stores.restore(aws.id, kept)
    assert _states(ec2) == {slow: "shutting-down", slower: "shutting-down"}
    run(aws.front._later.run(aws.id, lambda: states.go_on(aws.id)))
    until(lambda: _states(ec2) == {slow: "terminated", slower: "shutting-down"})
    assert time.monotonic() - asked >= 0.3, "not at once"


def _states(ec2: Any) -> dict[str, str]:
    instances = ec2.describe_instances()["Reservations"][0]["Instances"]
    return {one["InstanceId"]: one["State"]["Name"] for one in instances}


def test_what_was_told_of_instances_is_not_told_again(aws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(aws)
    content = stores.snapshot(aws.id, pickling.dumps)
    forget(aws.id)
    stores.restore(aws.id, pickling.loads(content))
    told: list[Any] = []
    monkeypatch.setattr(aws.front._announcer, "tell", lambda _account, _region, events: told.extend(events))
    ec2 = aws.client("ec2")
    one = next(iter(_states(ec2)))
    ec2.terminate_instances(InstanceIds=[one])
    assert [event.detail["instance-id"] for event in told] == [one, one]


def test_a_session_is_limited_as_before(aws: Any, saver: Saver, run: Any, tmp_path: Path) -> None:
    iam = aws.client("iam")
    role = iam.create_role(RoleName="limited", AssumeRolePolicyDocument=json.dumps(TRUST))["Role"]["Arn"]
    empower(iam, "limited")
    allowed = {"Effect": "Allow", "Action": "sqs:ListQueues", "Resource": "*"}
    session_policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
    opened = aws.client("sts").assume_role(RoleArn=role, RoleSessionName="me", Policy=session_policy)["Credentials"]
    run(saver._save(aws.id))
    principals = Principals(aws.front.principals._users)
    forget(aws.id)

    async def restore() -> None:
        accounts = Accounts("other", lambda _: None)
        await Saver(tmp_path, accounts, principals, {"clusters": Records(), "faults": Faults()}).restore()

    run(restore())
    key = principals.find(opened["AccessKeyId"])
    assert key is not None
    assert key.principal.session_policies == (session_policy,)
    aws.front.principals.restore([key])
    sqs, ec2 = (aws.client(name, credentials=key.credentials) for name in ("sqs", "ec2"))
    assert sqs.list_queues()["ResponseMetadata"]["HTTPStatusCode"] == 200
    with pytest.raises(ClientError, match="because no session policy allows the ec2:DescribeVpcs action"):
        ec2.describe_vpcs()


def test_other_accounts_are_left_alone(aws: Any, other_aws: Any) -> None:
    aws.client("sqs").create_queue(QueueName="mine")
    content = stores.snapshot(aws.id, pickling.dumps)
    other_aws.client("sqs").create_queue(QueueName="theirs")
    assert other_aws.id.encode() not in content
    stores.restore(aws.id, pickling.loads(content))
    assert other_aws.client("sqs").get_queue_url(QueueName="theirs")["QueueUrl"]


def test_an_account_that_cannot_be_saved_is_told_and_stays_marked(
    aws: Any, saver: Saver, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pickling, "dumps", lambda _: 1 / 0)
    saver.touch(aws.id)
    assert run(saver._save_changed()) is False
    assert f"account {aws.id} could not be saved" in caplog.text
    assert "division by zero" in str(saver.problem)
    monkeypatch.undo()
    assert run(saver._save_changed()) is True
    assert files.read(tmp_path / f"{aws.id}.account")
    assert saver.problem is None
