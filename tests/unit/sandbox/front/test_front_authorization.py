"""Calls of roles and users that have policies: what they may, and AWS's refusal of what they may not."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.contracts import Credentials, Principal, SessionTag
from sandbox.front import forwarding
from tests.unit.clients import ADMINISTRATOR, REGION, empower

TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": ["sts:AssumeRole", "sts:TagSession"]}],
    }
)


def policy(*actions: str, resource: Any = "*", effect: str = "Allow", **condition: Any) -> str:
    statement = {"Effect": effect, "Action": list(actions), "Resource": resource, "Condition": condition}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def role(aws: Any, *texts: str, name: str = "worker", boundary: str | None = None) -> Credentials:
    """A session of a role with inline policies."""
    iam = aws.client("iam")
    more = {"PermissionsBoundary": boundary} if boundary else {}
    arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=TRUST, **more)["Role"]["Arn"]
    for number, text in enumerate(texts):
        iam.put_role_policy(RoleName=name, PolicyName=f"p{number}", PolicyDocument=text)
    keys: Credentials = aws.front.mint_session(arn, "s")
    return keys


def refusal(call: Callable[[], Any]) -> tuple[str, str, int]:
    with pytest.raises(ClientError) as caught:
        call()
    error = caught.value.response
    return error["Error"]["Code"], error["Error"]["Message"], error["ResponseMetadata"]["HTTPStatusCode"]


CALLS: list[tuple[str, Callable[[Any], Any], str, int, str, str]] = [
    ("iam", lambda it: it.get_role(RoleName="worker"), "AccessDenied", 403, "iam:GetRole", "iam::{}:role/worker"),
    ("cloudformation", lambda it: it.delete_stack(StackName="x"), "AccessDenied", 403, "cloudformation:DeleteStack",
     "cloudformation:us-west-2:{}:stack/x/*"),
    ("ssm", lambda it: it.get_parameter(Name="/a"), "AccessDeniedException", 400, "ssm:GetParameter",
     "ssm:us-west-2:{}:parameter/a"),
    ("events", lambda it: it.describe_rule(Name="r"), "AccessDeniedException", 400, "events:DescribeRule",
     "events:us-west-2:{}:rule/r"),
    ("logs", lambda it: it.delete_log_group(logGroupName="g"), "AccessDeniedException", 400, "logs:DeleteLogGroup",
     "logs:us-west-2:{}:log-group:g"),
    ("sqs", lambda it: it.create_queue(QueueName="q"), "AccessDenied", 400, "sqs:CreateQueue", "sqs:us-west-2:{}:q"),
]  # fmt: skip


@pytest.mark.parametrize(("service", "call", "code", "status", "action", "resource"), CALLS)
def test_without_a_policy_nothing_is_allowed(
    aws: Any, service: str, call: Callable[[Any], Any], code: str, status: int, action: str, resource: str
) -> None:
    keys = role(aws)
    assert refusal(lambda: call(aws.client(service, credentials=keys))) == (
        code,
        f"User: arn:aws:sts::{aws.id}:assumed-role/worker/s is not authorized to perform: {action} on resource: "
        f"arn:aws:{resource.format(aws.id)} because no identity-based policy allows the {action} action",
        status,
    )
    assert aws.client("sts", credentials=keys).get_caller_identity()["Account"] == aws.id


def test_ec2_refuses_in_its_own_way(aws: Any) -> None:
    """https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html"""
    keys = role(aws, policy("sts:DecodeAuthorizationMessage"))
    ec2 = aws.client("ec2", credentials=keys)
    who = f"You are not authorized to perform this operation. User: arn:aws:sts::{aws.id}:assumed-role/worker/s is not"
    code, message, status = refusal(ec2.describe_vpcs)
    assert (code, status) == ("UnauthorizedOperation", 403)
    why = "because no identity-based policy allows the ec2:DescribeVpcs action"
    assert message == f"{who} authorized to perform: ec2:DescribeVpcs {why}"
    vpc = aws.client("ec2").describe_vpcs()["Vpcs"][0]["VpcId"]
    code, message, _ = refusal(lambda: ec2.delete_vpc(VpcId=vpc))
    text, _, hidden = message.partition(". Encoded authorization failure message: ")
    arn = f"arn:aws:ec2:{REGION}:{aws.id}:vpc/{vpc}"
    why = "because no identity-based policy allows the ec2:DeleteVpc action"
    assert text == f"{who} authorized to perform: ec2:DeleteVpc on resource: {arn} {why}"
    sts = aws.client("sts", credentials=keys)
    told = json.loads(sts.decode_authorization_message(EncodedMessage=hidden)["DecodedMessage"])
    assert (told["allowed"], told["explicitDeny"]) == (False, False)
    assert (told["context"]["action"], told["context"]["resource"]) == ("ec2:DeleteVpc", arn)
    assert (
        refusal(lambda: sts.decode_authorization_message(EncodedMessage="x"))[0]
        == "InvalidAuthorizationMessageException"
    )


def test_tags_of_resources_and_requests_decide(aws: Any) -> None:
    owned = {"StringEquals": {"aws:ResourceTag/team": "a"}}
    created = {"StringEquals": {"aws:RequestTag/team": "a", "ec2:CreateAction": "CreateVpc"}}
    keys = role(aws, policy("ec2:DeleteVpc", **owned), policy("ec2:CreateVpc"), policy("ec2:CreateTags", **created))
    ec2 = aws.client("ec2", credentials=keys)

    def make(team: str) -> str:
        specification = [{"ResourceType": "vpc", "Tags": [{"Key": "team", "Value": team}]}]
        return str(ec2.create_vpc(CidrBlock="10.9.0.0/16", TagSpecifications=specification)["Vpc"]["VpcId"])

    assert "ec2:CreateTags on resource" in refusal(lambda: make("b"))[1]
    mine = make("a")
    assert refusal(lambda: ec2.create_tags(Resources=[mine], Tags=[{"Key": "team", "Value": "a"}]))[0]
    aws.client("ec2").create_tags(Resources=[mine], Tags=[{"Key": "team", "Value": "b"}])
    assert refusal(lambda: ec2.delete_vpc(VpcId=mine))[0] == "UnauthorizedOperation"
    aws.client("ec2").create_tags(Resources=[mine], Tags=[{"Key": "team", "Value": "a"}])
    ec2.delete_vpc(VpcId=mine)


def test_regions_decide(aws: Any) -> None:
    keys = role(aws, policy("ec2:DescribeVpcs", StringEquals={"aws:RequestedRegion": REGION}))
    aws.client("ec2", credentials=keys).describe_vpcs()
    assert refusal(aws.client("ec2", "eu-west-1", credentials=keys).describe_vpcs)[0] == "UnauthorizedOperation"


def test_a_denial_wins_and_is_named(aws: Any) -> None:
    keys = role(aws, policy("*"), policy("ec2:DescribeVpcs", effect="Deny"))
    ec2 = aws.client("ec2", credentials=keys)
    ec2.describe_subnets()
    assert refusal(ec2.describe_vpcs)[1].endswith("with an explicit deny in an identity-based policy")


def test_a_boundary_limits(aws: Any) -> None:
    keys = role(aws, policy("*"), boundary="arn:aws:iam::aws:policy/AmazonEC2ReadOnlyAccess")
    aws.client("ec2", credentials=keys).describe_vpcs()
    message = refusal(lambda: aws.client("iam", credentials=keys).list_roles())[1]
    assert message.endswith("because no permissions boundary allows the iam:ListRoles action")


def test_session_policies_limit_a_session(aws: Any) -> None:
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies.html#policies_session"""
    role(aws, policy("*"))
    sts, arn = aws.client("sts"), f"arn:aws:iam::{aws.id}:role/worker"

    def session(**more: Any) -> Credentials:
        made = sts.assume_role(RoleArn=arn, RoleSessionName="limited", **more)["Credentials"]
        return Credentials(made["AccessKeyId"], made["SecretAccessKey"], made["SessionToken"])

    for more in (
        {"Policy": policy("ec2:DescribeVpcs")},
        {"PolicyArns": [{"arn": "arn:aws:iam::aws:policy/AmazonEC2ReadOnlyAccess"}]},
    ):
        keys = session(**more)
        aws.client("ec2", credentials=keys).describe_vpcs()
        message = refusal(aws.client("iam", credentials=keys).list_roles)[1]
        assert message.endswith("because no session policy allows the iam:ListRoles action")
    assert refusal(lambda: session(Policy="{"))[0] == "MalformedPolicyDocument"
    assert refusal(lambda: session(PolicyArns=[{"arn": "arn:aws:iam::aws:policy/None"}]))[0] == "InvalidParameterValue"


def test_users_have_their_own_policies_and_those_of_their_groups(aws: Any) -> None:
    iam = aws.client("iam")
    iam.create_user(UserName="ann")
    made = iam.create_access_key(UserName="ann")["AccessKey"]
    keys = Credentials(made["AccessKeyId"], made["SecretAccessKey"])
    ec2, own = aws.client("ec2", credentials=keys), aws.client("iam", credentials=keys)
    assert refusal(ec2.describe_vpcs)[0] == "UnauthorizedOperation"
    iam.create_group(GroupName="readers")
    iam.put_group_policy(GroupName="readers", PolicyName="p", PolicyDocument=policy("ec2:DescribeVpcs"))
    iam.add_user_to_group(GroupName="readers", UserName="ann")
    ec2.describe_vpcs()
    iam.attach_group_policy(GroupName="readers", PolicyArn="arn:aws:iam::aws:policy/AmazonEC2ReadOnlyAccess")
    ec2.describe_subnets()
    iam.put_user_policy(
        UserName="ann",
        PolicyName="self",
        PolicyDocument=policy("iam:GetUser", resource=f"arn:aws:iam::{aws.id}:user/${{aws:username}}"),
    )
    assert own.get_user()["User"]["UserName"] == "ann"
    assert refusal(lambda: own.get_user(UserName="admin"))[0] == "AccessDenied"
    iam.remove_user_from_group(GroupName="readers", UserName="ann")
    assert refusal(ec2.describe_vpcs)[0] == "UnauthorizedOperation"


def test_a_policy_that_is_taken_away_or_deleted_allows_nothing(aws: Any) -> None:
    iam, keys = aws.client("iam"), role(aws)
    arn = iam.create_policy(PolicyName="p", PolicyDocument=policy("ec2:DescribeVpcs"))["Policy"]["Arn"]
    empower(iam, "worker", arn)
    ec2 = aws.client("ec2", credentials=keys)
    ec2.describe_vpcs()
    iam.create_policy_version(PolicyArn=arn, PolicyDocument=policy("ec2:DescribeSubnets"), SetAsDefault=True)
    assert refusal(ec2.describe_vpcs)[0] == "UnauthorizedOperation"
    ec2.describe_subnets()
    iam.detach_role_policy(RoleName="worker", PolicyArn=arn)
    assert refusal(ec2.describe_subnets)[0] == "UnauthorizedOperation"
    iam.delete_role(RoleName="worker")
    assert refusal(ec2.describe_subnets)[0] == "UnauthorizedOperation"


def test_a_role_is_assumed_by_those_it_names_and_by_those_who_may(aws: Any, other_aws: Any) -> None:
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic_policy-eval-basics.html"""
    keys, iam = role(aws, name="first"), aws.client("iam")
    sts = aws.client("sts", credentials=keys)

    def target(home: Any, name: str, principal: str) -> str:
        text = TRUST.replace('"*"', json.dumps(principal))
        return str(home.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=text)["Role"]["Arn"])

    named = target(aws, "named", f"arn:aws:iam::{aws.id}:role/first")
    of_account = target(aws, "of-account", f"arn:aws:iam::{aws.id}:root")
    abroad = target(other_aws, "abroad", f"arn:aws:iam::{aws.id}:role/first")
    sts.assume_role(RoleArn=named, RoleSessionName="s2")
    for arn in (of_account, abroad):
        why = "because no identity-based policy allows the sts:AssumeRole action"
        assert refusal(partial(sts.assume_role, RoleArn=arn, RoleSessionName="s2"))[1].endswith(why)
    iam.put_role_policy(RoleName="first", PolicyName="p", PolicyDocument=policy("sts:AssumeRole"))
    for arn in (of_account, abroad):
        sts.assume_role(RoleArn=arn, RoleSessionName="s2")
    iam.put_role_policy(RoleName="first", PolicyName="no", PolicyDocument=policy("sts:AssumeRole", effect="Deny"))
    assert refusal(lambda: sts.assume_role(RoleArn=named, RoleSessionName="s2"))[1].endswith("identity-based policy")


def test_passing_a_role_is_a_permission(aws: Any) -> None:
    keys = role(aws, policy("iam:CreateInstanceProfile", "iam:AddRoleToInstanceProfile"))
    iam = aws.client("iam", credentials=keys)
    iam.create_instance_profile(InstanceProfileName="p")
    message = refusal(lambda: iam.add_role_to_instance_profile(InstanceProfileName="p", RoleName="worker"))[1]
    assert f"iam:PassRole on resource: arn:aws:iam::{aws.id}:role/worker" in message
    only_ec2 = policy("iam:PassRole", StringEquals={"iam:PassedToService": "ec2.amazonaws.com"})
    aws.client("iam").put_role_policy(RoleName="worker", PolicyName="pass", PolicyDocument=only_ec2)
    iam.add_role_to_instance_profile(InstanceProfileName="p", RoleName="worker")


def test_only_services_act_on_behalf_of_others(aws: Any) -> None:
    keys = role(aws)
    ec2 = aws.client("ec2", credentials=keys)
    admin = Principal(aws.id, aws.account.principal_arn, "AIDA", session_tags=(SessionTag("a", "b"),))

    def pretend(request: Any, **_: Any) -> None:
        request.headers[forwarding.HEADER] = forwarding.header(admin)

    ec2.meta.events.register("before-sign.ec2", pretend)
    assert refusal(ec2.describe_vpcs)[0] == "UnauthorizedOperation"
    service = aws.front.client("ec2", aws.id, REGION, principal="tests.amazonaws.com")
    service.describe_vpcs()
    nobody = Principal(aws.id, f"arn:aws:sts::{aws.id}:assumed-role/worker/s", "AROA:s", session_policies=("{}",))
    ours = forwarding.header(nobody)
    service.meta.events.register(
        "before-sign.ec2", lambda request, **_: request.headers.add_header(forwarding.HEADER, ours)
    )
    aws.client("iam").attach_role_policy(RoleName="worker", PolicyArn=ADMINISTRATOR)
    assert refusal(service.describe_vpcs)[0] == "InternalFailure"
