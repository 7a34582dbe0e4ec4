"""From the text of a policy to its statements. Texts are read once: a controller calls a hundred times a minute.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sandbox.iam.conditions import OPERATORS
from sandbox.iam.model import Condition, Effect, Qualifier, Statement

_KEPT = 4096
#: Policy variables came with this version: "Version" on the page named above.
_WITH_VARIABLES = "2012-10-17"


class MalformedPolicyError(ValueError):
    """A policy that AWS would refuse, or that says something which is not known here."""


@lru_cache(_KEPT)
def parse(text: str) -> tuple[Statement, ...]:
    """The statements of a policy document. Raises MalformedPolicyError."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise MalformedPolicyError("The policy is not JSON.") from error
    if not isinstance(document, dict) or "Statement" not in document:
        raise MalformedPolicyError("The policy has no Statement.")
    variables = document.get("Version") == _WITH_VARIABLES
    statements = document["Statement"]
    return tuple(_statement(one, variables) for one in (statements if isinstance(statements, list) else [statements]))


def _statement(data: Any, variables: bool) -> Statement:
    if not isinstance(data, dict):
        raise MalformedPolicyError("A statement is not an object.")
    effect = data.get("Effect")
    if effect not in ("Allow", "Deny"):
        raise MalformedPolicyError(f"Effect is Allow or Deny, not {effect!r}.")
    if ("Action" in data) == ("NotAction" in data):
        raise MalformedPolicyError("A statement has either Action or NotAction.")
    if "Resource" in data and "NotResource" in data:
        raise MalformedPolicyError("A statement has either Resource or NotResource.")
    kind: Effect = "Allow" if effect == "Allow" else "Deny"
    return Statement(
        effect=kind,
        sid=str(data.get("Sid", "")),
        actions=_texts(data.get("Action")),
        not_actions=_texts(data.get("NotAction")),
        resources=_texts(data.get("Resource")),
        not_resources=_texts(data.get("NotResource")),
        conditions=_conditions(data.get("Condition") or {}),
        principals=_principals(data.get("Principal")),
        variables=variables,
    )


def _texts(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    return tuple(_text(one) for one in (value if isinstance(value, list) else [value]))


def _text(value: Any) -> str:
    """Numbers and booleans are allowed without quotes in conditions."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    raise MalformedPolicyError(f"{value!r} is neither a text nor a list of texts.")


def _conditions(block: Any) -> tuple[Condition, ...]:
    if not isinstance(block, Mapping) or not all(isinstance(tests, Mapping) for tests in block.values()):
        raise MalformedPolicyError("Condition is an object of objects.")
    return tuple(
        _condition(str(operator), str(key), wanted)
        for operator, tests in block.items()
        for key, wanted in tests.items()
    )


def _condition(operator: str, key: str, wanted: Any) -> Condition:
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html"""
    prefix, colon, name = operator.lower().rpartition(":")
    qualifiers: dict[str, Qualifier] = {"": "", "forallvalues": "forallvalues", "foranyvalue": "foranyvalue"}
    if_exists = name.endswith("ifexists") and name != "nullifexists"
    name = name.removesuffix("ifexists") if if_exists else name
    if prefix not in qualifiers or (colon and not prefix) or name not in OPERATORS:
        raise MalformedPolicyError(f"There is no condition operator {operator}.")
    return Condition(name, key.lower(), _texts(wanted) or (), qualifiers[prefix], if_exists)


def _principals(value: Any) -> Mapping[str, tuple[str, ...]]:
    """Of a trust policy: ``"*"`` is short for ``{"AWS": "*"}``."""
    if value is None:
        return {}
    if isinstance(value, str):
        return {"AWS": (value,)}
    if not isinstance(value, Mapping):
        raise MalformedPolicyError("Principal is * or an object.")
    return {str(kind): _texts(names) or () for kind, names in value.items()}
