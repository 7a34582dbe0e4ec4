# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Which resources a template makes with given parameters. Pure: standard library only. Private to the collection.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-conditions.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def evaluate(template: Mapping[str, Any], parameters: Mapping[str, str], name: str) -> bool | None:
    """Whether a named condition holds; None when it hangs on something known only inside AWS (``AWS::AccountId``)."""
    conditions = template.get("Conditions", {})
    return _truth(conditions.get(name), conditions, parameters)


def _truth(node: Any, conditions: Mapping[str, Any], parameters: Mapping[str, str]) -> bool | None:
    if not isinstance(node, Mapping) or len(node) != 1:
        return None
    function, argument = next(iter(node.items()))
    if function == "Condition":
        return _truth(conditions.get(argument), conditions, parameters)
    if function == "Fn::Equals":
        left, right = (_text(item, parameters) for item in argument)
        return None if left is None or right is None else left == right
    parts = [_truth(item, conditions, parameters) for item in argument] if isinstance(argument, list) else [None]
    if function == "Fn::Not":
        return None if parts[0] is None else not parts[0]
    if function in ("Fn::And", "Fn::Or"):
        decisive: bool = function == "Fn::Or"
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    return None


def _text(node: Any, parameters: Mapping[str, str]) -> str | None:
    if isinstance(node, str):
        return node
    if isinstance(node, Mapping) and list(node) == ["Ref"]:
        return parameters.get(node["Ref"])
    if isinstance(node, Mapping) and list(node) == ["Fn::Join"]:
        separator, items = node["Fn::Join"]
        # A list parameter is joined from its comma-separated text.
        listed = _text(items, parameters) if isinstance(items, Mapping) else None
        parts = listed.split(",") if listed is not None else [_text(item, parameters) for item in items or []]
        return None if None in parts else str(separator).join(str(part) for part in parts)
    return None


def resources_made(template: Mapping[str, Any], parameters: Mapping[str, str]) -> list[dict[str, str]]:
    """Logical id and type of what a new stack makes; a condition that cannot be told here counts as true."""
    made = []
    for logical_id, resource in template["Resources"].items():
        condition = resource.get("Condition")
        if condition is None or evaluate(template, parameters, condition) is not False:
            made.append({"logical_id": logical_id, "type": resource.get("Type", "")})
    return made
