"""IAM resources in stacks: what AWS refuses about them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from .stacks import Stacks

ROLE: dict[str, Any] = {
    "Type": "AWS::IAM::Role",
    "Properties": {
        "RoleName": "node",
        "AssumeRolePolicyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
            ],
        },
        "ManagedPolicyArns": [{"Ref": "Policy"}],
    },
}
POLICY: dict[str, Any] = {
    "Type": "AWS::IAM::ManagedPolicy",
    "Properties": {
        "ManagedPolicyName": "controller",
        "PolicyDocument": {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "ec2:Describe*", "Resource": "*"}],
        },
    },
}


def test_policies_and_roles_in_use_stop_the_deletion_of_their_stack(stacks: Stacks, aws: Any) -> None:
    iam = aws.client("iam")
    stack = stacks.create("iam", {"Resources": {"Policy": POLICY, "Role": ROLE}})
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    trust = json.dumps(ROLE["Properties"]["AssumeRolePolicyDocument"])
    policy = f"arn:aws:iam::{aws.id}:policy/controller"
    iam.create_role(RoleName="outside", AssumeRolePolicyDocument=trust)
    iam.attach_role_policy(RoleName="outside", PolicyArn=policy)
    iam.create_instance_profile(InstanceProfileName="p")
    iam.add_role_to_instance_profile(InstanceProfileName="p", RoleName="node")
    assert stacks.delete(stack["StackId"])["StackStatus"] == "DELETE_FAILED"
    reasons = " ".join(stacks.reasons(stack["StackId"], "DELETE_FAILED"))
    assert "remove roles from instance profile" in reasons
    iam.remove_role_from_instance_profile(InstanceProfileName="p", RoleName="node")
    assert stacks.delete(stack["StackId"])["StackStatus"] == "DELETE_FAILED"
    assert "Cannot delete a policy attached to entities." in stacks.reasons(stack["StackId"], "DELETE_FAILED")
    iam.detach_role_policy(RoleName="outside", PolicyArn=policy)
    assert stacks.delete(stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"


def test_a_role_name_that_is_too_long_or_taken_fails(stacks: Stacks) -> None:
    long = json.loads(json.dumps({"Resources": {"Policy": POLICY, "Role": ROLE}}))
    long["Resources"]["Role"]["Properties"]["RoleName"] = "r" * 65
    assert stacks.create("long", long)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "less than or equal to 64" in " ".join(stacks.reasons("long", "CREATE_FAILED"))
    stacks.create("one", {"Resources": {"Policy": POLICY, "Role": ROLE}})
    again = json.loads(json.dumps({"Resources": {"Role": ROLE}}))
    del again["Resources"]["Role"]["Properties"]["ManagedPolicyArns"]
    assert stacks.create("two", again)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "Role with name node already exists." in stacks.reasons("two", "CREATE_FAILED")


def test_iam_resources_need_the_capability(stacks: Stacks) -> None:
    with pytest.raises(ClientError, match="CAPABILITY_NAMED_IAM"):
        stacks.client.create_stack(StackName="iam", TemplateBody=json.dumps({"Resources": {"Policy": POLICY}}))
