"""The policies of Karpenter's template as CloudFormation makes them for the cluster ``demo``."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.template import load_template
from sandbox.iam.model import Policies, Statement
from sandbox.iam.parse import parse
from sandbox.seed.policies import published

ACCOUNT, REGION, CLUSTER = "111122223333", "us-west-2", "demo"
_PATH = Path(__file__).parents[4] / "roles/karpenter_iam/files/karpenter_iam.yml"
_VALUES = {
    "AWS::Partition": "aws",
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::URLSuffix": "amazonaws.com",
    "ClusterName": CLUSTER,
    "KarpenterNodeRole.Arn": f"arn:aws:iam::{ACCOUNT}:role/KarpenterNodeRole-{CLUSTER}",
    "KarpenterInterruptionQueue.Arn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{CLUSTER}",
}


def _value(node: Any) -> Any:
    if isinstance(node, list):
        return [_value(one) for one in node]
    if not isinstance(node, dict):
        return node
    if "Ref" in node:
        return _VALUES.get(node["Ref"], node["Ref"])
    if "Fn::GetAtt" in node:
        name = node["Fn::GetAtt"]
        return _VALUES[name if isinstance(name, str) else ".".join(name)]
    if "Fn::Sub" in node:
        # The loader reads the JSON of a policy already, so the text is put together again.
        text = _text(node["Fn::Sub"])
        for name, value in _VALUES.items():
            text = text.replace(f"${{{name}}}", value)
        assert "${" not in text, text
        return text
    return {key: _value(of) for key, of in node.items()}


@cache
def resources() -> dict[str, Any]:
    template = load_template(_PATH.read_text(encoding="utf-8"), str(_PATH))
    found: dict[str, Any] = template["Resources"]
    return found


def _text(document: Any) -> str:
    return document if isinstance(document, str) else json.dumps(document)


@cache
def controller(without: str | None = None) -> Policies:
    """What the controller's role is allowed, by the six policies that its template attaches to it."""
    attached = [one["Ref"] for one in resources()["KarpenterControllerRole"]["Properties"]["ManagedPolicyArns"]]
    assert len(attached) == 6
    texts = [_text(_value(resources()[name]["Properties"]["PolicyDocument"])) for name in attached if name != without]
    return Policies(_statements(texts))


@cache
def node() -> Policies:
    """What the nodes' role is allowed, by AWS's policies that the template attaches to it."""
    arns = _value(resources()["KarpenterNodeRole"]["Properties"]["ManagedPolicyArns"])
    return Policies(_statements([json.dumps(published()[arn.rpartition("/")[2]]["Document"]) for arn in arns]))


def _statements(texts: list[str]) -> tuple[Statement, ...]:
    return tuple(statement for text in texts for statement in parse(text))
