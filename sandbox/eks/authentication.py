"""The token review webhook: which Kubernetes user an AWS principal is, by access entries and ``aws-auth``.

https://docs.aws.amazon.com/eks/latest/userguide/cluster-auth.html
https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from botocore.exceptions import ClientError

from sandbox.contracts import Principal
from sandbox.eks import access, awsauth, policies
from sandbox.eks.context import LOG, Context, partition_of
from sandbox.eks.iam import Arn
from sandbox.eks.kube import KubeError
from sandbox.eks.model import AccessEntry, Cluster

_PREFIX = "k8s-aws-v1."
_HEADER = "x-k8s-aws-id"


class DeniedError(Exception):
    """The token does not authenticate anybody; the text says why."""


@dataclass(frozen=True)
class Who:
    """The principal behind a token: the role or user (a role without its path), and the session's name."""

    principal: Principal
    arn: Arn
    session: str

    @property
    def id(self) -> str:
        """The unique id of the role or user."""
        return self.principal.user_id.partition(":")[0]


class Authentication:
    """Reviews tokens for the API servers of all clusters."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def review(self, cluster: Cluster, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to a TokenReview: the same object with its status."""
        token = str(body.get("spec", {}).get("token", ""))
        try:
            status = {"authenticated": True, "user": await self._user(cluster, token)}
        except DeniedError as denied:
            LOG.info("%s: no access: %s", cluster.arn, denied)
            status = {"authenticated": False, "error": str(denied)}
        return {"apiVersion": body.get("apiVersion"), "kind": "TokenReview", "status": status}

    async def _user(self, cluster: Cluster, token: str) -> dict[str, Any]:
        who = await self._who(cluster, token)
        username, groups = await self._mapping(cluster, who)
        username = await self._fill_in(cluster, username, who)
        return {
            "username": username,
            "uid": f"aws-iam-authenticator:{who.arn.account}:{who.id}",
            "groups": groups,
            "extra": {
                "arn": [who.principal.arn],
                "principalId": [who.id],
                "sessionName": [who.session],
            },
        }

    async def _who(self, cluster: Cluster, token: str) -> Who:
        url = _url_of(token)
        try:
            headers = {_HEADER: cluster.name}
            principal = await self._context.threads.run(self._context.aws.verify_presigned, url, headers)
        except PermissionError as error:
            raise DeniedError(f"the presigned request is not good: {error}") from error
        arn = Arn.parse(principal.arn)
        if arn is None:
            raise DeniedError(f"{principal.arn} is neither a role nor a user")
        if arn.service == "sts":
            role, _, session = arn.path.partition("/")
            return Who(principal, Arn(arn.account, "iam", "role", role, role), session)
        return Who(principal, arn, "")

    async def _mapping(self, cluster: Cluster, who: Who) -> tuple[str, list[str]]:
        mode = cluster.authentication_mode
        if mode != "CONFIG_MAP":
            entry = find_entry(cluster, who)
            if entry is not None:
                return entry.username, groups_of(entry, cluster)
        elif who.id == cluster.creator.id:
            # Without access entries the creator is an administrator whom no ConfigMap names.
            return "kubernetes-admin", ["system:masters"]
        if mode != "API":
            try:
                found = await awsauth.find(self._context.kube(cluster), who.arn)
            except KubeError as error:
                raise DeniedError(f"aws-auth could not be read: {error}") from error
            if found is not None:
                return found
        raise DeniedError(f"{who.principal.arn} has no access entry in cluster {cluster.name}")

    async def _fill_in(self, cluster: Cluster, username: str, who: Who) -> str:
        # The authenticator replaces @ in session names, which Kubernetes does not take in names.
        values = {
            "{{SessionName}}": who.session.replace("@", "-"),
            "{{SessionNameRaw}}": who.session,
            "{{AccountID}}": who.arn.account,
        }
        for name, value in values.items():
            username = username.replace(name, value)
        if "{{EC2PrivateDNSName}}" in username:
            username = username.replace("{{EC2PrivateDNSName}}", await self._private_dns_name(cluster, who.session))
        return username

    async def _private_dns_name(self, cluster: Cluster, instance_id: str) -> str:
        if not instance_id.startswith("i-"):
            raise DeniedError(f"the session {instance_id} is not one of an EC2 instance")
        try:
            answer = await self._context.call("ec2", cluster, "describe_instances", InstanceIds=[instance_id])
        except ClientError as error:
            raise DeniedError(f"instance {instance_id}: {error.response['Error']['Message']}") from error
        for reservation in answer["Reservations"]:
            for instance in reservation["Instances"]:
                if instance.get("PrivateDnsName"):
                    return str(instance["PrivateDnsName"])
        raise DeniedError(f"instance {instance_id} has no private DNS name")


def find_entry(cluster: Cluster, who: Who) -> AccessEntry | None:
    """The entry of a principal.

    EKS compares unique ids, so an entry whose role was deleted and made again does not work any more.
    https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
    """
    return next((entry for entry in cluster.entries.values() if entry.principal_id == who.id), None)


def groups_of(entry: AccessEntry, cluster: Cluster) -> list[str]:
    """The entry's own groups, the bootstrap group of nodes, and one group per associated policy and scope."""
    groups = list(entry.groups)
    if entry.type in access.NODE_TYPES:
        groups.insert(0, "system:bootstrappers")
    for scope in entry.policies.values():
        name = policies.name_of(scope.policy_arn, partition_of(cluster.region))
        if name is not None and scope.type == "cluster":
            groups.append(policies.group(name))
        elif name is not None:
            groups += [policies.group(name, pattern) for pattern in scope.namespaces]
    return groups


def _url_of(token: str) -> str:
    if not token.startswith(_PREFIX):
        raise DeniedError("the token is not one of EKS")
    text = token[len(_PREFIX) :]
    try:
        url = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
        query = parse_qs(urlsplit(url).query)
    except (binascii.Error, UnicodeDecodeError, ValueError) as error:
        raise DeniedError("the token is not a presigned URL") from error
    if query.get("Action") != ["GetCallerIdentity"]:
        raise DeniedError("the presigned request is not GetCallerIdentity")
    signed = next(iter(query.get("X-Amz-SignedHeaders", [])), "").split(";")
    if _HEADER not in signed:
        raise DeniedError(f"the presigned request does not sign {_HEADER}")
    return url
