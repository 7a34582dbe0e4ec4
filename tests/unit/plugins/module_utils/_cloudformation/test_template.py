"""Templates that mean the same have one canonical form."""

from __future__ import annotations

import json
import sys

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.template import (
    MAXIMUM_BODY_BYTES,
    load_template,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError


def resource(properties: str) -> str:
    return f"Resources:\n  R:\n    Type: T\n    Properties:\n      {properties}\n"


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("A: !Ref X", 'A: {"Ref": "X"}'),
        ("A: !Sub a-${X}", 'A: {"Fn::Sub": "a-${X}"}'),
        ("A: !GetAtt Q.Arn", 'A: {"Fn::GetAtt": ["Q", "Arn"]}'),
        ("A: !GetAtt [Q, Arn]", 'A: {"Fn::GetAtt": "Q.Arn"}'),
        ("A: !GetAtt N.Outputs.Vpc", 'A: {"Fn::GetAtt": ["N", "Outputs.Vpc"]}'),
        ("A: !If [C, 1, !Ref AWS::NoValue]", 'A: {"Fn::If": ["C", "1", {"Ref": "AWS::NoValue"}]}'),
        ("A: !Condition C", 'A: {"Condition": "C"}'),
        ("A: 300", 'A: "300"'),
        ("A: true", 'A: "true"'),
        ("A: 2012-10-17", 'A: "2012-10-17"'),
        ("A: 012345678901", 'A: "012345678901"'),
        ("A: !Sub '{\"B\": [1]}'", 'A: {"Fn::Sub": "{ \\"B\\":[1] }"}'),
    ],
)
def test_forms_are_equal(short: str, long: str) -> None:
    assert load_template(resource(short), "a") == load_template(resource(long), "b")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A: !Ref X", "A: X"),
        ("A: !Sub X", "A: X"),
        ("A: 012", "A: 12"),
        ("A: !Sub '{\"B\": 1}'", "A: !Sub '{\"B\": 2}'"),
        ("A: [1, 2]", "A: [2, 1]"),
    ],
)
def test_different_meanings_stay_different(one: str, other: str) -> None:
    assert load_template(resource(one), "a") != load_template(resource(other), "b")


def test_json_and_what_boto3_makes_of_it_equal_yaml() -> None:
    data = {"Resources": {"R": {"Type": "T", "Properties": {"A": True, "B": 1, "C": None}}}}
    text = "Resources:\n  R:\n    Type: T\n    Properties:\n      A: true\n      B: 1\n      C: null\n"
    assert load_template(json.dumps(data), "json") == load_template(data, "boto3")
    assert load_template(data, "boto3") == load_template(text, "yaml")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("Resources: {}", "no CloudFormation template"),
        ("- 1", "no CloudFormation template"),
        ("a: [", "not valid YAML or JSON"),
        ("Resources:\n  A: {Type: T}\n  A: {Type: U}\n", "is there twice"),
        ("Resources: {A: {Type: T}}\n#" + "x" * MAXIMUM_BODY_BYTES, "bytes"),
    ],
)
def test_what_is_no_template_is_refused(body: str, what: str) -> None:
    with pytest.raises(EksopsError, match=what):
        load_template(body, "there")


def test_a_machine_without_pyyaml_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(EksopsError, match="PyYAML is not installed"):
        load_template("Resources: {R: {Type: T}}", "here")
