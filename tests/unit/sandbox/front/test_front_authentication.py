"""Who signed a call, and AWS's own refusals in the wire form of each protocol."""

from __future__ import annotations

import datetime as dt
import json
import urllib.request
from typing import Any

import botocore.auth
import pytest
from botocore.exceptions import ClientError

from sandbox.contracts import Credentials
from tests.unit.clients import ADMINISTRATOR

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "ec2": ("describe_vpcs", {}),
    "sts": ("get_caller_identity", {}),
    "iam": ("list_roles", {}),
    "cloudformation": ("list_stacks", {}),
    "ssm": ("get_parameter", {"Name": "x"}),
    "events": ("list_rules", {}),
    "eks": ("list_clusters", {}),
}
UNKNOWN = {"ec2": "AuthFailure", "sts": "InvalidClientTokenId", "iam": "InvalidClientTokenId"} | {
    "cloudformation": "InvalidClientTokenId",
    **dict.fromkeys(("ssm", "events", "eks"), "UnrecognizedClientException"),
}
WRONG = {"ec2": "AuthFailure", **dict.fromkeys(("sts", "iam", "cloudformation"), "SignatureDoesNotMatch")} | (
    dict.fromkeys(("ssm", "events", "eks"), "InvalidSignatureException")
)
EXPIRED = {"ec2": "RequestExpired", **dict.fromkeys(("sts", "iam", "cloudformation"), "ExpiredToken")} | (
    dict.fromkeys(("ssm", "events", "eks"), "ExpiredTokenException")
)


def error_of(client: Any, service: str) -> str:
    operation, parameters = CALLS[service]
    with pytest.raises(ClientError) as error:
        getattr(client, operation)(**parameters)
    return str(error.value.response["Error"]["Code"])


@pytest.fixture
def role(aws: Any) -> str:
    """The ARN of a role that the account's administrator may assume."""
    statement = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{aws.id}:root"}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    arn: str = aws.client("iam").create_role(RoleName="deployer", AssumeRolePolicyDocument=document)["Role"]["Arn"]
    return arn


@pytest.mark.parametrize("service", CALLS)
def test_an_unknown_key_is_refused(aws: Any, service: str) -> None:
    keys = Credentials("AKIA" + "A" * 16, "secret")
    assert error_of(aws.client(service, credentials=keys), service) == UNKNOWN[service]


@pytest.mark.parametrize("service", CALLS)
def test_a_wrong_secret_is_refused(aws: Any, service: str) -> None:
    keys = Credentials(aws.account.credentials.access_key_id, "wrong")
    assert error_of(aws.client(service, credentials=keys), service) == WRONG[service]


@pytest.mark.parametrize("service", CALLS)
def test_an_expired_session_is_told_apart(aws: Any, role: str, service: str) -> None:
    keys = aws.front.mint_session(role, "short", duration_seconds=0)
    assert error_of(aws.client(service, credentials=keys), service) == EXPIRED[service]


@pytest.mark.parametrize("service", ["ec2", "sts", "ssm"])
def test_a_session_without_its_token_is_refused(aws: Any, role: str, service: str) -> None:
    keys = aws.front.mint_session(role, "s")
    keys = Credentials(keys.access_key_id, keys.secret_access_key)
    assert error_of(aws.client(service, credentials=keys), service) == UNKNOWN[service]


def test_a_session_ends(aws: Any, role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    session = aws.front.mint_session(role, "s", duration_seconds=900)
    sts = aws.client("sts", credentials=session)
    assert sts.get_caller_identity()["Arn"] == f"arn:aws:sts::{aws.id}:assumed-role/deployer/s"
    monkeypatch.setattr(aws.front._authenticator, "_clock", lambda: session.expires_at)
    assert error_of(sts, "sts") == "ExpiredToken"


@pytest.mark.parametrize(
    ("headers", "body", "status", "expected"),
    [
        ({"content-type": "application/x-www-form-urlencoded"}, b"Action=DescribeVpcs&Version=2016-11-15", 403,
         b"<Response><Errors><Error><Code>MissingAuthenticationToken</Code>"),
        ({"content-type": "application/x-www-form-urlencoded"}, b"Action=ListRoles&Version=2010-05-08", 403,
         b"<ErrorResponse><Error><Type>Sender</Type><Code>MissingAuthenticationToken</Code>"),
        ({"x-amz-target": "AmazonSSM.GetParameter"}, b"{}", 400, b'{"__type": "MissingAuthenticationTokenException"'),
    ],
)  # fmt: skip
def test_an_unsigned_call_is_refused(
    aws: Any, headers: dict[str, str], body: bytes, status: int, expected: bytes
) -> None:
    request = urllib.request.Request(aws.front.url + "/", data=body, headers=headers, method="POST")
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request)
    with error.value as answer:
        assert answer.code == status
        assert expected in answer.read()


def test_half_a_signature_is_incomplete(aws: Any) -> None:
    headers = {
        "Authorization": "AWS4-HMAC-SHA256 Credential=AKIA/x",
        "content-type": "application/x-www-form-urlencoded",
    }
    request = urllib.request.Request(
        aws.front.url, data=b"Action=GetCallerIdentity&Version=2011-06-15", headers=headers
    )
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request)
    with error.value as answer:
        assert b"<Code>IncompleteSignature</Code>" in answer.read()


def test_a_clock_that_is_wrong_is_refused(aws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    late = dt.datetime.now(dt.UTC) - dt.timedelta(minutes=6)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: late)
    assert error_of(aws.client("sts"), "sts") == "SignatureDoesNotMatch"
    assert error_of(aws.client("ec2"), "ec2") == "RequestExpired"
    assert error_of(aws.client("ssm"), "ssm") == "InvalidSignatureException"


def test_a_body_changed_on_the_way_is_refused(aws: Any) -> None:
    sts = aws.client("sts")

    def change(request: Any, **_: Any) -> None:
        request.body = request.body.replace("GetCallerIdentity", "GetSessionToken2x")

    sts.meta.events.register("before-send.sts", change)
    assert error_of(sts, "sts") == "SignatureDoesNotMatch"


def test_keys_made_through_iam_work_until_they_are_taken_away(aws: Any) -> None:
    iam = aws.client("iam")
    iam.create_user(UserName="ci")
    iam.attach_user_policy(UserName="ci", PolicyArn=ADMINISTRATOR)
    made = iam.create_access_key(UserName="ci")["AccessKey"]
    keys = Credentials(made["AccessKeyId"], made["SecretAccessKey"])
    user = aws.client("sts", credentials=keys)
    assert user.get_caller_identity()["Arn"] == f"arn:aws:iam::{aws.id}:user/ci"
    assert aws.client("iam", credentials=keys).get_user()["User"]["UserName"] == "ci"
    iam.update_access_key(UserName="ci", AccessKeyId=keys.access_key_id, Status="Inactive")
    assert error_of(user, "sts") == "InvalidClientTokenId"
    iam.update_access_key(UserName="ci", AccessKeyId=keys.access_key_id, Status="Active")
    user.get_caller_identity()
    iam.delete_access_key(UserName="ci", AccessKeyId=keys.access_key_id)
    assert error_of(user, "sts") == "InvalidClientTokenId"


def test_accounts_do_not_see_each_other(aws: Any, other_aws: Any) -> None:
    aws.client("sqs").create_queue(QueueName="q")
    aws.client("ec2").create_vpc(CidrBlock="10.0.0.0/16")
    assert not other_aws.client("sqs").list_queues().get("QueueUrls")
    assert len(other_aws.client("ec2").describe_vpcs()["Vpcs"]) == 1
