"""boto3 clients of a front, made once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import boto3
from botocore.config import Config

from sandbox.contracts import Credentials

REGION = "us-west-2"
_SESSION = boto3.session.Session()
_CONFIG = Config(retries={"total_max_attempts": 1}, read_timeout=60)


ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess"


def empower(iam: Any, role: str, policy: str = ADMINISTRATOR) -> None:
    """Give a role a managed policy: a role may do what its policies allow, and nothing without any."""
    iam.attach_role_policy(RoleName=role, PolicyArn=policy)


@lru_cache(maxsize=64)
def client(url: str, service: str, credentials: Credentials, region: str = REGION) -> Any:
    """A boto3 client of the front at ``url``. It is shared: boto3's clients are slow to make."""
    return _SESSION.client(
        service,
        region_name=region,
        endpoint_url=url,
        aws_access_key_id=credentials.access_key_id,
        aws_secret_access_key=credentials.secret_access_key,
        aws_session_token=credentials.token,
        config=_CONFIG,
    )
