"""Session tags: who may pass them, what a chained session inherits, and what trust policies see of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.contracts import Credentials, SessionTag
from sandbox.front import sessiontags
from sandbox.front.sessiontags import SessionTagError
from tests.unit.clients import empower

BOTH = ["sts:AssumeRole", "sts:TagSession"]


def make_role(aws: Any, name: str, actions: list[str] | None = None, **condition: dict[str, str]) -> str:
    """A role that the whole account may do ``actions`` on, under a condition; its ARN."""
    statement: dict[str, Any] = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{aws.id}:root"}}
    statement |= {"Action": actions or BOTH, "Condition": condition}
    trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    iam = aws.client("iam")
    arn: str = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    empower(iam, name)
    return arn


def assume(aws: Any, arn: str, keys: Credentials | None = None, **more: Any) -> Credentials:
    answer = aws.client("sts", credentials=keys).assume_role(RoleArn=arn, RoleSessionName="run", **more)["Credentials"]
    return Credentials(answer["AccessKeyId"], answer["SecretAccessKey"], answer["SessionToken"])


def refusal(aws: Any, arn: str, keys: Credentials | None = None, **more: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as caught:
        assume(aws, arn, keys, **more)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


def tags(**values: str) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in values.items()]


def test_tags_can_be_passed_where_the_trust_policy_lets_them(aws: Any) -> None:
    untagged, tagged = make_role(aws, "untagged", ["sts:AssumeRole"]), make_role(aws, "tagged")
    assume(aws, untagged)
    code, message = refusal(aws, untagged, Tags=tags(team="a"))
    assert code == "AccessDenied"
    assert f"is not authorized to perform: sts:TagSession on resource: {untagged}" in message
    assume(aws, tagged, Tags=tags(team="a"))


@pytest.mark.parametrize(
    ("condition", "passed", "allowed"),
    [
        ({"StringEquals": {"aws:RequestTag/team": "a"}}, {"Tags": tags(Team="a")}, True),
        ({"StringEquals": {"aws:RequestTag/team": "a"}}, {"Tags": tags(team="b")}, False),
        ({"StringEquals": {"aws:RequestTag/team": "a"}}, {}, False),
        ({"ForAllValues:StringEquals": {"aws:TagKeys": ["team"]}}, {"Tags": tags(team="a", more="b")}, False),
        ({"ForAllValues:StringEquals": {"aws:TagKeys": ["team"]}}, {"Tags": tags(team="a")}, True),
        (
            {"ForAnyValue:StringEquals": {"sts:TransitiveTagKeys": ["team"]}},
            {"Tags": tags(team="a"), "TransitiveTagKeys": ["team"]},
            True,
        ),
        ({"ForAnyValue:StringEquals": {"sts:TransitiveTagKeys": ["team"]}}, {"Tags": tags(team="a")}, False),
    ],
)
def test_trust_policies_see_the_tags_of_the_request(
    aws: Any, condition: dict[str, Any], passed: dict[str, Any], allowed: bool
) -> None:
    arn = make_role(aws, "conditional", **condition)
    if allowed:
        assume(aws, arn, **passed)
    else:
        assert refusal(aws, arn, **passed)[0] == "AccessDenied"


def test_a_session_has_the_tags_of_its_role_and_over_them_its_own(aws: Any) -> None:
    first = make_role(aws, "first")
    aws.client("iam").tag_role(RoleName="first", Tags=tags(team="role", place="here"))
    of_role = make_role(
        aws, "of-role", StringEquals={"aws:PrincipalTag/team": "role", "aws:PrincipalTag/place": "here"}
    )
    of_session = make_role(
        aws, "of-session", StringEquals={"aws:PrincipalTag/team": "session", "aws:PrincipalTag/place": "here"}
    )
    plain, tagged = assume(aws, first), assume(aws, first, Tags=tags(Team="session"))
    assume(aws, of_role, plain)
    assume(aws, of_session, tagged)
    assert refusal(aws, of_session, plain)[0] == "AccessDenied"
    assert refusal(aws, of_role, tagged)[0] == "AccessDenied"


def test_transitive_tags_go_down_the_chain_and_others_do_not(aws: Any) -> None:
    chain = [make_role(aws, f"hop-{number}") for number in range(3)]
    wants_team = make_role(aws, "wants-team", StringEquals={"aws:PrincipalTag/team": "a"})
    wants_place = make_role(aws, "wants-place", StringEquals={"aws:PrincipalTag/place": "here"})
    keys = assume(aws, chain[0], Tags=tags(Team="a", place="here"), TransitiveTagKeys=["team"])
    assume(aws, wants_place, keys)
    for hop in chain[1:]:
        keys = assume(aws, hop, keys)
    assume(aws, wants_team, keys)
    assert refusal(aws, wants_place, keys)[0] == "AccessDenied"


def test_what_is_inherited_needs_the_right_to_tag_and_cannot_be_changed(aws: Any) -> None:
    first, second = make_role(aws, "first"), make_role(aws, "second")
    untagged = make_role(aws, "untagged", ["sts:AssumeRole"])
    keys = assume(aws, first, Tags=tags(team="a"), TransitiveTagKeys=["team"])
    assert "sts:TagSession" in refusal(aws, untagged, keys)[1]
    code, message = refusal(aws, second, keys, Tags=tags(TEAM="b"))
    assert code == "InvalidParameterValue"
    assert "conflicts with a transitive tag key from the calling session" in message


@pytest.mark.parametrize(
    ("passed", "code", "says"),
    [
        ({"Tags": tags(a="1", A="2")}, "InvalidParameterValue", "Duplicate tag keys found"),
        (
            {"Tags": tags(a="1"), "TransitiveTagKeys": ["b"]},
            "InvalidParameterValue",
            "must be included in the requested",
        ),
        ({"Tags": [{"Key": "aws:x", "Value": ""}]}, "InvalidParameterValue", "are reserved"),
        ({"Tags": tags(**{f"k{n}": "" for n in range(51)})}, "ValidationError", "less than or equal to 50"),
        ({"Tags": tags(a="v" * 257)}, "ValidationError", "tags.1.member.value"),
    ],
)
def test_bad_tags_are_refused(aws: Any, passed: dict[str, Any], code: str, says: str) -> None:
    found = refusal(aws, make_role(aws, "any"), **passed)
    assert found[0] == code
    assert says in found[1]


@pytest.mark.parametrize("key", ["", "k" * 129])
def test_keys_have_1_to_128_characters(key: str) -> None:
    """botocore refuses these before they are sent."""
    with pytest.raises(SessionTagError, match=r"tags\.1\.member\.key"):
        sessiontags.requested({"Tags.member.1.Key": key, "Tags.member.1.Value": ""})


def test_a_minted_session_has_the_tags_that_it_is_given(aws: Any) -> None:
    make_role(aws, "node")
    wanted = make_role(aws, "wanted", StringEquals={"aws:PrincipalTag/team": "a"})
    minted = aws.front.mint_session(f"arn:aws:iam::{aws.id}:role/node", "s", tags=[SessionTag("team", "a")])
    assume(aws, wanted, minted)
    assert refusal(aws, wanted, aws.front.mint_session(f"arn:aws:iam::{aws.id}:role/node", "s"))[0] == "AccessDenied"
