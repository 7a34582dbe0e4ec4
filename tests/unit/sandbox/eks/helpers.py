"""Roles, tokens, and the errors of calls."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import boto3
from botocore.exceptions import ClientError
from botocore.model import ServiceId
from botocore.signers import RequestSigner

from sandbox.contracts import Credentials
from tests.unit.clients import REGION


def role(iam: Any, name: str, *services: str, path: str = "/", actions: tuple[str, ...] = ("sts:AssumeRole",)) -> str:
    """Make a role that lets AWS services do ``actions``; its ARN."""
    statement = {"Effect": "Allow", "Principal": {"Service": list(services)}, "Action": list(actions)}
    trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    arn: str = iam.create_role(RoleName=name, Path=path, AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    return arn


def token_of(credentials: Credentials, cluster: str, *, url: str | None = None, sign_cluster: bool = True) -> str:
    """A token as the AWS CLI's ``eks get-token`` makes it."""
    session = boto3.session.Session(credentials.access_key_id, credentials.secret_access_key, credentials.token)
    signer = RequestSigner(
        ServiceId("STS"),
        REGION,
        "sts",
        "v4",
        session.get_credentials(),
        session.events,
    )
    base = f"https://sts.{REGION}.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15"
    request = {
        "method": "GET",
        "url": url or base,
        "body": {},
        "headers": {"x-k8s-aws-id": cluster} if sign_cluster else {},
        "context": {},
    }
    signed = signer.generate_presigned_url(request, region_name=REGION, expires_in=60, operation_name="")
    return "k8s-aws-v1." + base64.urlsafe_b64encode(signed.encode()).decode().rstrip("=")


def gone(look: Callable[[], Any]) -> Callable[[], bool]:
    """A look that succeeds when ``look`` raises ResourceNotFoundException."""

    def looked() -> bool:
        try:
            look()
        except ClientError as error:
            return bool(error.response["Error"]["Code"] == "ResourceNotFoundException")
        return False

    return looked


def code_of(action: Callable[[], Any]) -> tuple[str, str]:
    """The error code and message that a call is answered with. Raises AssertionError when it succeeds."""
    try:
        result = action()
    except ClientError as error:
        return error.response["Error"]["Code"], error.response["Error"]["Message"]
    raise AssertionError(f"succeeded: {result}")
