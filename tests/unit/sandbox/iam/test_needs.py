"""What API calls need: actions, ARNs and keys, as the Service Authorization Reference says.

https://docs.aws.amazon.com/service-authorization/latest/reference/
"""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.iam.launching import Launch, launch_needs
from sandbox.iam.model import Value
from sandbox.iam.needs import needs
from sandbox.iam.operation import Need, Operation, tree

ACCOUNT, REGION = "111122223333", "us-west-2"
ARNS = {
    "iam:role": {"nodes": f"arn:aws:iam::{ACCOUNT}:role/team/nodes"},
    "iam:instance-profile": {"p": f"arn:aws:iam::{ACCOUNT}:instance-profile/karpenter/p"},
    "ec2:launch-template": {"lt": f"arn:aws:ec2:{REGION}:{ACCOUNT}:launch-template/lt-1"},
    "cloudformation:stack": {"there": f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/there/id"},
}


class Known:
    """An account with a few resources."""

    def arn(self, account: str, region: str, kind: str, name: str) -> str | None:
        return ARNS.get(kind, {}).get(name)

    def role_of_profile(self, account: str, name_or_arn: str) -> str | None:
        return ARNS["iam:role"]["nodes"] if name_or_arn.endswith("p") else None


def needed(service: str, action: str, parameters: dict[str, Any], user: str | None = None) -> list[Need]:
    return needs(Operation(service, action, ACCOUNT, REGION, parameters, user), Known())


def shown(found: list[Need]) -> list[str]:
    """``action resource`` with the account and region taken out of ARNs."""
    place = {f"arn:aws:ec2:{REGION}:{ACCOUNT}:": "", f"{REGION}:{ACCOUNT}": "", f":{ACCOUNT}:": "::"}
    texts = []
    for need in found:
        text = need.resource
        for long, short in place.items():
            text = text.replace(long, short)
        texts.append(f"{need.action} {text}")
    return texts


TAGGED = tree({"TagSpecification.1.ResourceType": "subnet", "TagSpecification.1.Tag.1.Key": "k"})


@pytest.mark.parametrize(
    ("operation", "parameters", "expected"),
    [
        ("ec2:DescribeInstances", {"InstanceId": ["i-1"]}, ["ec2:DescribeInstances *"]),
        (
            "ec2:TerminateInstances",
            {"InstanceId": ["i-1", "i-2"]},
            ["ec2:TerminateInstances instance/i-1", "ec2:TerminateInstances instance/i-2"],
        ),
        ("ec2:DeleteLaunchTemplate", {"LaunchTemplateName": "lt"}, ["ec2:DeleteLaunchTemplate launch-template/lt-1"]),
        ("ec2:DeleteLaunchTemplate", {"LaunchTemplateName": "no"}, ["ec2:DeleteLaunchTemplate launch-template/*"]),
        ("ec2:CreateLaunchTemplate", {"LaunchTemplateName": "lt"}, ["ec2:CreateLaunchTemplate launch-template/*"]),
        (
            "ec2:CreateSubnet",
            {"VpcId": "vpc-1", **TAGGED},
            ["ec2:CreateSubnet subnet/*", "ec2:CreateSubnet vpc/vpc-1", "ec2:CreateTags subnet/*"],
        ),
        ("ec2:DeleteSubnet", {"SubnetId": "subnet-1"}, ["ec2:DeleteSubnet subnet/subnet-1"]),
        (
            "ec2:AuthorizeSecurityGroupIngress",
            {"GroupId": "sg-1"},
            ["ec2:AuthorizeSecurityGroupIngress security-group/sg-1"],
        ),
        (
            "ec2:CreateTags",
            {"ResourceId": ["i-1", "ami-1", "new-1"], "Tag": [{"Key": "k", "Value": "v"}]},
            [
                "ec2:CreateTags instance/i-1",
                "ec2:CreateTags arn:aws:ec2:us-west-2::image/ami-1",
                "ec2:CreateTags new/new-1",
            ],
        ),
        (
            "ec2:AssociateIamInstanceProfile",
            {"InstanceId": "i-1", "IamInstanceProfile": {"Name": "p"}},
            ["ec2:AssociateIamInstanceProfile instance/i-1", "iam:PassRole arn:aws:iam:::role/team/nodes"],
        ),
        (
            "ec2:CreateFleet",
            {
                "LaunchTemplateConfigs": [
                    {
                        "LaunchTemplateSpecification": {"LaunchTemplateName": "lt"},
                        "Overrides": [{"SubnetId": "subnet-1", "ImageId": "ami-1"}, {"SubnetId": "subnet-1"}],
                    }
                ],
                "TagSpecification": [{"ResourceType": "volume", "Tag": [{"Key": "k", "Value": "v"}]}],
            },
            [
                "ec2:CreateFleet fleet/*",
                "ec2:CreateFleet arn:aws:ec2:us-west-2::image/ami-1",
                "ec2:CreateFleet instance/*",
                "ec2:CreateFleet launch-template/lt-1",
                "ec2:CreateFleet subnet/subnet-1",
                "ec2:CreateFleet volume/*",
                "ec2:CreateTags volume/*",
            ],
        ),
        ("iam:GetRole", {"RoleName": "nodes"}, ["iam:GetRole arn:aws:iam:::role/team/nodes"]),
        ("iam:GetRole", {"RoleName": "none"}, ["iam:GetRole arn:aws:iam:::role/none"]),
        ("iam:CreateRole", {"RoleName": "x", "Path": "/a/"}, ["iam:CreateRole arn:aws:iam:::role/a/x"]),
        (
            "iam:CreateRole",
            {"RoleName": "x", "Tags": [{"Key": "k", "Value": "v"}]},
            ["iam:CreateRole arn:aws:iam:::role/x", "iam:TagRole arn:aws:iam:::role/x"],
        ),
        ("iam:GetPolicy", {"PolicyArn": "arn:aws:iam::aws:policy/X"}, ["iam:GetPolicy arn:aws:iam::aws:policy/X"]),
        ("iam:CreatePolicy", {"PolicyName": "x"}, ["iam:CreatePolicy arn:aws:iam:::policy/x"]),
        (
            "iam:AddRoleToInstanceProfile",
            {"InstanceProfileName": "p", "RoleName": "nodes"},
            [
                "iam:AddRoleToInstanceProfile arn:aws:iam:::instance-profile/karpenter/p",
                "iam:PassRole arn:aws:iam:::role/team/nodes",
            ],
        ),
        ("iam:ListInstanceProfiles", {"PathPrefix": "/karpenter/"}, ["iam:ListInstanceProfiles *"]),
        ("iam:ListRoles", {}, ["iam:ListRoles *"]),
        ("sts:GetCallerIdentity", {}, []),
        ("sts:DecodeAuthorizationMessage", {"EncodedMessage": "x"}, ["sts:DecodeAuthorizationMessage *"]),
        (
            "sqs:DeleteMessageBatch",
            {"QueueUrl": "http://127.0.0.1:1/111122223333/q"},
            ["sqs:DeleteMessage arn:aws:sqs::q"],
        ),
        (
            "sqs:CreateQueue",
            {"QueueName": "q", "tags": {"k": "v"}},
            ["sqs:CreateQueue arn:aws:sqs::q", "sqs:TagQueue arn:aws:sqs::q"],
        ),
        (
            "ssm:GetParameter",
            {"Name": "/aws/service/eks/x:3"},
            ["ssm:GetParameter arn:aws:ssm:us-west-2::parameter/aws/service/eks/x"],
        ),
        ("ssm:GetParameters", {"Names": ["a", "/b/c"]}, ["ssm:GetParameters arn:aws:ssm::parameter/a",
                                                         "ssm:GetParameters arn:aws:ssm::parameter/b/c"]),
        ("pricing:GetProducts", {"ServiceCode": "AmazonEC2"}, ["pricing:GetProducts *"]),
        (
            "eks:CreateCluster",
            {"name": "c", "roleArn": "arn:aws:iam::1:role/r"},
            ["eks:CreateCluster arn:aws:eks::cluster/c", "iam:PassRole arn:aws:iam::1:role/r"],
        ),
        ("eks:ListClusters", {}, ["eks:ListClusters *"]),
        (
            "eks:DeleteNodegroup",
            {"clusterName": "c", "nodegroupName": "n"},
            ["eks:DeleteNodegroup arn:aws:eks::nodegroup/c/n/*"],
        ),
        ("eks:DescribeUpdate", {"name": "c", "updateId": "u"}, ["eks:DescribeUpdate arn:aws:eks::cluster/c"]),
        (
            "eks:DescribePodIdentityAssociation",
            {"clusterName": "c", "associationId": "a-1"},
            ["eks:DescribePodIdentityAssociation arn:aws:eks::podidentityassociation/c/a-1"],
        ),
        (
            "eks:DeleteAccessEntry",
            {"clusterName": "c", "principalArn": "arn:aws:iam::1:role/team/r"},
            ["eks:DeleteAccessEntry arn:aws:eks::access-entry/c/role/1/r/*"],
        ),
        (
            "eks:TagResource",
            {"resourceArn": f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/c", "tags": {"k": "v"}},
            ["eks:TagResource arn:aws:eks::cluster/c"],
        ),
        (
            "eks-auth:AssumeRoleForPodIdentity",
            {"clusterName": "c"},
            ["eks-auth:AssumeRoleForPodIdentity arn:aws:eks::cluster/c"],
        ),
        (
            "cloudformation:CreateStack",
            {"StackName": "new"},
            ["cloudformation:CreateStack arn:aws:cloudformation::stack/new/*"],
        ),
        (
            "cloudformation:DeleteStack",
            {"StackName": "there", "RoleARN": "arn:aws:iam::1:role/r"},
            ["cloudformation:DeleteStack arn:aws:cloudformation::stack/there/id", "iam:PassRole arn:aws:iam::1:role/r"],
        ),
        ("cloudformation:DescribeStacks", {}, ["cloudformation:DescribeStacks *"]),
        ("events:PutRule", {"Name": "r"}, ["events:PutRule arn:aws:events::rule/r"]),
        ("events:DeleteRule", {"Name": "r", "EventBusName": "b"}, ["events:DeleteRule arn:aws:events::rule/b/r"]),
        ("events:DescribeEventBus", {"Name": "b"}, ["events:DescribeEventBus arn:aws:events::event-bus/b"]),
        ("logs:DeleteLogGroup", {"logGroupName": "g"}, ["logs:DeleteLogGroup arn:aws:logs::log-group:g"]),
        (
            "elasticloadbalancing:CreateLoadBalancer",
            {"Name": "l", "Type": "network"},
            ["elasticloadbalancing:CreateLoadBalancer arn:aws:elasticloadbalancing::loadbalancer/net/l/*"],
        ),
    ],
)  # fmt: skip
def test_actions_and_resources(operation: str, parameters: dict[str, Any], expected: list[str]) -> None:
    service, _, action = operation.partition(":")
    assert shown(needed(service, action, parameters)) == expected


def test_a_user_who_is_not_named_is_the_caller() -> None:
    assert shown(needed("iam", "GetUser", {}, user="ann")) == ["iam:GetUser arn:aws:iam:::user/ann"]


def keys_of(found: list[Need], action: str) -> dict[str, Value]:
    return dict(next(need for need in found if need.action == action).keys)


def test_new_resources_have_the_tags_of_their_type_and_used_ones_none() -> None:
    found = needed("ec2", "CreateSubnet", {"VpcId": "vpc-1", **TAGGED})
    keys = {need.resource.rpartition(":")[2]: need.keys for need in found if need.action == "ec2:CreateSubnet"}
    assert keys["subnet/*"] == {"ec2:region": REGION, "aws:requesttag/k": "", "aws:tagkeys": ("k",)}
    assert keys["vpc/vpc-1"] == {"ec2:region": REGION}
    assert keys_of(found, "ec2:CreateTags")["ec2:createaction"] == "CreateSubnet"


def test_taking_tags_away_names_their_keys() -> None:
    found = needed("ec2", "DeleteTags", {"ResourceId": ["i-1"], "Tag": [{"Key": "a"}, {"Key": "b", "Value": "v"}]})
    assert found[0].keys == {"ec2:region": REGION, "aws:requesttag/b": "v", "aws:tagkeys": ("b", "a")}
    assert keys_of(needed("eks", "UntagResource", {"tagKeys": ["a"]}), "eks:UntagResource") == {"aws:tagkeys": ("a",)}


def test_a_new_instance_profile_has_the_tags_of_its_request() -> None:
    parameters = {"InstanceProfileName": "new", "Tags": [{"Key": "Team", "Value": "a"}]}
    found = needed("iam", "CreateInstanceProfile", parameters)
    assert "aws:resourcetag/team" not in keys_of(found, "iam:CreateInstanceProfile")
    keys = keys_of(found, "iam:TagInstanceProfile")
    assert keys["aws:resourcetag/team"] == keys["aws:requesttag/team"] == "a"


@pytest.mark.parametrize(
    ("operation", "parameters", "key", "value"),
    [
        ("iam:AttachRolePolicy", {"RoleName": "r", "PolicyArn": "arn:x"}, "iam:policyarn", "arn:x"),
        ("iam:CreateRole", {"RoleName": "r", "PermissionsBoundary": "arn:b"}, "iam:permissionsboundary", "arn:b"),
        ("iam:AddRoleToInstanceProfile", {"RoleName": "nodes"}, "iam:passedtoservice", "ec2.amazonaws.com"),
        ("eks:CreateAccessEntry", {"clusterName": "c", "principalArn": "arn:p"}, "eks:principalarn", "arn:p"),
        ("ssm:GetParametersByPath", {"Path": "/a", "Recursive": True}, "ssm:recursive", "true"),
        ("cloudformation:CreateStack", {"StackName": "s", "ResourceTypes": ["A", "B"]},
         "cloudformation:resourcetypes", ("A", "B")),
    ],
)  # fmt: skip
def test_keys_of_services(operation: str, parameters: dict[str, Any], key: str, value: Value) -> None:
    service, _, action = operation.partition(":")
    assert value in [need.keys.get(key) for need in needed(service, action, parameters)]


LAUNCH = Launch(
    ACCOUNT, REGION, "ami-1", "subnet-1", ("sg-1",), "c6a.large", "us-west-2a", True, "lt-1", None,
    ARNS["iam:role"]["nodes"], ARNS["iam:instance-profile"]["p"],
    tags={"instance": {"k": "v"}, "spot-instances-request": {"k": "v"}},
)  # fmt: skip


def test_what_a_launch_needs() -> None:
    found = launch_needs(LAUNCH)
    run = ["arn:aws:ec2:us-west-2::image/ami-1", "subnet/subnet-1", "security-group/sg-1", "launch-template/lt-1"]
    run += ["instance/*", "network-interface/*", "volume/*", "spot-instances-request/*"]
    tagged = ["ec2:CreateTags instance/*", "ec2:CreateTags spot-instances-request/*"]
    passing = "iam:PassRole arn:aws:iam:::role/team/nodes"
    assert shown(found) == [*(f"ec2:RunInstances {one}" for one in run), *tagged, passing]
    instance = found[4].keys
    assert instance["aws:requesttag/k"] == "v"
    assert (instance["ec2:instancetype"], instance["ec2:instancemarkettype"]) == ("c6a.large", "spot")
    assert "aws:requesttag/k" not in found[5].keys
    assert keys_of(found, "ec2:CreateTags")["ec2:createaction"] == "RunInstances"


def test_trees_of_flat_parameters() -> None:
    flat = {"A.2.B": "y", "A.1.B": "x", "Tags.member.1.Key": "k", "C": "z", "D.E": "1"}
    assert tree(flat) == {"A": [{"B": "x"}, {"B": "y"}], "Tags": [{"Key": "k"}], "C": "z", "D": {"E": "1"}}
