"""What CloudFormation would refuse is refused before."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.checks import (
    check_capabilities,
    parameter_values,
    required_capabilities,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError

TEMPLATE = {
    "Parameters": {
        "Name": {"Type": "String", "AllowedPattern": "[a-z]+", "MaxLength": "5"},
        "Size": {"Type": "String", "AllowedValues": ["small", "large"], "Default": "small"},
        "Zones": {"Type": "CommaDelimitedList", "Default": "a"},
    },
    "Resources": {"R": {"Type": "T"}},
}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"Name": "abc"}, {"Name": "abc", "Size": "small", "Zones": "a"}),
        ({"Name": "abc", "Size": "large", "Zones": ["a", "b"]}, {"Name": "abc", "Size": "large", "Zones": "a,b"}),
        ({"Name": "abc", "Zones": True}, {"Name": "abc", "Size": "small", "Zones": "true"}),
        ({"Name": "abc", "Zones": None}, {"Name": "abc", "Size": "small", "Zones": "a"}),
    ],
)
def test_values(given: dict[str, Any], expected: dict[str, str]) -> None:
    assert parameter_values(TEMPLATE, given, "w") == expected


@pytest.mark.parametrize(
    ("given", "what", "next_step"),
    [
        ({}, "neither a value nor a default", None),
        ({"Name": "abc", "Sise": "large"}, "no parameter 'Sise'", "did you mean 'Size'"),
        ({"Name": "ABC"}, "'ABC'", None),
        ({"Name": "abcdef"}, "has 6 characters", None),
        ({"Name": "abc", "Size": "huge"}, "'huge'", None),
    ],
)
def test_bad_values(given: dict[str, Any], what: str, next_step: str | None) -> None:
    with pytest.raises(EksopsError, match=what) as caught:
        parameter_values(TEMPLATE, given, "w")
    assert caught.value.next_step == next_step


@pytest.mark.parametrize(
    ("resource", "needed"),
    [
        ({"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "q"}}, []),
        ({"Type": "AWS::IAM::Role", "Properties": {}}, ["CAPABILITY_IAM"]),
        ({"Type": "AWS::IAM::Role", "Properties": {"RoleName": "r"}}, ["CAPABILITY_NAMED_IAM"]),
        ({"Type": "AWS::IAM::Policy", "Properties": {"PolicyName": "p"}}, ["CAPABILITY_IAM"]),
    ],
)
def test_capabilities(resource: dict[str, Any], needed: list[str]) -> None:
    assert required_capabilities({"Resources": {"R": resource}}) == needed


def test_the_named_capability_includes_the_other() -> None:
    check_capabilities(["CAPABILITY_IAM"], ["CAPABILITY_NAMED_IAM"], "w")
    with pytest.raises(EksopsError, match="CAPABILITY_NAMED_IAM"):
        check_capabilities(["CAPABILITY_NAMED_IAM"], ["CAPABILITY_IAM"], "w")


def test_a_transform_expands() -> None:
    template = {"Resources": {"R": {"Type": "T"}}, "Transform": "AWS::Serverless-2016-10-31"}
    assert required_capabilities(template) == ["CAPABILITY_AUTO_EXPAND"]
