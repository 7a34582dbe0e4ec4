"""What was under way in an account, or limited, goes on and is limited after it was gone."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.emulators import messages, stores
from sandbox.emulators.announcer import Announcer
from sandbox.emulators.ec2 import states
from sandbox.emulators.messages import Place
from sandbox.faults.store import Faults
from sandbox.front.accounts import Accounts
from sandbox.front.ec2faults import Later
from sandbox.front.principals import Principals
from sandbox.saved import pickling
from sandbox.saved.saver import Saver
from tests.unit.clients import REGION, empower
from tests.unit.sandbox.saved.account import TRUST, Records, fill, forget
from tests.unit.waiting import until


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


def test_who_saves_is_told_of_what_happens_without_a_call(aws: Any, run: Any) -> None:
    told: list[str] = []
    announcer, later = Announcer(told.append), Later(told.append)
    announcer.tell(aws.id, REGION, [messages.rebalance("i-1", Place(aws.id, REGION, "us-west-2a"))])
    until(lambda: told == [aws.id])

    async def start() -> None:
        later.start()

    run(start())
    later.call(0.0, aws.id, lambda: told.append("work"))
    until(lambda: told == [aws.id, "work", aws.id])
    announcer.close()
    later.close()


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
