"""Condition operators.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-logic-multiple-context-keys-or-values.html
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import eq, ge, gt, le, lt
from typing import Any

from sandbox.iam import match
from sandbox.iam.model import Condition, Context

#: (value of the request, value of the policy, variables) -> whether they fit.
Test = Callable[[str, str, Context | None], bool]


@dataclass(frozen=True)
class Operator:
    """How one value is compared; a negated operator holds when no value of the policy fits."""

    test: Test
    negated: bool = False


def _exact(fold: Callable[[str], str]) -> Test:
    def test(value: str, wanted: str, context: Context | None) -> bool:
        text = match.resolved(wanted, context)
        return text is not None and fold(value) == fold(text)

    return test


def _like(value: str, wanted: str, context: Context | None) -> bool:
    return match.matches(wanted, value, context)


def _arn(value: str, wanted: str, context: Context | None) -> bool:
    return match.arn_matches(wanted, value, context)


def _compared(read: Callable[[str], Any], compare: Callable[[Any, Any], bool]) -> Test:
    """A comparison of what both texts stand for; texts that stand for nothing do not fit."""

    def test(value: str, wanted: str, _: Context | None) -> bool:
        try:
            return compare(read(value), read(wanted))
        except ValueError:
            return False

    return test


def _date(text: str) -> datetime:
    """ISO 8601 or seconds since the epoch."""
    try:
        return datetime.fromtimestamp(float(text), UTC)
    except ValueError:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=moment.tzinfo or UTC)


def _address(value: str, wanted: str, _: Context | None) -> bool:
    try:
        return ipaddress.ip_address(value) in ipaddress.ip_network(wanted, strict=False)
    except ValueError:
        return False


def _family(stem: str, suffix: str, test: Test) -> dict[str, Operator]:
    """An operator and its negation."""
    return {f"{stem}{suffix}": Operator(test), f"{stem}not{suffix}": Operator(test, negated=True)}


def _ordered(name: str, read: Callable[[str], Any]) -> dict[str, Operator]:
    return _family(name, "equals", _compared(read, eq)) | {
        f"{name}lessthan": Operator(_compared(read, lt)),
        f"{name}lessthanequals": Operator(_compared(read, le)),
        f"{name}greaterthan": Operator(_compared(read, gt)),
        f"{name}greaterthanequals": Operator(_compared(read, ge)),
    }


#: By name in lower case. ArnEquals and ArnLike "behave identically"; Null looks at the key alone.
OPERATORS: dict[str, Operator] = {
    **_family("string", "equals", _exact(str)),
    **_family("string", "like", _like),
    **_family("string", "equalsignorecase", _exact(str.lower)),
    **_ordered("numeric", float),
    **_ordered("date", _date),
    "bool": Operator(_exact(str.lower)),
    "binaryequals": Operator(_exact(str)),
    "ipaddress": Operator(_address),
    "notipaddress": Operator(_address, negated=True),
    **_family("arn", "equals", _arn),
    **_family("arn", "like", _arn),
    "null": Operator(_exact(str.lower)),
}


def met(condition: Condition, context: Context, variables: bool) -> bool:
    """Whether a request with this context meets the condition."""
    given = context.get(condition.key)
    if condition.operator == "null":
        return str(given is None).lower() in {one.lower() for one in condition.values}
    values = (given,) if isinstance(given, str) else given or ()
    operator = OPERATORS[condition.operator]

    def holds(value: str) -> bool:
        known = context if variables else None
        return operator.negated != any(operator.test(value, wanted, known) for wanted in condition.values)

    if condition.qualifier == "forallvalues":
        # "It also returns true if there are no context keys in the request".
        return all(map(holds, values))
    if not values:
        return condition.if_exists or (operator.negated and not condition.qualifier)
    return all(map(holds, values)) if operator.negated and not condition.qualifier else any(map(holds, values))
