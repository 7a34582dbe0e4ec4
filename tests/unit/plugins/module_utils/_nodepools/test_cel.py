"""Rules as the API server evaluates them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.cel import CelError, compile_rule, holds
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.schemas import spec_schema


@pytest.mark.parametrize(
    ("rule", "value", "expected"),
    [
        ("self.a == 1", {"a": 1}, True),
        ("self.a == 1", {}, False),
        ("has(self.a) || has(self.b)", {"b": 0}, True),
        ("has(self.a) && has(self.b)", {"b": 0}, False),
        ("!has(self.a)", {}, True),
        ("self.a > 1 ? self.b == 'x' : true", {"a": 2, "b": "y"}, False),
        ("self.a > 1 ? self.b == 'x' : true", {"a": 1}, True),
        ("self.all(x, x.size() < 3)", ["a", "bb"], True),
        ("self.all(x, x.size() < 3)", ["a", "bbb"], False),
        ("self.exists(x, has(x.id))", [{"tags": {}}, {"id": "i"}], True),
        ("self.filter(x, x > 1).size() == 2", [1, 2, 3], True),
        ("self in ['a', 'b']", "b", True),
        ("self.matches('^v[0-9]+$')", "v12", True),
        ("self.find('^[^@]+') == 'al2023'", "al2023@latest", True),
        ("int(self.find('[0-9]+')) <= 100", "110%", False),
        ("self['a'] != null", {"a": None}, False),
        ("self.split('@')[1] == 'x'", "a@x", True),
        ("(1 < 2) && [1,2].size() == 2", {}, True),
        ("self.missing == 1 || true", {}, True),
        ("self.missing == 1 && false", {}, False),
    ],
)
def test_rules_have_the_servers_answer(rule: str, value: Any, expected: bool) -> None:
    assert holds(rule, value) is expected


@pytest.mark.parametrize("rule", ["self.", "self.nomethod()", "nofunction(1)", "self ==", "a $ b", "(self"])
def test_what_is_not_understood_is_told(rule: str) -> None:
    with pytest.raises(CelError):
        compile_rule(rule)


def _rules(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [rule for item in schema for rule in _rules(item)]
    if not isinstance(schema, dict):
        return []
    own = [entry["rule"] for entry in schema.get("x-kubernetes-validations") or ()]
    return own + [rule for key, item in schema.items() if key != "x-kubernetes-validations" for rule in _rules(item)]


@pytest.mark.parametrize("version", ["1.13.0", "1.14.0"])
@pytest.mark.parametrize("kind", ["EC2NodeClass", "NodePool"])
def test_every_rule_of_karpenter_is_understood(kind: str, version: str) -> None:
    rules = [rule for rule in _rules(spec_schema(kind, version)) if "oldSelf" not in rule]
    assert len(rules) > 10, json.dumps(rules)
    for rule in rules:
        compile_rule(rule)
