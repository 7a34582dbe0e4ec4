"""An account with something of everything in it is saved soon, and is the same after it was gone."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.emulators import stores
from sandbox.faults.store import Faults
from sandbox.front.accounts import Accounts
from sandbox.front.principals import Principals
from sandbox.saved import files, pickling
from sandbox.saved.saver import Saver
from tests.unit.sandbox.saved.account import TEMPLATE, Records, fill, forget, look


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
