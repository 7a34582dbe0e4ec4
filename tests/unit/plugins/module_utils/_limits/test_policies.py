"""The size of policies, as IAM counts it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._limits.policies import (
    POLICY_MAXIMUM,
    policy_errors,
    policy_sizes,
    substitutions,
)

VALUES = substitutions(cluster="demo", partition="aws", region="us-west-2", account="111122223333")


def template(document: Any) -> dict[str, Any]:
    policy = {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": document}}
    role = {"Type": "AWS::IAM::Role", "Properties": {"RoleName": {"Fn::Sub": "Nodes-${ClusterName}"}}}
    return {"Resources": {"P": policy, "Nodes": role}}


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({"A": "b"}, '{"A":"b"}'),
        ({"A": "b c"}, '{"A":"bc"}'),
        ({"A": {"Fn::Sub": "x-${ClusterName}"}}, '{"A":"x-demo"}'),
        ({"A": {"Ref": "AWS::Region"}}, '{"A":"us-west-2"}'),
        ({"Fn::Sub": {"tag/${ClusterName}": ["${AWS::AccountId}"]}}, '{"tag/demo":["111122223333"]}'),
        ({"A": {"Fn::GetAtt": ["Nodes", "Arn"]}}, '{"A":"arn:aws:iam::111122223333:role/Nodes-demo"}'),
        ({"Fn::Sub": {"A": "${Nodes.Arn}"}}, '{"A":"arn:aws:iam::111122223333:role/Nodes-demo"}'),
    ],
)
def test_sizes(document: Any, text: str) -> None:
    assert policy_sizes(template(document), VALUES) == {"P": len(text)}


def test_the_limit_is_told_with_size_and_file() -> None:
    frame = len('{"A":""}')
    assert policy_errors(template({"A": "x" * (POLICY_MAXIMUM - frame)}), VALUES, "f.yml") == []
    (error,) = policy_errors(template({"A": "x" * (POLICY_MAXIMUM - frame + 1)}), VALUES, "f.yml")
    assert f"Policy P has {POLICY_MAXIMUM + 1} characters" in error.what
    assert error.where == "f.yml"
