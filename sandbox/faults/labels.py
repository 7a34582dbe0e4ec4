"""Label selectors, read as far as webhooks and lists both understand them. Pure.

https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
"""

from __future__ import annotations

import re
from typing import Any

FORMS = "KEY=VALUE, KEY!=VALUE, KEY, !KEY, joined by commas"
_KEY = r"(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_VALUE = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"
_EQUALS = re.compile(rf"({_KEY})\s*(==?|!=)\s*({_VALUE})")
_EXISTS = re.compile(rf"(!?)\s*({_KEY})")


def parse(text: str) -> dict[str, Any]:
    """A selector as objects carry it (``matchExpressions``). Raises ValueError for a text that is none."""
    return {"matchExpressions": [_expression(part.strip()) for part in text.split(",")]}


def _expression(part: str) -> dict[str, Any]:
    if match := _EQUALS.fullmatch(part):
        return {"key": match[1], "operator": "NotIn" if match[2] == "!=" else "In", "values": [match[3]]}
    if match := _EXISTS.fullmatch(part):
        return {"key": match[2], "operator": "DoesNotExist" if match[1] else "Exists"}
    raise ValueError(f"{part!r} is no label selector; use {FORMS}")
