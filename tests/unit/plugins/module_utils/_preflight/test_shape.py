"""A value of a wrong form is one short finding, also deep inside."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._preflight.shape import shape_findings

NESTED = {
    "type": "list",
    "elements": "dict",
    "options": {
        "name": {"type": "str", "required": True, "description": "Name of it."},
        "weight": {"type": "int"},
        "tags": {"type": "dict"},
    },
}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ({"type": "bool"}, "yes"),
        ({"type": "bool"}, 0),
        ({"type": "int"}, "5"),
        ({"type": "float"}, "0.5"),
        ({"type": "str"}, 5),
        ({}, "text"),
        ({"type": "raw"}, {"a": [1]}),
        ({"type": "list", "elements": "str"}, "a,b"),
        ({"type": "dict"}, {"a": 1}),
        ({"type": "dict"}, '{"a": 1}'),
        ({"type": "path"}, "~/x"),
        ({"type": "list", "elements": "str", "choices": ["a", "b"]}, ["b"]),
        (NESTED, [{"name": "x", "weight": "5", "tags": None}]),
    ],
)
def test_what_ansible_takes_is_fine(option: dict[str, Any], value: Any) -> None:
    assert list(shape_findings(option, value, "it")) == []


@pytest.mark.parametrize(
    ("option", "value", "what", "allowed", "step"),
    [
        ({"type": "bool"}, "maybe", "it is 'maybe', which is not true or false", "true or false", "correct it"),
        ({"type": "int"}, "5m", "it is '5m', which is not a whole number", "a whole number", "correct it"),
        ({"type": "dict"}, ["a"], "it is a list, which is not a dictionary", "a dictionary", "correct it"),
        ({"type": "list"}, {"a": 1}, "it is a dictionary, which is not a list", "a list", "correct it"),
        ({"type": "str"}, ["a"], "it is a list, which is not text", "text", "correct it"),
        ({"type": "path"}, {"a": 1}, "it is a dictionary, which is not text", "the path of", "correct it"),
        ({"choices": ["fail", "rescue"]}, "rescu", "it is 'rescu', which is no choice", "fail, rescue", "did you mean"),
        (NESTED, [{"name": "x", "weigth": 1}], "it[0] has no 'weigth'", "name, weight, tags", "did you mean weight"),
        (NESTED, [{"name": "x"}, {"weight": 1}], "it[1].name is missing", "text: Name of it", "give it[1] a name"),
        (NESTED, [{"name": "x", "weight": "a lot"}], "it[0].weight is 'a lot', which is not", "a whole", "correct"),
        ({"type": "dict", "no_log": True}, "s3cret", "it is text, which is not a", "a dictionary", "correct it"),
    ],
)  # fmt: skip
def test_a_wrong_form_is_one_finding(option: dict[str, Any], value: Any, what: str, allowed: str, step: str) -> None:
    (finding,) = shape_findings(option, value, "it")
    assert finding.what.startswith(what)
    assert allowed in str(finding.allowed)
    assert str(finding.next_step).startswith(step)


def test_markup_of_documentation_is_not_shown() -> None:
    (finding,) = shape_findings({"type": "int", "description": ["As V(5) of O(a.b#module:c).", "More."]}, "x", "it")
    assert finding.allowed == "a whole number: As 5 of a.b#module:c"


def test_a_long_value_is_cut() -> None:
    (finding,) = shape_findings({"type": "int"}, "x" * 5000, "it")
    assert len(finding.what) < 120
