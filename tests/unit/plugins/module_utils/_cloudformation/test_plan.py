"""What counts as a difference between a stack and what is wanted."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.model import Stack, Wanted
from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.plan import differences, notices

ROLE = {"Type": "AWS::IAM::Role", "Properties": {"RoleName": "a"}}
QUEUE = {"Type": "AWS::SQS::Queue"}


def stack(**given: Any) -> Stack:
    return Stack(name="s", stack_id="arn", status="CREATE_COMPLETE", **given)


def found(before: dict[str, Any], after: dict[str, Any], there: Stack, wanted: Wanted | None = None) -> list[Any]:
    asked = wanted or Wanted(after)
    return [(item.kind, item.action, item.name) for item in differences(there, before, asked)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"Resources": {"R": ROLE}}, {"Resources": {"R": ROLE}}, []),
        ({"Resources": {"R": ROLE}}, {"Resources": {"R": ROLE, "Q": QUEUE}}, [("resource", "add", "Q")]),
        ({"Resources": {"R": ROLE, "Q": QUEUE}}, {"Resources": {"R": ROLE}}, [("resource", "remove", "Q")]),
        ({"Resources": {"R": ROLE}}, {"Resources": {"R": QUEUE}}, [("resource", "modify", "R")]),
        (
            {"Resources": {"R": ROLE}, "Outputs": {"O": {"Value": "1"}}},
            {"Resources": {"R": ROLE}, "Outputs": {"O": {"Value": "2"}}},
            [("output", "modify", "O")],
        ),
        (
            {"Resources": {"R": ROLE}, "Conditions": {"C": {"Fn::Equals": ["a", "a"]}}},
            {"Resources": {"R": ROLE}},
            [("condition", "remove", "C")],
        ),
        (
            {"Resources": {"R": ROLE}, "Transform": "X"},
            {"Resources": {"R": ROLE}},
            [("template", "remove", "Transform")],
        ),
        # CloudFormation updates nothing for these, so they would differ for ever.
        ({"Resources": {"R": ROLE}, "Description": "old"}, {"Resources": {"R": ROLE}, "Description": "new"}, []),
        ({"Resources": {"R": ROLE}, "Metadata": {"a": "b"}}, {"Resources": {"R": ROLE}}, []),
        ({"Resources": {"R": ROLE}, "Parameters": {"P": {"Type": "String"}}}, {"Resources": {"R": ROLE}}, []),
    ],
)
def test_templates(before: dict[str, Any], after: dict[str, Any], expected: list[Any]) -> None:
    assert found(before, after, stack()) == expected


def test_a_resource_names_its_type() -> None:
    made = differences(stack(), {"Resources": {}}, Wanted({"Resources": {"R": ROLE}}))
    assert made[0].as_dict()["type"] == "AWS::IAM::Role"


@pytest.mark.parametrize(
    ("there", "wanted", "expected"),
    [
        ({"P": "1"}, {"P": "1"}, []),
        ({"P": "1"}, {"P": "2"}, [("parameter", "modify", "P")]),
        ({}, {"P": "2"}, [("parameter", "add", "P")]),
        ({"P": "1"}, {}, [("parameter", "remove", "P")]),
        ({"P": "****"}, {"P": "secret"}, []),
    ],
)
def test_parameters(there: dict[str, str], wanted: dict[str, str], expected: list[Any]) -> None:
    template = {"Resources": {"R": ROLE}}
    assert found(template, template, stack(parameters=there), Wanted(template, wanted)) == expected


def test_hidden_parameters_are_told() -> None:
    assert "NoEcho" in notices(stack(parameters={"P": "****", "Q": "1"}))[0]
    assert notices(stack(parameters={"Q": "1"})) == []


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (None, []),
        ({"a": "b"}, []),
        ({}, [("tag", "remove", "a")]),
        ({"a": "c", "d": "e"}, [("tag", "modify", "a"), ("tag", "add", "d")]),
    ],
)
def test_tags(tags: dict[str, str] | None, expected: list[Any]) -> None:
    template = {"Resources": {"R": ROLE}}
    assert found(template, template, stack(tags={"a": "b"}), Wanted(template, {}, tags)) == expected
