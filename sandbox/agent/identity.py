"""How a kubelet proves who it is: the instance's role, and a presigned GetCallerIdentity URL as bearer token.

https://docs.aws.amazon.com/eks/latest/userguide/cluster-auth.html
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/iam-roles-for-amazon-ec2.html
"""

from __future__ import annotations

import base64
import time

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotoCredentials

from sandbox.contracts import Aws, Credentials

from .ec2 import Account

_PREFIX = "k8s-aws-v1."
#: A token is good for 15 minutes after it was signed; like `aws eks get-token` we count on 14.
_TOKEN_SECONDS = 14 * 60.0
_RENEW_BEFORE_SECONDS = 300.0


def eks_token(credentials: Credentials, sts_url: str, region: str, cluster: str) -> str:
    """A bearer token for one cluster, signed now."""
    request = AWSRequest(
        "GET",
        f"{sts_url.rstrip('/')}/",
        headers={"x-k8s-aws-id": cluster},
        params={"Action": "GetCallerIdentity", "Version": "2011-06-15"},
    )
    signer = BotoCredentials(credentials.access_key_id, credentials.secret_access_key, credentials.token)
    SigV4QueryAuth(signer, "sts", region, expires=60).add_auth(request)
    return _PREFIX + base64.urlsafe_b64encode(request.url.encode()).decode().rstrip("=")


class NodeIdentity:
    """The credentials of one instance, from its profile, renewed before they end."""

    def __init__(self, aws: Aws, account: Account, region: str, profile_arn: str | None, instance_id: str) -> None:
        self._aws, self._account, self._region = aws, account, region
        self._profile_arn, self._instance_id = profile_arn, instance_id
        self._credentials: Credentials | None = None
        self._tokens: dict[str, tuple[str, float]] = {}

    def _fetch(self) -> Credentials:
        if not self._profile_arn:
            raise LookupError("the instance has no instance profile")
        role = self._account.role_arn(self._profile_arn)
        return self._aws.mint_session(role, self._instance_id)

    async def credentials(self) -> Credentials:
        """The role's session credentials. Raises LookupError when the instance has none to give."""
        held = self._credentials
        if held is None or (held.expires_at or 0) < time.time() + _RENEW_BEFORE_SECONDS:
            held = self._credentials = await self._account.run(self._fetch)
            self._tokens.clear()
        return held

    async def token(self, cluster: str) -> str:
        """A token for the cluster; kept until it is about to end."""
        credentials = await self.credentials()
        token, until = self._tokens.get(cluster, ("", 0.0))
        if time.monotonic() >= until:
            token = eks_token(credentials, self._aws.url, self._region, cluster)
            self._tokens[cluster] = (token, time.monotonic() + _TOKEN_SECONDS)
        return token
