"""Values of templates as CloudFormation gave them to the services."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._stack_drift.resolve import UNKNOWN, Scope, resolve

TEMPLATE = {"Conditions": {"Yes": {"Fn::Equals": ["a", "a"]}, "Hidden": {"Fn::Equals": [{"Ref": "AWS::X"}, "a"]}}}


def scope(partition: str = "aws") -> Scope:
    stack_id = f"arn:{partition}:cloudformation:us-west-2:111122223333:stack/s/0a1b"
    return Scope(TEMPLATE, {"Name": "demo"}, {"Vpc": "vpc-1"}, "s", stack_id)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", "text"),
        ({"Ref": "Name"}, "demo"),
        ({"Ref": "Vpc"}, "vpc-1"),
        ({"Ref": "Nobody"}, UNKNOWN),
        ({"Ref": "AWS::Region"}, "us-west-2"),
        ({"Ref": "AWS::AccountId"}, "111122223333"),
        ({"Fn::GetAtt": ["Vpc", "CidrBlock"]}, UNKNOWN),
        ({"Fn::Sub": "eks-${Name}-${Vpc}-${!Name}"}, "eks-demo-vpc-1-${Name}"),
        ({"Fn::Sub": ["${A}-${Name}", {"A": {"Ref": "Vpc"}}]}, "vpc-1-demo"),
        ({"Fn::Sub": "${Vpc.CidrBlock}"}, UNKNOWN),
        ({"Fn::If": ["Yes", {"Ref": "Name"}, "b"]}, "demo"),
        ({"Fn::If": ["Hidden", "a", "b"]}, UNKNOWN),
        ({"Fn::Join": [",", [{"Ref": "Vpc"}, "b"]]}, "vpc-1,b"),
        ([{"Ref": "AWS::NoValue"}, "a"], ["a"]),
        ({"Key": "a", "Value": {"Ref": "AWS::NoValue"}}, {"Key": "a"}),
    ],
)
def test_functions(value: Any, expected: Any) -> None:
    assert resolve(value, scope()) == expected


@pytest.mark.parametrize(
    ("partition", "suffix"),
    [("aws", "amazonaws.com"), ("aws-cn", "amazonaws.com.cn"), ("aws-us-gov", "amazonaws.com"), ("aws-iso", UNKNOWN)],
)
def test_the_suffix_of_the_partition(partition: str, suffix: Any) -> None:
    assert resolve({"Ref": "AWS::URLSuffix"}, scope(partition)) == suffix
