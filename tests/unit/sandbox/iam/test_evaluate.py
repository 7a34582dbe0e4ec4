"""Elements of statements, the order of decisions, and what is said about them.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox.iam.evaluate import decide
from sandbox.iam.message import refusal
from sandbox.iam.model import Policies, Request, Statement, Value
from sandbox.iam.parse import MalformedPolicyError, parse
from sandbox.iam.trust import Caller, trust
from sandbox.seed.policies import published

WHO = "arn:aws:iam::111122223333:user/ann"
ROLE = "arn:aws:iam::111122223333:role/team/r"


def statements(*given: dict[str, Any]) -> tuple[Statement, ...]:
    base = {"Effect": "Allow", "Resource": "*"}
    return parse(json.dumps({"Version": "2012-10-17", "Statement": [base | one for one in given]}))


ALL = statements({"Action": "*"})


@pytest.mark.parametrize(
    ("elements", "action", "resource", "expected"),
    [
        ({"Action": "ec2:*"}, "ec2:RunInstances", "*", True),
        ({"Action": "EC2:describe*"}, "ec2:DescribeVpcs", "*", True),
        ({"Action": ["s3:*", "ec2:Describe?pcs"]}, "ec2:DescribeVpcs", "*", True),
        ({"Action": "ec2:Describe"}, "ec2:DescribeVpcs", "*", False),
        ({"NotAction": "iam:*"}, "ec2:DescribeVpcs", "*", True),
        ({"NotAction": "iam:*"}, "iam:GetUser", "*", False),
        ({"Action": "*", "Resource": "arn:aws:iam::*:role/a*"}, "iam:GetRole", "arn:aws:iam::1:role/abc", True),
        ({"Action": "*", "Resource": "arn:aws:iam::*:role/a*"}, "iam:GetRole", "arn:aws:iam::1:role/Abc", False),
        ({"Action": "*", "Resource": "arn:aws:iam::*:role/a*"}, "iam:ListRoles", "*", False),
        ({"Action": "*", "Resource": "arn:aws:iam::1:role/a"}, "iam:GetRole", "arn:aws:iam::1:role/ab", False),
        ({"Action": "*", "Resource": "arn:aws:iam::1:user/${aws:username}"}, "iam:X", "arn:aws:iam::1:user/ann", True),
        ({"Action": "*", "Resource": "arn:aws:iam::1:user/${aws:username}"}, "iam:X", "arn:aws:iam::1:user/bob", False),
        ({"Action": "*", "Resource": "arn:aws:iam::1:user/${a:none}"}, "iam:X", "arn:aws:iam::1:user/bob", False),
    ],
)
def test_actions_and_resources(elements: dict[str, Any], action: str, resource: str, expected: bool) -> None:
    decision = decide(Request(action, resource, {"aws:username": "ann"}), Policies(statements(elements)))
    assert decision.allowed is expected


def test_not_resource() -> None:
    text = {"Effect": "Allow", "Action": "*", "NotResource": "arn:aws:sqs:*:*:secret"}
    policies = Policies(parse(json.dumps({"Version": "2012-10-17", "Statement": text})))
    assert decide(Request("sqs:X", "arn:aws:sqs:r:1:open", {}), policies).allowed
    assert not decide(Request("sqs:X", "arn:aws:sqs:r:1:secret", {}), policies).allowed


DENY = statements({"Effect": "Deny", "Action": "ec2:RunInstances"})
READ = statements({"Action": "ec2:Describe*"})


@pytest.mark.parametrize(
    ("policies", "because"),
    [
        (Policies(ALL), None),
        (Policies(ALL, boundary=ALL, session=ALL), None),
        (Policies(), "because no identity-based policy allows the ec2:RunInstances action"),
        (Policies(READ), "because no identity-based policy allows the ec2:RunInstances action"),
        (Policies(ALL + DENY), "with an explicit deny in an identity-based policy"),
        (Policies(ALL, boundary=READ), "because no permissions boundary allows the ec2:RunInstances action"),
        (Policies(ALL, boundary=()), "because no permissions boundary allows the ec2:RunInstances action"),
        (Policies(ALL, boundary=ALL + DENY), "with an explicit deny in a permissions boundary"),
        (Policies(boundary=ALL), "because no identity-based policy allows the ec2:RunInstances action"),
        (Policies(ALL, session=READ), "because no session policy allows the ec2:RunInstances action"),
        (Policies(ALL, session=ALL + DENY), "with an explicit deny in a session policy"),
        (Policies(READ, boundary=DENY), "with an explicit deny in a permissions boundary"),
    ],
)
def test_kinds_of_policies(policies: Policies, because: str | None) -> None:
    resource = "arn:aws:ec2:us-west-2:111122223333:instance/*"
    decision = decide(Request("ec2:RunInstances", resource, {}), policies)
    assert decision.allowed is (because is None)
    if because:
        text = f"User: {WHO} is not authorized to perform: ec2:RunInstances on resource: {resource} {because}"
        assert refusal(WHO, "ec2:RunInstances", resource, decision) == text


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "not JSON"),
        ("[]", "no Statement"),
        ({"Statement": ["x"]}, "not an object"),
        ({"Statement": {"Effect": "allow", "Action": "*"}}, "Effect"),
        ({"Statement": {"Effect": "Allow"}}, "either Action or NotAction"),
        ({"Statement": {"Effect": "Allow", "Action": "*", "NotAction": "*"}}, "either Action or NotAction"),
        ({"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*", "NotResource": "*"}}, "either Resource"),
        ({"Statement": {"Effect": "Allow", "Action": {}, "Resource": "*"}}, "neither a text nor a list"),
        ({"Statement": {"Effect": "Allow", "Action": "*", "Condition": {"Bool": "x"}}}, "object of objects"),
        ({"Statement": {"Effect": "Allow", "Action": "*", "Principal": 3}}, "Principal"),
    ],
)
def test_what_is_malformed(document: Any, message: str) -> None:
    with pytest.raises(MalformedPolicyError, match=message):
        parse(document if isinstance(document, str) else json.dumps(document))


def test_every_policy_of_aws_can_be_read() -> None:
    assert sum(len(parse(json.dumps(policy["Document"]))) for policy in published().values()) > 3000


SESSION = Caller("111122223333", "arn:aws:sts::111122223333:assumed-role/r/s", ROLE)
USER = Caller("111122223333", WHO)


@pytest.mark.parametrize(
    ("principal", "caller", "expected"),
    [
        ("*", USER, "principal"),
        ({"AWS": WHO}, USER, "principal"),
        ({"AWS": [WHO, "111122223333"]}, USER, "principal"),
        ({"AWS": "111122223333"}, USER, "account"),
        ({"AWS": "arn:aws:iam::111122223333:root"}, SESSION, "account"),
        ({"AWS": ROLE}, SESSION, "principal"),
        ({"AWS": SESSION.arn}, SESSION, "principal"),
        ({"AWS": "arn:aws:iam::111122223333:role/r"}, SESSION, None),
        ({"AWS": "arn:aws:iam::444455556666:root"}, USER, None),
        ({"AWS": "arn:aws:iam::111122223333:user/*"}, USER, None),
        ({"Service": "ec2.amazonaws.com"}, USER, None),
    ],
)
def test_whom_a_role_trusts(principal: Any, caller: Caller, expected: str | None) -> None:
    text = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}
    policy = parse(json.dumps({"Version": "2012-10-17", "Statement": text}))
    assert trust(policy, caller, Request("sts:AssumeRole", ROLE, {})) == expected
    assert trust(policy, caller, Request("sts:TagSession", ROLE, {})) is None


def test_a_trust_policy_can_say_no() -> None:
    keys: dict[str, Value] = {"sts:externalid": "x"}
    allow = {"Effect": "Allow", "Principal": "*", "Action": "sts:AssumeRole"}
    deny = {**allow, "Effect": "Deny", "Condition": {"StringEquals": {"sts:ExternalId": "x"}}}
    policy = parse(json.dumps({"Version": "2012-10-17", "Statement": [allow, deny]}))
    assert trust(policy, USER, Request("sts:AssumeRole", ROLE, keys)) is None
    assert trust(policy, USER, Request("sts:AssumeRole", ROLE, {})) == "principal"
