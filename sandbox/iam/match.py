"""Patterns: ``*``, ``?`` and policy variables.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
"""

from __future__ import annotations

import re
from functools import lru_cache

from sandbox.iam.model import Context

_VARIABLE = re.compile(r"\$\{([^}]*)\}")
#: ``${*}`` is an asterisk that is no wildcard, and so on.
_ESCAPES = ("*", "?", "$")


def matches(pattern: str, value: str, context: Context | None, *, any_case: bool = False) -> bool:
    """Whether ``value`` is like ``pattern``. ``context`` has the variables, None where they mean nothing.

    A pattern with a variable that the request does not have is like nothing.
    """
    expression = _glob(pattern) if context is None or "${" not in pattern else _expanded(pattern, context)
    return expression is not None and _compiled(expression, any_case).fullmatch(value) is not None


def resolved(text: str, context: Context | None) -> str | None:
    """The text with its variables replaced, without wildcards; None when the request does not have one of them."""
    if context is None or "${" not in text:
        return text
    parts, at = [], 0
    for found in _VARIABLE.finditer(text):
        value = _variable(found[1], context)
        if value is None:
            return None
        parts += [text[at : found.start()], value]
        at = found.end()
    return "".join([*parts, text[at:]])


def arn_matches(pattern: str, value: str, context: Context | None) -> bool:
    """As ArnLike compares: "Each of the six colon-delimited components of the ARN is checked separately".

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
    """
    wanted, given = _components(pattern), value.split(":", 5)
    return len(wanted) == len(given) == 6 and all(
        matches(part, of, context) for part, of in zip(wanted, given, strict=True)
    )


def _components(pattern: str) -> list[str]:
    """The parts between colons, of which those inside of ``${…}`` are none."""
    return [part.replace("\0", ":") for part in _VARIABLE.sub(_hidden, pattern).split(":", 5)]


def _hidden(found: re.Match[str]) -> str:
    return found[0].replace(":", "\0")


def _expanded(pattern: str, context: Context) -> str | None:
    parts, at = [], 0
    for found in _VARIABLE.finditer(pattern):
        value = _variable(found[1], context)
        if value is None:
            return None
        parts += [_glob(pattern[at : found.start()]), re.escape(value)]
        at = found.end()
    return "".join([*parts, _glob(pattern[at:])])


def _variable(text: str, context: Context) -> str | None:
    """The value of ``key`` or ``key, 'default'``. A key with many values cannot be a variable."""
    if text in _ESCAPES:
        return text
    key, _, default = text.partition(",")
    value = context.get(key.strip().lower())
    if isinstance(value, str):
        return value
    default = default.strip()
    quoted = len(default) > 1 and default[0] == default[-1] == "'"
    return default[1:-1] if value is None and quoted else None


def _glob(pattern: str) -> str:
    return "".join(".*" if one == "*" else "." if one == "?" else re.escape(one) for one in pattern)


@lru_cache(8192)
def _compiled(expression: str, any_case: bool) -> re.Pattern[str]:
    return re.compile(expression, re.DOTALL | (re.IGNORECASE if any_case else 0))
