"""The policies and the condition keys of a principal, read from ministack's store of IAM.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sandbox.contracts import Principal
from sandbox.emulators import ministack
from sandbox.front import sessiontags
from sandbox.iam.model import Policies, Statement, Value
from sandbox.iam.parse import parse


def _store() -> Any:
    return ministack.module("services.iam")


def _record(principal: Principal) -> dict[str, Any] | None:
    """The user or role behind a principal; None for any other, and for one that has been deleted."""
    kind, name = name_of(principal)
    store = {"user": _store()._users, "assumed-role": _store()._roles}.get(kind)
    found: dict[str, Any] | None = store.get_scoped(principal.account, None, name) if store is not None else None
    return found


def name_of(principal: Principal) -> tuple[str, str]:
    """What the ARN of a principal is of, and the name of the user or role."""
    kind, _, path = principal.arn.split(":", 5)[-1].partition("/")
    return kind, path.partition("/")[0] if kind == "assumed-role" else path.rpartition("/")[2]


def document(account: str, arn: str) -> str | None:
    """The text of the default version of a managed policy, AWS's or the account's own."""
    iam = _store()
    record = iam._aws_managed_policies.get(arn) or iam._policies.get_scoped(account, None, arn)
    if record is None:
        return None
    return str(record["Versions"][record["DefaultVersionId"]]["Document"])


def policies(principal: Principal) -> Policies:
    """All that limits or allows the principal. Raises MalformedPolicyError."""
    record = _record(principal) or {}
    boundary = record.get("PermissionsBoundary")
    session = principal.session_policies
    return Policies(
        identity=_parsed(_documents(principal, record)),
        boundary=_parsed(_managed(principal.account, [boundary])) if boundary else None,
        session=_parsed(session) if session is not None else None,
    )


def keys(principal: Principal) -> dict[str, Value]:
    """The condition keys that say who asks.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-principal-properties
    """
    record = _record(principal) or {}
    kind, name = name_of(principal)
    found: dict[str, Value] = {
        "aws:principalarn": record.get("Arn") or principal.arn,
        "aws:principalaccount": principal.account,
        "aws:principaltype": "AssumedRole" if kind == "assumed-role" else "User",
        "aws:principalisawsservice": "false",
        "aws:userid": principal.user_id,
    }
    if kind == "user":
        found["aws:username"] = name
    own = {tag["Key"]: tag["Value"] for tag in record.get("Tags") or []}
    return found | sessiontags.principal_conditions(own, principal.session_tags)


def _documents(principal: Principal, record: dict[str, Any]) -> Iterator[str]:
    iam = _store()
    yield from _managed(principal.account, record.get("AttachedPolicies") or [])
    yield from (record.get("InlinePolicies") or {}).values()
    if ":user/" not in principal.arn:
        return
    name = name_of(principal)[1]
    yield from (iam._user_inline_policies.get_scoped(principal.account, None, name) or {}).values()
    for (account, group), members in list(iam._groups.to_dict().items()):
        if account == principal.account and name in members.get("Users", []):
            yield from _managed(account, members.get("AttachedPolicies") or [])
            yield from (iam._group_inline_policies.get_scoped(account, None, group) or {}).values()


def _managed(account: str, arns: Iterable[str]) -> Iterator[str]:
    """A policy that has been deleted allows nothing."""
    for arn in arns:
        if (text := document(account, arn)) is not None:
            yield text


def _parsed(texts: Iterable[str]) -> tuple[Statement, ...]:
    return tuple(statement for text in texts for statement in parse(text))
