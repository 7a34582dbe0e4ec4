"""Stacks and fleets do what whoever asks for them may do.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/control-access-with-iam.html
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.contracts import Credentials

from .stacks import Stacks
from .world import World

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}],
}
ROLE = {"Type": "AWS::IAM::Role", "Properties": {"RoleName": "made", "AssumeRolePolicyDocument": TRUST}}
QUEUE = {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "made"}}
VPC = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.5.0.0/16"}}


def may(aws: Any, *actions: str, name: str = "deployer", **denied: list[str]) -> Credentials:
    """A session of a role that may do the actions; of a role that is there already with new ones."""
    iam = aws.client("iam")
    if name not in {one["RoleName"] for one in iam.list_roles()["Roles"]}:
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(TRUST))
    allow = {"Effect": "Allow", "Action": list(actions), "Resource": "*"}
    deny = [{"Effect": "Deny", "Action": one, "Resource": "*"} for one in denied.values()]
    document = json.dumps({"Version": "2012-10-17", "Statement": [allow, *deny]})
    iam.put_role_policy(RoleName=name, PolicyName="p", PolicyDocument=document)
    keys: Credentials = aws.front.mint_session(f"arn:aws:iam::{aws.id}:role/{name}", "s")
    return keys


class As:
    """The account, seen with other credentials."""

    def __init__(self, aws: Any, keys: Credentials) -> None:
        self._aws, self._keys = aws, keys

    def client(self, service: str, region: str = "us-west-2") -> Any:
        return self._aws.client(service, region, credentials=self._keys)


@pytest.mark.parametrize(
    ("resource", "action", "named"),
    [(ROLE, "iam:CreateRole", "role/made"), (QUEUE, "sqs:CreateQueue", "made"), (VPC, "ec2:CreateVpc", "vpc/*")],
)
def test_a_stack_is_made_with_the_permissions_of_its_caller(
    aws: Any, resource: dict[str, Any], action: str, named: str
) -> None:
    service = action.partition(":")[0]
    limited = Stacks(As(aws, may(aws, "cloudformation:*", "ec2:DescribeVpcs", f"{service}:Delete*", "sts:*")))
    template = {"Resources": {"One": resource}}
    stack = limited.create("first", template, OnFailure="DO_NOTHING")
    assert stack["StackStatus"] == "CREATE_FAILED"
    [reason, *_] = limited.reasons(stack["StackId"], "CREATE_FAILED")
    who = f"User: arn:aws:sts::{aws.id}:assumed-role/deployer/s is not authorized to perform: {action} on resource: "
    assert who in reason
    assert f"{named} because no identity-based policy allows the {action} action" in reason
    assert "HandlerErrorCode: AccessDenied" in reason
    able = Stacks(As(aws, may(aws, "*")))
    stack = able.create("second", template)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    delete = action.replace("Create", "Delete")
    unable = Stacks(As(aws, may(aws, "*", no=[delete])))
    assert unable.delete(stack["StackId"])["StackStatus"] == "DELETE_FAILED"
    able = Stacks(As(aws, may(aws, "*")))
    assert able.delete(stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"


def test_a_stack_needs_permission_for_itself(aws: Any) -> None:
    limited = Stacks(As(aws, may(aws, "cloudformation:Describe*", "ec2:*")))
    with pytest.raises(ClientError, match=r"cloudformation:CreateStack on resource: .*:stack/first/"):
        limited.create("first", {"Resources": {"One": VPC}})


def test_a_service_role_of_a_stack_is_refused_for_it_would_go_unheeded(stacks: Stacks) -> None:
    with pytest.raises(ClientError, match="CreateStack with RoleARN"):
        stacks.create("first", {"Resources": {"One": VPC}}, RoleARN="arn:aws:iam::111122223333:role/service")


def test_a_fleet_reports_the_launches_that_its_caller_may_not_make(aws: Any, world: World) -> None:
    """https://github.com/aws/karpenter-provider-aws/issues/7370 shows such an answer of AWS."""
    world.ec2 = As(aws, may(aws, "ec2:CreateFleet", "ec2:CreateTags")).client("ec2")
    answer = world.fleet([world.override(), world.override(zone="us-west-2a")])
    assert not answer["Instances"]
    assert [one["ErrorCode"] for one in answer["Errors"]] == ["UnauthorizedOperation"] * 2
    message = answer["Errors"][0]["ErrorMessage"]
    assert "is not authorized to perform: ec2:RunInstances on resource: arn:aws:ec2:us-west-2::image/ami-" in message
    may(aws, "ec2:CreateFleet", "ec2:CreateTags", "ec2:RunInstances")
    assert world.fleet([world.override()])["Instances"]


def test_a_fleet_needs_its_own_action_and_tagging(aws: Any, world: World) -> None:
    world.ec2 = As(aws, may(aws, "ec2:RunInstances", "ec2:CreateTags")).client("ec2")
    with pytest.raises(ClientError, match="ec2:CreateFleet on resource"):
        world.fleet([world.override()])
    may(aws, "ec2:RunInstances", "ec2:CreateFleet")
    with pytest.raises(ClientError, match="ec2:CreateTags on resource"):
        world.fleet([world.override()])


def test_run_instances_and_its_dry_run_are_refused_alike(aws: Any, world: World) -> None:
    admin = world.ec2
    world.ec2 = As(aws, may(aws, "ec2:Describe*")).client("ec2")
    wanted: dict[str, Any] = {
        "LaunchTemplate": {"LaunchTemplateName": "nodes"},
        "InstanceType": "c6a.large",
        "MinCount": 1,
        "MaxCount": 1,
    }
    for more in ({}, {"DryRun": True}):
        with pytest.raises(ClientError) as caught:
            world.ec2.run_instances(**wanted, **more)
        answer = caught.value.response
        assert answer["Error"]["Code"] == "UnauthorizedOperation"
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 403
    may(aws, "ec2:RunInstances", "ec2:CreateTags")
    with pytest.raises(ClientError, match="DryRunOperation"):
        world.ec2.run_instances(**wanted, DryRun=True)
    assert not admin.describe_instances()["Reservations"]


def test_what_is_gone_is_not_found_although_it_has_no_tags_to_be_allowed_by(aws: Any, world: World) -> None:
    owned = {"StringEquals": {"aws:ResourceTag/of": "me"}}
    statement = {"Effect": "Allow", "Action": ["ec2:Delete*", "ec2:Terminate*"], "Resource": "*", "Condition": owned}
    keys = may(aws, "sts:*")
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    aws.client("iam").put_role_policy(RoleName="deployer", PolicyName="owned", PolicyDocument=document)
    ec2 = As(aws, keys).client("ec2")
    template = world.ec2.describe_launch_templates()["LaunchTemplates"][0]["LaunchTemplateId"]
    with pytest.raises(ClientError, match="UnauthorizedOperation"):
        ec2.delete_launch_template(LaunchTemplateId=template)
    world.ec2.create_tags(Resources=[template], Tags=[{"Key": "of", "Value": "me"}])
    ec2.delete_launch_template(LaunchTemplateId=template)
    with pytest.raises(ClientError, match=r"InvalidLaunchTemplateId\.NotFound"):
        ec2.delete_launch_template(LaunchTemplateId=template)
    with pytest.raises(ClientError, match=r"InvalidInstanceID\.NotFound"):
        ec2.terminate_instances(InstanceIds=["i-0123456789abcdef0"])
    with pytest.raises(ClientError, match="UnauthorizedOperation"):
        ec2.modify_launch_template(LaunchTemplateId=template, DefaultVersion="1")


def test_launching_with_a_profile_passes_its_role(aws: Any, world: World) -> None:
    iam = aws.client("iam")
    iam.create_role(RoleName="nodes", AssumeRolePolicyDocument=json.dumps(TRUST))
    iam.add_role_to_instance_profile(InstanceProfileName="karpenter-nodes", RoleName="nodes")
    world.ec2 = As(aws, may(aws, "ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateTags")).client("ec2")
    [error] = world.fleet([world.override()])["Errors"]
    assert f"iam:PassRole on resource: arn:aws:iam::{aws.id}:role/nodes" in error["ErrorMessage"]
    may(aws, "ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateTags", "iam:PassRole")
    assert world.fleet([world.override()])["Instances"]
