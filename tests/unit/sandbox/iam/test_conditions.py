"""Every condition operator, with values that are there, missing, many and unreadable.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox.iam.evaluate import decide
from sandbox.iam.model import Policies, Request, Value
from sandbox.iam.parse import MalformedPolicyError, parse


def allowed(condition: dict[str, Any], version: str = "2012-10-17", **keys: Value) -> bool:
    statement = {"Effect": "Allow", "Action": "a:B", "Resource": "*", "Condition": condition}
    statements = parse(json.dumps({"Version": version, "Statement": statement}))
    context = {key.replace("__", ":"): value for key, value in keys.items()}
    return decide(Request("a:B", "*", context), Policies(statements)).allowed


@pytest.mark.parametrize(
    ("operator", "wanted", "given", "expected"),
    [
        ("StringEquals", "a", "a", True),
        ("StringEquals", ["b", "a"], "a", True),
        ("StringEquals", "A", "a", False),
        ("StringEquals", "a*", "ab", False),
        ("StringEquals", "a", None, False),
        ("StringEqualsIfExists", "a", None, True),
        ("StringEqualsIfExists", "a", "b", False),
        ("StringNotEquals", "a", "b", True),
        ("StringNotEquals", ["a", "b"], "b", False),
        ("StringNotEquals", "a", None, True),
        ("StringEqualsIgnoreCase", "A", "a", True),
        ("StringNotEqualsIgnoreCase", "A", "a", False),
        ("StringLike", "a*c?", "abbcd", True),
        ("StringLike", "a*c?", "abbc", False),
        ("StringLike", "*", "", True),
        ("StringLike", "*", None, False),
        ("StringLike", "a.c", "abc", False),
        ("StringNotLike", "a*", "abc", False),
        ("StringNotLike", "a*", "b", True),
        ("NumericEquals", "10", "10.0", True),
        ("NumericNotEquals", 10, "11", True),
        ("NumericLessThan", 10, "9", True),
        ("NumericLessThan", 10, "10", False),
        ("NumericLessThanEquals", 10, "10", True),
        ("NumericGreaterThan", 10, "10.5", True),
        ("NumericGreaterThanEquals", 10, "9", False),
        ("NumericLessThan", 10, "many", False),
        ("DateLessThan", "2030-01-01T00:00:00Z", "2029-12-31T23:59:59Z", True),
        ("DateGreaterThan", "2030-01-01T00:00:00Z", "2029-12-31T23:59:59Z", False),
        ("DateEquals", "1893456000", "2030-01-01T00:00:00Z", True),
        ("DateNotEquals", "2030-01-01", "2030-01-01T00:00:00Z", False),
        ("DateLessThanEquals", "2030-01-01", "someday", False),
        ("Bool", "true", "true", True),
        ("Bool", True, "true", True),
        ("Bool", "false", "true", False),
        ("Bool", "false", None, False),
        ("BoolIfExists", "true", None, True),
        ("BinaryEquals", "QmluYXJ5", "QmluYXJ5", True),
        ("IpAddress", "10.0.0.0/8", "10.1.2.3", True),
        ("IpAddress", "10.0.0.0/8", "11.1.2.3", False),
        ("IpAddress", "2001:db8::/32", "2001:db8::1", True),
        ("IpAddress", "10.0.0.0/8", "here", False),
        ("NotIpAddress", "10.0.0.0/8", "11.1.2.3", True),
        ("NotIpAddress", "10.0.0.0/8", "10.1.2.3", False),
        ("ArnEquals", "arn:aws:sns:*:111122223333:topic", "arn:aws:sns:us-west-2:111122223333:topic", True),
        ("ArnLike", "arn:aws:iam::111122223333:role/*", "arn:aws:iam::111122223333:role/team/x", True),
        ("ArnLike", "arn:aws:*:topic", "arn:aws:sns:us-west-2:111122223333:topic", False),
        ("ArnLike", "arn:aws:iam::*:role/x", "arn:aws:iam::111122223333:user/role/x", False),
        ("ArnNotLike", "arn:aws:iam::111122223333:role/*", "arn:aws:iam::111122223333:user/x", True),
        ("ArnNotEquals", "arn:aws:iam::111122223333:role/x", "arn:aws:iam::111122223333:role/x", False),
        ("Null", "true", None, True),
        ("Null", "true", "a", False),
        ("Null", "false", "a", True),
        ("Null", True, "a", False),
        ("ForAllValues:StringEquals", ["a", "b"], ("a",), True),
        ("ForAllValues:StringEquals", ["a", "b"], ("a", "c"), False),
        ("ForAllValues:StringEquals", ["a", "b"], None, True),
        ("ForAnyValue:StringEquals", ["a", "b"], ("c", "b"), True),
        ("ForAnyValue:StringEquals", ["a", "b"], ("c",), False),
        ("ForAnyValue:StringEquals", ["a", "b"], None, False),
        ("ForAnyValue:StringEqualsIfExists", ["a"], None, True),
        ("ForAllValues:StringNotEquals", ["a"], ("b", "c"), True),
        ("ForAllValues:StringNotEquals", ["a"], ("b", "a"), False),
        ("ForAnyValue:StringLike", ["team-*"], ("x", "team-a"), True),
        ("ForAnyValue:StringNotEquals", ["a"], None, False),
    ],
)
def test_operators(operator: str, wanted: Any, given: Value | None, expected: bool) -> None:
    keys = {} if given is None else {"a__key": given}
    assert allowed({operator: {"a:Key": wanted}}, **keys) is expected


def test_all_keys_and_operators_must_be_met() -> None:
    condition = {"StringEquals": {"a:one": "1", "a:two": "2"}, "Bool": {"a:three": "true"}}
    assert allowed(condition, a__one="1", a__two="2", a__three="true")
    assert not allowed(condition, a__one="1", a__two="2")
    assert not allowed(condition, a__one="1", a__two="x", a__three="true")


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("${aws:username}", "ann", True),
        ("${aws:username}", "bob", False),
        ("home/${aws:UserName}/*", "home/ann/x", True),
        ("${aws:PrincipalTag/team, 'none'}", "none", True),
        ("${aws:PrincipalTag/team}", "none", False),
        ("${*}", "*", True),
        ("${*}", "a", False),
        ("${$}{aws:username}", "${aws:username}", True),
    ],
)
def test_variables(text: str, given: str, expected: bool) -> None:
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html"""
    assert allowed({"StringLike": {"a:key": text}}, a__key=given, aws__username="ann") is expected


def test_values_of_variables_are_no_patterns_and_old_policies_have_none() -> None:
    assert not allowed({"StringLike": {"a:key": "${aws:username}"}}, a__key="anything", aws__username="*")
    condition = {"StringEquals": {"a:key": "${aws:username}"}}
    assert not allowed(condition, "2008-10-17", a__key="ann", aws__username="ann")
    assert allowed(condition, "2008-10-17", a__key="${aws:username}", aws__username="ann")


@pytest.mark.parametrize("operator", ["StringMatches", "ForSomeValues:StringEquals", ":StringEquals", "NullIfExists"])
def test_an_operator_that_is_not_known_is_an_error(operator: str) -> None:
    with pytest.raises(MalformedPolicyError, match="no condition operator"):
        allowed({operator: {"a:key": "x"}}, a__key="x")
