"""What EKS asks IAM: does a principal exist, what is its unique id, whom does a role trust."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from sandbox.eks.context import Context


@dataclass(frozen=True)
class Arn:
    """The parts of an IAM or STS ARN; ``name`` is the last part of the resource's path."""

    account: str
    service: str
    kind: str
    path: str
    name: str

    @classmethod
    def parse(cls, text: str) -> Arn | None:
        """The parts of ``text``, or None when it is no ARN of a principal."""
        parts = text.split(":", 5)
        if len(parts) != 6 or parts[0] != "arn" or parts[2] not in ("iam", "sts"):
            return None
        kind, _, path = parts[5].partition("/")
        if not path and kind != "root":
            return None
        return cls(parts[4], parts[2], kind, path, path.rpartition("/")[2])


@dataclass(frozen=True)
class IamPrincipal:
    """A role or a user that exists: its full ARN, its unique id, and for a role its trust policy."""

    arn: str
    id: str
    trust: Mapping[str, Any]


async def look_up(context: Context, arn: str, region: str) -> IamPrincipal | None:
    """The role or user with exactly this ARN (its path included), or None. The account's root is a principal too."""
    parts = Arn.parse(arn)
    if parts is None or parts.service != "iam":
        return None
    if parts.kind == "root":
        return IamPrincipal(arn, parts.account, {})
    if parts.kind not in ("role", "user"):
        return None
    found = await by_name(context, parts.account, parts.kind, parts.name, region)
    return found if found is not None and found.arn == arn else None


async def by_name(context: Context, account: str, kind: str, name: str, region: str) -> IamPrincipal | None:
    """The role or user of this name, whatever its path, or None."""

    def get() -> dict[str, Any] | None:
        client = context.client("iam", account, region)
        try:
            answer = client.get_role(RoleName=name) if kind == "role" else client.get_user(UserName=name)
        except ClientError as error:
            if error.response["Error"]["Code"] == "NoSuchEntity":
                return None
            raise
        found: dict[str, Any] = answer["Role" if kind == "role" else "User"]
        return found

    found = await context.threads.run(get)
    if found is None:
        return None
    identity = found["RoleId" if kind == "role" else "UserId"]
    return IamPrincipal(found["Arn"], identity, found.get("AssumeRolePolicyDocument") or {})


def trusts(trust: Mapping[str, Any], service: str, *actions: str, context: Mapping[str, str] | None = None) -> bool:
    """Whether a trust policy lets the AWS service do all of ``actions``.

    Conditions are evaluated against ``context`` (condition key to value); without one they are taken as met, which is
    what can be said when a role is named and not yet assumed. An operator or key that is not known is not met.
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
    """
    allowed: set[str] = set()
    for statement in _each(trust.get("Statement")):
        effect, conditions = statement.get("Effect"), statement.get("Condition") or {}
        met = _met(conditions, context) if context is not None else effect == "Allow" or not conditions
        if not met or not _names_service(statement, service):
            continue
        matching = {one for one in actions if _matches_any(one, statement.get("Action"))}
        if effect == "Deny" and matching:
            return False
        if effect == "Allow":
            allowed |= matching
    return allowed == set(actions)


def _each(value: Any) -> Iterator[Any]:
    if value is not None:
        yield from value if isinstance(value, list) else [value]


def _names_service(statement: Mapping[str, Any], service: str) -> bool:
    principal = statement.get("Principal")
    return isinstance(principal, Mapping) and service in _each(principal.get("Service"))


def _matches_any(action: str, patterns: Any) -> bool:
    return any(fnmatch.fnmatchcase(action.lower(), str(one).lower()) for one in _each(patterns))


def _met(conditions: Mapping[str, Any], context: Mapping[str, str]) -> bool:
    known = {key.lower(): value for key, value in context.items()}
    for operator, tests in conditions.items():
        if operator not in ("StringEquals", "StringLike", "ArnEquals", "ArnLike"):
            return False
        for key, wanted in tests.items():
            value = known.get(key.lower())
            patterns = [str(one) for one in _each(wanted)]
            exact = operator == "StringEquals"
            if value is None or not any(value == one if exact else fnmatch.fnmatchcase(value, one) for one in patterns):
                return False
    return True
