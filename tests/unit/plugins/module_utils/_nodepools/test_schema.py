"""Data against a structural schema."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.schema import problems, with_defaults

NAMES = {"type": "array", "items": {"type": "string", "maxLength": 3}, "minItems": 1, "maxItems": 2}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z]+$"},
        "size": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
        "mode": {"type": "string", "enum": ["on", "off"]},
        "names": NAMES,
        "unique": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "amount": {"x-kubernetes-int-or-string": True},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 1},
        "flag": {"type": "boolean"},
    },
    "x-kubernetes-validations": [{"rule": "!has(self.size) || self.name != 'x'", "message": "x has no size"}],
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"name": "a"}, []),
        ({}, ["s: name is missing"]),
        ({"name": "A"}, ["s.name: 'A' does not have the form ^[a-z]+$"]),
        ({"name": 1}, ["s.name: 1 is no string; put it in quotes"]),
        ({"name": True}, ["s.name: True is no string; put it in quotes"]),
        ({"name": "a", "size": True}, ["s.size: True is no integer"]),
        ({"name": "a", "size": 0}, ["s.size: 0 is less than 1"]),
        ({"name": "a", "size": 10}, ["s.size: 10 is more than 9"]),
        ({"name": "a", "mode": "of"}, ["s.mode: 'of' is not allowed; one of: on, off"]),
        ({"name": "a", "names": []}, ["s.names: has 0 entries, at least 1 are needed"]),
        ({"name": "a", "names": ["a", "b", "c"]}, ["s.names: has 3 entries, at most 2 are allowed"]),
        ({"name": "a", "names": ["abcd"]}, ["s.names[0]: has 4 characters, at most 3 are allowed"]),
        ({"name": "a", "unique": ["x", "x"]}, ["s.unique: has an entry twice"]),
        ({"name": "a", "amount": "1Gi"}, []),
        ({"name": "a", "amount": 1.5}, ["s.amount: 1.5 is no number or quantity"]),
        ({"name": "a", "labels": {"k": 1}}, ["s.labels[k]: 1 is no string; put it in quotes"]),
        ({"name": "a", "labels": {"k": "1", "l": "2"}}, ["s.labels: has 2 entries, at most 1 are allowed"]),
        ({"name": "a", "flagg": True}, ["s: flagg is no field of it; did you mean flag?"]),
        ({"name": "x", "size": 2}, ["s: x has no size"]),
    ],
)
def test_problems_name_place_and_value(value: Any, expected: list[str]) -> None:
    assert [str(problem) for problem in problems(SCHEMA, value, "s")] == expected


def test_defaults_are_filled_in_as_the_server_does() -> None:
    assert with_defaults(SCHEMA, {"name": "a"}) == {"name": "a", "size": 3}
    assert with_defaults(SCHEMA, {"name": "a", "size": 5}) == {"name": "a", "size": 5}
    nested = {"type": "object", "properties": {"inner": {"default": {}, "properties": {"n": {"default": 1}}}}}
    assert with_defaults(nested, {}) == {"inner": {"n": 1}}
    assert with_defaults({"type": "array", "items": nested}, [{}]) == [{"inner": {"n": 1}}]
