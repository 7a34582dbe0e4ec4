"""Which resources a new stack makes."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.conditions import (
    evaluate,
    resources_made,
)

TRUE, FALSE = {"Fn::Equals": ["a", "a"]}, {"Fn::Equals": ["a", "b"]}
UNKNOWN = {"Fn::Equals": [{"Ref": "AWS::AccountId"}, "1"]}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (TRUE, True),
        (FALSE, False),
        (UNKNOWN, None),
        ({"Fn::Equals": [{"Ref": "P"}, "yes"]}, True),
        ({"Fn::Not": [TRUE]}, False),
        ({"Fn::Not": [UNKNOWN]}, None),
        ({"Fn::And": [TRUE, FALSE]}, False),
        ({"Fn::And": [FALSE, UNKNOWN]}, False),
        ({"Fn::And": [TRUE, UNKNOWN]}, None),
        ({"Fn::Or": [FALSE, FALSE]}, False),
        ({"Fn::Or": [TRUE, UNKNOWN]}, True),
        ({"Fn::Or": [FALSE, UNKNOWN]}, None),
        ({"Condition": "Other"}, True),
        ({"Fn::Equals": [{"Fn::Join": ["", {"Ref": "L"}]}, "ab"]}, True),
        ({"Fn::Equals": [{"Fn::Join": ["-", [{"Ref": "P"}, "x"]]}, "yes-x"]}, True),
        ({"Condition": "Missing"}, None),
    ],
)
def test_evaluate(condition: dict[str, Any], expected: bool | None) -> None:
    template = {"Conditions": {"C": condition, "Other": TRUE}}
    assert evaluate(template, {"P": "yes", "L": "a,b"}, "C") is expected


def test_only_a_false_condition_keeps_a_resource_out() -> None:
    template = {
        "Conditions": {"No": FALSE, "Yes": TRUE, "Who": UNKNOWN},
        "Resources": {name: {"Type": "T", "Condition": name} for name in ("No", "Yes", "Who")}
        | {"Always": {"Type": "T"}},
    }
    assert [item["logical_id"] for item in resources_made(template, {})] == ["Yes", "Who", "Always"]
