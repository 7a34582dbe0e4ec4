"""Faults of the API: seen by who calls, gone when they are cleared."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from sandbox.commands.common import CommandError
from tests.faultclient import FaultClient
from tests.unit.waiting import HANGS_SECONDS, until

#: A read of each protocol.
READS: dict[str, tuple[str, dict[str, Any]]] = {
    "ec2": ("describe_vpcs", {}),
    "iam": ("list_roles", {}),
    "sts": ("get_caller_identity", {}),
    "cloudformation": ("list_stacks", {}),
    "sqs": ("list_queues", {}),
    "ssm": ("describe_parameters", {}),
    "events": ("list_rules", {}),
}


@pytest.fixture
def faults(aws: Any) -> FaultClient:
    return FaultClient(aws.front.url, aws.front.token, aws.id)


def outcome(aws: Any, service: str) -> tuple[int, str]:
    """Status and code of a read."""
    operation, parameters = READS[service]
    try:
        answer = getattr(aws.client(service), operation)(**parameters)
    except ClientError as error:
        return error.response["ResponseMetadata"]["HTTPStatusCode"], error.response["Error"]["Code"]
    return answer["ResponseMetadata"]["HTTPStatusCode"], ""


@pytest.mark.parametrize(
    ("service", "status", "code"),
    [
        ("ec2", 503, "RequestLimitExceeded"),
        ("iam", 400, "Throttling"),
        ("sts", 400, "Throttling"),
        ("cloudformation", 400, "Throttling"),
        ("ssm", 400, "ThrottlingException"),
        ("events", 400, "ThrottlingException"),
        ("sqs", 400, "ThrottlingException"),
    ],
)
def test_a_throttled_service_says_so_in_its_own_words(
    aws: Any, faults: FaultClient, service: str, status: int, code: str
) -> None:
    with faults.fault("throttling", service=service):
        assert outcome(aws, service) == (status, code)
        other = "sts" if service != "sts" else "iam"
        assert outcome(aws, other) == (200, "")
    assert outcome(aws, service) == (200, "")


def test_a_rate_lets_some_calls_through_for_each_operation(aws: Any, faults: FaultClient) -> None:
    ec2 = aws.client("ec2")
    with faults.fault("throttling", service="ec2", action="Describe*", rate=0.01, burst=2):
        assert [outcome(aws, "ec2")[0] for _ in range(4)] == [200, 200, 503, 503]
        ec2.describe_subnets()
        ec2.create_security_group(GroupName="g", Description="d")
    assert [outcome(aws, "ec2")[0] for _ in range(4)] == [200] * 4


@pytest.mark.parametrize(
    ("service", "status", "code"),
    [
        ("ec2", 500, "InternalError"),
        ("ec2", 503, "Unavailable"),
        ("iam", 500, "InternalFailure"),
        ("iam", 503, "ServiceUnavailable"),
        ("ssm", 500, "InternalFailure"),
    ],
)
def test_a_failing_service_does_nothing(aws: Any, faults: FaultClient, service: str, status: int, code: str) -> None:
    with faults.fault("server-error", service=service, status=status):
        assert outcome(aws, service) == (status, code)
    with faults.fault("server-error", action="CreateSecurityGroup"), pytest.raises(ClientError):
        aws.client("ec2").create_security_group(GroupName="g", Description="d")
    groups = aws.client("ec2").describe_security_groups()["SecurityGroups"]
    assert [group["GroupName"] for group in groups] == ["default"]
    assert outcome(aws, service) == (200, "")


def test_a_share_of_the_calls_fails_and_the_same_ones_again_with_the_same_seed(aws: Any, faults: FaultClient) -> None:
    def run() -> list[int]:
        with faults.fault("server-error", service="sts", percent=50, seed=1):
            return [outcome(aws, "sts")[0] for _ in range(20)]

    first = run()
    assert {200, 500} == set(first)
    assert run() == first


@pytest.mark.parametrize("done", ["yes", "no"])
def test_a_call_that_times_out_takes_effect_or_not(aws: Any, faults: FaultClient, done: str) -> None:
    sqs = aws.client("sqs")
    started = time.monotonic()
    with faults.fault("time-out", action="CreateQueue", held_seconds=0.5, done=done):
        with pytest.raises(ConnectionClosedError):
            sqs.create_queue(QueueName="q")
        assert time.monotonic() - started >= 0.5
        assert bool(sqs.list_queues().get("QueueUrls")) is (done == "yes")
    sqs.create_queue(QueueName="q")
    entries = aws.front.log.select(lambda entry: entry.account == aws.id and entry.action == "CreateQueue")
    assert [entry.error for entry in entries] == ["NoAnswer", None]
    assert [entry.wrote for entry in entries] == [done == "yes", True]


def test_a_call_that_is_not_allowed_has_no_effect_whether_it_is_answered_or_not(aws: Any, faults: FaultClient) -> None:
    trust = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    role = aws.client("iam").create_role(RoleName="nobody", AssumeRolePolicyDocument=document)["Role"]["Arn"]
    sqs = aws.client("sqs", credentials=aws.front.mint_session(role, "s"))
    with (
        faults.fault("time-out", action="CreateQueue", held_seconds=0.1, done="yes"),
        pytest.raises(ConnectionClosedError),
    ):
        sqs.create_queue(QueueName="q")
    for kind, code in (("throttling", "ThrottlingException"), ("expired-credentials", "ExpiredTokenException")):
        with faults.fault(kind, action="CreateQueue"), pytest.raises(ClientError) as caught:
            sqs.create_queue(QueueName="q")
        assert caught.value.response["Error"]["Code"] == code
    with pytest.raises(ClientError) as caught:
        sqs.create_queue(QueueName="q")
    assert caught.value.response["Error"]["Code"] == "AccessDenied"
    assert not aws.client("sqs").list_queues().get("QueueUrls")
    entries = aws.front.log.select(lambda entry: entry.account == aws.id and entry.action == "CreateQueue")
    assert [(entry.error, entry.wrote) for entry in entries] == [
        ("NoAnswer", False),
        ("ThrottlingException", False),
        ("ExpiredTokenException", False),
        ("AccessDeniedException", False),
    ]
    assert {entry.principal_arn for entry in entries} == {f"arn:aws:sts::{aws.id}:assumed-role/nobody/s"}


def test_a_call_that_is_held_is_let_go_when_the_fault_is_cleared(aws: Any, faults: FaultClient) -> None:
    sqs = aws.client("sqs")
    fault = faults.set("time-out", action="ListQueues", held_seconds=600)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(sqs.list_queues)
        with pytest.raises(TimeoutError):
            call.result(timeout=0.5)
        faults.clear(fault["id"])
        assert isinstance(call.exception(timeout=HANGS_SECONDS), ConnectionClosedError)


@pytest.mark.parametrize(
    ("service", "code"), [("ec2", "RequestExpired"), ("sts", "ExpiredToken"), ("ssm", "ExpiredTokenException")]
)
def test_credentials_expire_and_are_good_again(aws: Any, faults: FaultClient, service: str, code: str) -> None:
    with faults.fault("expired-credentials", principal="arn:aws:iam::*:user/admin"):
        assert outcome(aws, service)[1] == code
    with faults.fault("expired-credentials", principal="arn:aws:iam::*:user/other"):
        assert outcome(aws, service)[1] == ""
    assert outcome(aws, service)[1] == ""


def test_tokens_for_clusters_expire_with_the_credentials(aws: Any, faults: FaultClient) -> None:
    url = aws.client("sts").generate_presigned_url("get_caller_identity", ExpiresIn=60, HttpMethod="GET")
    assert aws.front.verify_presigned(url, {}).account == aws.id
    with faults.fault("expired-credentials", region="us-west-2"), pytest.raises(PermissionError, match="expired"):
        aws.front.verify_presigned(url, {})
    assert aws.front.verify_presigned(url, {}).account == aws.id


def test_faults_are_of_one_account_and_spare_what_aws_does_itself(
    aws: Any, other_aws: Any, faults: FaultClient
) -> None:
    with faults.fault("server-error"):
        assert outcome(aws, "ec2")[0] == 500
        assert outcome(other_aws, "ec2")[0] == 200
        assert aws.front.client("ec2", aws.id, "us-west-2").describe_vpcs()["Vpcs"]


def test_a_fault_clears_itself_after_its_time(aws: Any, faults: FaultClient) -> None:
    far = faults.set("server-error", service="sts", for_seconds=3600)
    assert [one["id"] for one in faults.all()] == [far["id"]]
    assert outcome(aws, "sts")[0] == 500
    faults.clear(far["id"])
    faults.set("server-error", service="sts", for_seconds=0.1)
    until(lambda: faults.all() == [])
    assert outcome(aws, "sts")[0] == 200


def test_bad_faults_are_refused_in_one_line(aws: Any, faults: FaultClient) -> None:
    with pytest.raises(CommandError, match="refuses: action=DescribeUnicorns: ec2 has no such operation; it has Desc"):
        faults.set("throttling", service="ec2", action="DescribeUnicorns")
    with pytest.raises(CommandError, match="refuses: throttling has no 'rates'; it takes region, service"):
        faults.set("throttling", rates=1)
    with pytest.raises(CommandError, match="refuses: there is no fault 'f0'; set are "):
        faults.clear("f0")
    stranger = FaultClient(aws.front.url, aws.front.token, "nobody")
    with pytest.raises(CommandError, match="refuses: there is no account 'nobody'; there are "):
        stranger.set("throttling")
    with pytest.raises(CommandError, match="X-Sandbox-Token is missing or wrong"):
        FaultClient(aws.front.url, "wrong", aws.id).set("throttling")
    assert faults.all() == []
