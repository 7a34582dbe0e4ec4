"""The decision: an explicit deny wins, then every kind of policy there is must allow.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic_policy-eval-basics.html
https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sandbox.iam import conditions
from sandbox.iam.match import matches
from sandbox.iam.model import Context, Decision, Effect, Kind, Policies, Request, Statement


def decide(request: Request, policies: Policies) -> Decision:
    """Whether the policies allow the request."""
    layers: list[tuple[Kind, tuple[Statement, ...]]] = [("identity-based policy", policies.identity)]
    if policies.boundary is not None:
        layers.append(("permissions boundary", policies.boundary))
    if policies.session is not None:
        layers.append(("session policy", policies.session))
    for kind, statements in layers:
        if denying := first(request, statements, "Deny"):
            return Decision(allowed=False, kind=kind, explicit=True, statement=denying)
    for kind, statements in layers:
        if first(request, statements, "Allow") is None:
            return Decision(allowed=False, kind=kind)
    return Decision(allowed=True, statement=first(request, policies.identity, "Allow"))


def first(request: Request, statements: Iterable[Statement], effect: Effect) -> Statement | None:
    """The first statement with this effect that speaks of the request."""
    return next((one for one in statements if one.effect == effect and applies(one, request)), None)


def hinges(request: Request, policies: Policies) -> bool:
    """Whether it is for conditions alone that no identity-based policy allows the request."""
    return any(
        one.effect == "Allow" and one.conditions and applies(replace(one, conditions=()), request)
        for one in policies.identity
    )


def applies(statement: Statement, request: Request) -> bool:
    """Whether the statement speaks of the request. One without a resource is about what it is attached to."""
    variables = request.context if statement.variables else None
    return (
        _listed(statement.actions, statement.not_actions, request.action, None, any_case=True)
        and _listed(statement.resources, statement.not_resources, request.resource, variables)
        and all(conditions.met(one, request.context, statement.variables) for one in statement.conditions)
    )


def _listed(
    wanted: tuple[str, ...] | None,
    unwanted: tuple[str, ...] | None,
    value: str,
    variables: Context | None,
    *,
    any_case: bool = False,
) -> bool:
    patterns = wanted if unwanted is None else unwanted
    if patterns is None:
        return True
    found = any(matches(pattern, value, variables, any_case=any_case) for pattern in patterns)
    return found if unwanted is None else not found
