"""Trust policies: whom a role trusts, and whether it names the caller or only the caller's account.

An account that is trusted hands the decision to its own identity policies; a principal of the same account that is
named needs no other permission.
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic_policy-eval-basics.html
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sandbox.iam.evaluate import applies
from sandbox.iam.model import Request, Statement

Trust = Literal["principal", "account"]
_ACCOUNT = re.compile(r"(?:arn:[\w-]+:iam::)?(\d{12})(?::root)?")


@dataclass(frozen=True)
class Caller:
    """Who wants in: account, ARN, and of a session the ARN of its role."""

    account: str
    arn: str
    role_arn: str | None = None


def trust(statements: Sequence[Statement], caller: Caller, request: Request) -> Trust | None:
    """How the policy lets the caller do the request, None when it does not or says no."""
    found: Trust | None = None
    for one in statements:
        named = _named(one, caller)
        if named is None or not applies(one, request):
            continue
        if one.effect == "Deny":
            return None
        found = "principal" if "principal" in (found, named) else "account"
    return found


def _named(statement: Statement, caller: Caller) -> Trust | None:
    names = statement.principals.get("AWS", ())
    if any(name in ("*", caller.arn, caller.role_arn) for name in names):
        return "principal"
    accounts = {found[1] for name in names if (found := _ACCOUNT.fullmatch(name))}
    return "account" if caller.account in accounts else None
