"""Conditions that join a list: ministack compares the function's text instead of its value.

Fn::Join is among the functions that Fn::Equals takes in a condition ("Supported functions"):
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference-conditions.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

Evaluate = Callable[[dict[str, Any], dict[str, Any]], dict[str, bool]]
_USERS = ("changesets", "engine", "handlers", "stacks")


def install(modules: Callable[[str], ModuleType]) -> None:
    """Put the evaluation that joins in the place of ministack's, wherever it has been imported."""
    original: Evaluate = modules("services.cloudformation.engine")._evaluate_conditions

    def evaluate(template: dict[str, Any], params: dict[str, Any]) -> dict[str, bool]:
        wanted = template.get("Conditions")
        joined = {**template, "Conditions": _joined(wanted, params)} if wanted else template
        return original(joined, params)

    for name in _USERS:
        vars(modules(f"services.cloudformation.{name}"))["_evaluate_conditions"] = evaluate


def _joined(expression: Any, params: Mapping[str, Mapping[str, Any]]) -> Any:
    """The expression with every Fn::Join replaced by its text."""
    if isinstance(expression, list):
        return [_joined(item, params) for item in expression]
    if not isinstance(expression, dict):
        return expression
    if "Fn::Join" in expression:
        delimiter, items = expression["Fn::Join"]
        return str(delimiter).join(_texts(items, params))
    return {key: _joined(value, params) for key, value in expression.items()}


def _texts(items: Any, params: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The texts of a list, or of a reference to a parameter that is one."""
    if isinstance(items, dict) and "Ref" in items:
        value = str(params.get(items["Ref"], {}).get("Value", items["Ref"]))
        return [part.strip() for part in value.split(",")]
    return [text for item in items for text in (_texts(item, params) if isinstance(item, dict) else [str(item)])]
