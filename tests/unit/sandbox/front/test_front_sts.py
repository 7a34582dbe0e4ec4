"""Becoming someone else: trust policies decide, sessions say who they are."""

from __future__ import annotations

import datetime as dt
import json
import urllib.error
import urllib.request
from typing import Any

import botocore.auth
import pytest
from botocore.exceptions import ClientError
from botocore.signers import RequestSigner

from sandbox.contracts import Credentials
from tests.unit.clients import empower


def trust(principal: dict[str, Any], condition: dict[str, Any] | None = None) -> str:
    statement = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}
    if condition:
        statement["Condition"] = condition
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def session_of(answer: dict[str, Any]) -> Credentials:
    keys = answer["Credentials"]
    return Credentials(keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"])


def code(error: pytest.ExceptionInfo[ClientError]) -> str:
    return str(error.value.response["Error"]["Code"])


def test_a_trusted_role_is_assumed(aws: Any) -> None:
    document = trust({"AWS": aws.account.principal_arn})
    role = aws.client("iam").create_role(RoleName="deployer", Path="/team/", AssumeRolePolicyDocument=document)["Role"]
    empower(aws.client("iam"), "deployer")
    answer = aws.client("sts").assume_role(RoleArn=role["Arn"], RoleSessionName="run-1", DurationSeconds=900)
    assert answer["AssumedRoleUser"]["Arn"] == f"arn:aws:sts::{aws.id}:assumed-role/deployer/run-1"
    left = answer["Credentials"]["Expiration"] - dt.datetime.now(dt.UTC)
    assert 890 < left.total_seconds() <= 901
    session = session_of(answer)
    assert session.access_key_id.startswith("ASIA")
    who = aws.client("sts", credentials=session).get_caller_identity()
    assert who["Arn"] == f"arn:aws:sts::{aws.id}:assumed-role/deployer/run-1"
    assert who["UserId"] == f"{role['RoleId']}:run-1"
    aws.client("ec2", credentials=session).describe_vpcs()
    [entry] = aws.front.log.select(lambda one: one.account == aws.id and one.action == "DescribeVpcs")
    assert entry.principal_arn == who["Arn"]


@pytest.mark.parametrize("name", ["untrusting", "missing"])
def test_an_untrusted_or_missing_role_is_denied_alike(aws: Any, name: str) -> None:
    aws.client("iam").create_role(
        RoleName="untrusting", AssumeRolePolicyDocument=trust({"Service": "ec2.amazonaws.com"})
    )
    with pytest.raises(ClientError) as error:
        aws.client("sts").assume_role(RoleArn=f"arn:aws:iam::{aws.id}:role/{name}", RoleSessionName="run")
    assert code(error) == "AccessDenied"
    assert "is not authorized to perform: sts:AssumeRole" in str(error.value)


def test_a_role_of_another_account_wants_its_external_id(aws: Any, other_aws: Any) -> None:
    document = trust({"AWS": f"arn:aws:iam::{aws.id}:root"}, {"StringEquals": {"sts:ExternalId": "secret"}})
    role = other_aws.client("iam").create_role(RoleName="guest", AssumeRolePolicyDocument=document)["Role"]["Arn"]
    sts = aws.client("sts")
    with pytest.raises(ClientError) as error:
        sts.assume_role(RoleArn=role, RoleSessionName="run")
    assert code(error) == "AccessDenied"
    session = session_of(sts.assume_role(RoleArn=role, RoleSessionName="run", ExternalId="secret"))
    assert aws.client("sts", credentials=session).get_caller_identity()["Account"] == other_aws.id


def test_chained_sessions_last_an_hour_at_most(aws: Any) -> None:
    iam, root = aws.client("iam"), f"arn:aws:iam::{aws.id}:root"
    for name in ("one", "two"):
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust({"AWS": root}), MaxSessionDuration=7200)
        empower(iam, name)
    arn = f"arn:aws:iam::{aws.id}:role/"
    first = session_of(aws.client("sts").assume_role(RoleArn=arn + "one", RoleSessionName="s1", DurationSeconds=7200))
    sts = aws.client("sts", credentials=first)
    with pytest.raises(ClientError) as error:
        sts.assume_role(RoleArn=arn + "two", RoleSessionName="s2", DurationSeconds=7200)
    assert code(error) == "ValidationError"
    sts.assume_role(RoleArn=arn + "two", RoleSessionName="s2")


def test_session_tokens_are_the_user_and_not_for_sessions(aws: Any) -> None:
    session = session_of(aws.client("sts").get_session_token())
    sts = aws.client("sts", credentials=session)
    assert sts.get_caller_identity()["Arn"] == aws.account.principal_arn
    document = trust({"AWS": "*"})
    role = aws.client("iam").create_role(RoleName="r", AssumeRolePolicyDocument=document)["Role"]["Arn"]
    assumed = session_of(sts.assume_role(RoleArn=role, RoleSessionName="run"))
    with pytest.raises(ClientError) as error:
        aws.client("sts", credentials=assumed).get_session_token()
    assert code(error) == "AccessDenied"


@pytest.mark.parametrize(
    "more",
    [
        {"SourceIdentity": "me"},
        {"SerialNumber": "arn:aws:iam::111122223333:mfa/me", "TokenCode": "123456"},
    ],
)
def test_what_would_go_unheeded_is_not_implemented(aws: Any, more: dict[str, Any]) -> None:
    document = trust({"AWS": aws.account.principal_arn})
    role = aws.client("iam").create_role(RoleName="any", AssumeRolePolicyDocument=document)["Role"]["Arn"]
    with pytest.raises(ClientError, match=f"does not implement sts:AssumeRole with {min(more)}") as error:
        aws.client("sts").assume_role(RoleArn=role, RoleSessionName="run", **more)
    assert code(error) == "NotImplemented"


def test_minting_needs_the_role(aws: Any) -> None:
    with pytest.raises(LookupError):
        aws.front.mint_session(f"arn:aws:iam::{aws.id}:role/none", "s")
    with pytest.raises(LookupError):
        aws.front.mint_session("nonsense", "s")


def token_url(aws: Any, cluster: str, credentials: Credentials | None = None, expires: int = 60) -> str:
    """What `aws eks get-token` signs."""
    client = aws.client("sts", credentials=credentials)
    signer = RequestSigner(
        client.meta.service_model.service_id,
        "us-west-2",
        "sts",
        "v4",
        client._request_signer._credentials,
        client.meta.events,
    )
    request = {
        "method": "GET",
        "url": "https://sts.us-west-2.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
        "body": {},
        "headers": {"x-k8s-aws-id": cluster},
        "context": {},
    }
    url: str = signer.generate_presigned_url(request, region_name="us-west-2", expires_in=expires, operation_name="")
    return url


def test_a_presigned_url_can_be_fetched(aws: Any) -> None:
    url = aws.client("sts").generate_presigned_url("get_caller_identity", ExpiresIn=60, HttpMethod="GET")
    with urllib.request.urlopen(url) as answer:
        assert f"<Arn>{aws.account.principal_arn}</Arn>" in answer.read().decode()
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(url.replace("GetCallerIdentity", "GetSessionToken"))
    with error.value as answer:
        assert b"SignatureDoesNotMatch" in answer.read()


def test_an_eks_token_names_its_signer(aws: Any) -> None:
    who = aws.front.verify_presigned(token_url(aws, "demo"), {"x-k8s-aws-id": "demo"})
    assert (who.arn, who.account) == (aws.account.principal_arn, aws.id)


@pytest.mark.parametrize(
    ("headers", "reason"),
    [({"x-k8s-aws-id": "other"}, "signature"), ({}, "signature"), ({"x-k8s-aws-id": "demo", "x-more": "1"}, "x-more")],
)
def test_an_eks_token_is_good_for_its_cluster_alone(aws: Any, headers: dict[str, str], reason: str) -> None:
    with pytest.raises(PermissionError, match=reason):
        aws.front.verify_presigned(token_url(aws, "demo"), headers)


def test_an_eks_token_of_an_ended_session_is_refused(aws: Any) -> None:
    aws.client("iam").create_role(RoleName="r", AssumeRolePolicyDocument=trust({"AWS": "*"}))
    session = aws.front.mint_session(f"arn:aws:iam::{aws.id}:role/r", "s", duration_seconds=0)
    with pytest.raises(PermissionError, match="expired"):
        aws.front.verify_presigned(token_url(aws, "demo", session), {"x-k8s-aws-id": "demo"})


def test_an_old_eks_token_is_refused(aws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    late = dt.datetime.now(dt.UTC) - dt.timedelta(minutes=16)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: late)
    with pytest.raises(PermissionError, match="skewed"):
        aws.front.verify_presigned(token_url(aws, "demo"), {"x-k8s-aws-id": "demo"})


@pytest.mark.parametrize("url", ["", "https://x/?Action=GetCallerIdentity", "https://x/?Action=ListRoles", "%%%"])
def test_what_is_no_token_is_refused(aws: Any, url: str) -> None:
    with pytest.raises(PermissionError):
        aws.front.verify_presigned(url, {})


def test_service_principals_act_as_services(aws: Any) -> None:
    client = aws.front.client("sts", aws.id, "us-west-2", principal="eks.amazonaws.com")
    arn = f"arn:aws:sts::{aws.id}:assumed-role/AWSServiceRoleForAmazonEKS/eks"
    assert client.get_caller_identity()["Arn"] == arn
    [entry] = aws.front.log.select(lambda one: one.account == aws.id and one.action == "GetCallerIdentity")
    assert entry.is_aws_service
