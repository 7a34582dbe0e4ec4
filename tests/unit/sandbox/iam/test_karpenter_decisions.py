"""Requests of Karpenter and of its nodes, decided by the policies that the template makes, as AWS decides them.

Statements: https://karpenter.sh/docs/reference/cloudformation/. Every row is the request of one action on one resource.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sandbox.iam.evaluate import decide
from sandbox.iam.model import Decision, Policies, Request, Value
from sandbox.iam.operation import request_tags, resource_tags

from .rendered import ACCOUNT, CLUSTER, REGION, controller, node

TAGS = {
    f"kubernetes.io/cluster/{CLUSTER}": "owned",
    "eks:eks-cluster-name": CLUSTER,
    "karpenter.sh/nodepool": "general",
}
OTHERS = {"kubernetes.io/cluster/other": "owned", "eks:eks-cluster-name": "other", "karpenter.sh/nodepool": "general"}
PROFILE = {
    f"kubernetes.io/cluster/{CLUSTER}": "owned",
    "eks:eks-cluster-name": CLUSTER,
    "topology.kubernetes.io/region": REGION,
    "karpenter.k8s.aws/ec2nodeclass": "default",
}
CLAIM = {"Name": "demo-node", "karpenter.sh/nodeclaim": "general-x", "eks:eks-cluster-name": CLUSTER}
NODE_ROLE = f"iam::{ACCOUNT}:role/KarpenterNodeRole-{CLUSTER}"
QUEUE = f"sqs:{REGION}:{ACCOUNT}:{CLUSTER}"
DEMO = f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/{CLUSTER}"


def ec2(resource: str, region: str = REGION) -> str:
    return f"ec2:{region}:{'' if resource.startswith(('image', 'snapshot')) else ACCOUNT}:{resource}"


def profile(name: str = "demo_1") -> str:
    return f"iam::{ACCOUNT}:instance-profile/karpenter/{REGION}/{CLUSTER}/x/{name}"


def new(tags: Mapping[str, str]) -> dict[str, Value]:
    return request_tags(tags)


def on(tags: Mapping[str, str], service: str = "ec2") -> dict[str, Value]:
    return resource_tags(tags, service)


def creating(action: str, tags: Mapping[str, str] = TAGS) -> dict[str, Value]:
    return request_tags(tags) | {"ec2:createaction": action}


def without(tags: Mapping[str, str], key: str) -> dict[str, str]:
    return {name: value for name, value in tags.items() if name != key}


PASS: dict[str, Value] = {"iam:passedtoservice": "ec2.amazonaws.com"}
HERE: dict[str, Value] = {"aws:requestedregion": REGION}
THERE: dict[str, Value] = {"aws:requestedregion": "eu-west-1"}

#: action, resource without "arn:aws:", keys
ALLOWED: list[tuple[str, str, dict[str, Value]]] = [
    ("ec2:RunInstances", ec2("image/ami-1"), {}),
    ("ec2:RunInstances", ec2("snapshot/snap-1"), {}),
    ("ec2:RunInstances", ec2("subnet/subnet-1"), {}),
    ("ec2:RunInstances", ec2("security-group/sg-1"), {}),
    ("ec2:RunInstances", ec2("capacity-reservation/cr-1"), {}),
    ("ec2:RunInstances", ec2("launch-template/lt-1"), on(TAGS)),
    ("ec2:RunInstances", ec2("instance/*"), new(TAGS)),
    ("ec2:RunInstances", ec2("instance/*"), new(TAGS | {"team": "a"})),
    ("ec2:RunInstances", ec2("volume/*"), new(TAGS)),
    ("ec2:RunInstances", ec2("network-interface/*"), new(TAGS)),
    ("ec2:RunInstances", ec2("spot-instances-request/*"), new(TAGS)),
    ("ec2:CreateFleet", ec2("fleet/*"), new(TAGS)),
    ("ec2:CreateFleet", ec2("instance/*"), new(TAGS)),
    ("ec2:CreateFleet", ec2("image/ami-1"), {}),
    ("ec2:CreateFleet", ec2("launch-template/lt-1"), on(TAGS)),
    ("ec2:CreateLaunchTemplate", ec2("launch-template/*"), new(TAGS)),
    ("ec2:CreateTags", ec2("launch-template/*"), creating("CreateLaunchTemplate")),
    ("ec2:CreateTags", ec2("fleet/*"), creating("CreateFleet")),
    ("ec2:CreateTags", ec2("volume/*"), creating("RunInstances")),
    ("ec2:CreateTags", ec2("instance/i-1"), on(TAGS) | new(CLAIM)),
    ("ec2:CreateTags", ec2("instance/i-1"), on(TAGS) | new({"Name": "demo-node"})),
    ("ec2:TerminateInstances", ec2("instance/i-1"), on(TAGS)),
    ("ec2:DeleteLaunchTemplate", ec2("launch-template/lt-1"), on(TAGS)),
    ("iam:PassRole", NODE_ROLE, PASS),
    ("iam:PassRole", NODE_ROLE, {"iam:passedtoservice": "ec2.amazonaws.com.cn"}),
    ("iam:CreateInstanceProfile", profile(), new(PROFILE)),
    ("iam:TagInstanceProfile", profile(), new(PROFILE) | on(PROFILE, "iam")),
    ("iam:AddRoleToInstanceProfile", profile(), on(PROFILE, "iam")),
    ("iam:RemoveRoleFromInstanceProfile", profile(), on(PROFILE, "iam")),
    ("iam:DeleteInstanceProfile", profile(), on(PROFILE, "iam")),
    ("iam:GetInstanceProfile", profile(), {}),
    ("iam:ListInstanceProfiles", "*", {}),
    ("eks:DescribeCluster", DEMO.removeprefix("arn:aws:"), {}),
    ("sqs:ReceiveMessage", QUEUE, {}),
    ("sqs:DeleteMessage", QUEUE, {}),
    ("sqs:GetQueueUrl", QUEUE, {}),
    ("arc-zonal-shift:GetManagedResource", "*", {"arc-zonal-shift:resourceidentifier": DEMO}),
    ("ec2:DescribeInstances", "*", HERE),
    ("ec2:DescribeSpotPriceHistory", "*", HERE),
    ("ec2:DescribeInstanceTypes", "*", HERE),
    ("ssm:GetParameter", f"ssm:{REGION}::parameter/aws/service/eks/optimized-ami/1.36/x", {}),
    ("pricing:GetProducts", "*", {}),
]
DENIED: list[tuple[str, str, dict[str, Value]]] = [
    ("ec2:RunInstances", ec2("subnet/subnet-1", "eu-west-1"), {}),
    ("ec2:RunInstances", ec2("launch-template/lt-1"), on(OTHERS)),
    ("ec2:RunInstances", ec2("launch-template/lt-1"), {}),
    ("ec2:RunInstances", ec2("launch-template/lt-1"), new(TAGS) | on(without(TAGS, "karpenter.sh/nodepool"))
     | {"aws:requesttag/eks:eks-cluster-name": "other"}),
    ("ec2:RunInstances", ec2("instance/*"), {}),
    ("ec2:RunInstances", ec2("instance/*"), new(OTHERS)),
    ("ec2:RunInstances", ec2("volume/*"), new(without(TAGS, "karpenter.sh/nodepool"))),
    ("ec2:RunInstances", ec2("network-interface/*"), new(without(TAGS, "eks:eks-cluster-name"))),
    ("ec2:RunInstances", ec2("key-pair/mine"), {}),
    ("ec2:CreateFleet", ec2("instance/*"), new(OTHERS)),
    ("ec2:CreateFleet", ec2("fleet/*", "eu-west-1"), new(TAGS)),
    ("ec2:CreateLaunchTemplate", ec2("launch-template/*"), new(OTHERS)),
    ("ec2:CreateLaunchTemplateVersion", ec2("launch-template/lt-1"), on(TAGS)),
    ("ec2:CreateTags", ec2("instance/*"), creating("CreateVolume")),
    ("ec2:CreateTags", ec2("instance/*"), creating("RunInstances", OTHERS)),
    ("ec2:CreateTags", ec2("instance/i-1"), on(TAGS) | new(CLAIM | {"team": "a"})),
    ("ec2:CreateTags", ec2("instance/i-1"), on(TAGS) | new({"eks:eks-cluster-name": "other"})),
    ("ec2:CreateTags", ec2("instance/i-1"), on(OTHERS) | new({"Name": "mine now"})),
    ("ec2:CreateTags", ec2("volume/vol-1"), on(TAGS) | new({"Name": "mine now"})),
    ("ec2:DeleteTags", ec2("instance/i-1"), on(TAGS) | {"aws:tagkeys": ("Name",)}),
    ("ec2:TerminateInstances", ec2("instance/i-1"), on(OTHERS)),
    ("ec2:TerminateInstances", ec2("instance/i-1"), {}),
    ("ec2:TerminateInstances", ec2("instance/i-1"), on(without(TAGS, "karpenter.sh/nodepool"))),
    ("ec2:StopInstances", ec2("instance/i-1"), on(TAGS)),
    ("ec2:DeleteLaunchTemplate", ec2("launch-template/lt-1"), on(OTHERS)),
    ("ec2:DescribeInstances", "*", THERE),
    ("ec2:DescribeVpcs", "*", HERE),
    ("iam:PassRole", NODE_ROLE, {"iam:passedtoservice": "eks.amazonaws.com"}),
    ("iam:PassRole", NODE_ROLE, {}),
    ("iam:PassRole", f"iam::{ACCOUNT}:role/Admin", PASS),
    ("iam:CreateInstanceProfile", profile(), new(without(PROFILE, "karpenter.k8s.aws/ec2nodeclass"))),
    ("iam:CreateInstanceProfile", profile(), new(PROFILE | {"topology.kubernetes.io/region": "eu-west-1"})),
    ("iam:TagInstanceProfile", profile(), new(PROFILE)),
    ("iam:AddRoleToInstanceProfile", profile(), {}),
    ("iam:DeleteInstanceProfile", profile(), on(PROFILE | {"topology.kubernetes.io/region": "eu-west-1"}, "iam")),
    ("iam:GetInstanceProfile", "iam::444455556666:instance-profile/x", {}),
    ("iam:CreateRole", f"iam::{ACCOUNT}:role/mine", {}),
    ("eks:DescribeCluster", f"eks:{REGION}:{ACCOUNT}:cluster/{CLUSTER}-2", {}),
    ("eks:ListClusters", "*", {}),
    ("sqs:ReceiveMessage", f"sqs:{REGION}:{ACCOUNT}:other", {}),
    ("sqs:SendMessage", QUEUE, {}),
    ("arc-zonal-shift:GetManagedResource", "*", {"arc-zonal-shift:resourceidentifier": f"{DEMO}-2"}),
    ("ssm:GetParameter", f"ssm:{REGION}:{ACCOUNT}:parameter/secret", {}),
    ("ssm:GetParameter", "ssm:eu-west-1::parameter/aws/service/eks/x", {}),
]  # fmt: skip
NODE_ALLOWED = [
    ("ec2:DescribeInstances", "*"),
    ("eks:DescribeCluster", f"eks:{REGION}:{ACCOUNT}:cluster/{CLUSTER}"),
    ("eks-auth:AssumeRoleForPodIdentity", f"eks:{REGION}:{ACCOUNT}:cluster/{CLUSTER}"),
    ("ecr:GetAuthorizationToken", "*"),
    ("ec2:AssignPrivateIpAddresses", ec2("network-interface/eni-1")),
    ("ec2:CreateTags", ec2("network-interface/eni-1")),
    ("ssm:UpdateInstanceInformation", "*"),
]
NODE_DENIED = [
    ("ec2:RunInstances", ec2("instance/*")),
    ("ec2:TerminateInstances", ec2("instance/i-1")),
    ("ec2:CreateTags", ec2("instance/i-1")),
    ("iam:PassRole", NODE_ROLE),
    ("eks:DeleteCluster", f"eks:{REGION}:{ACCOUNT}:cluster/{CLUSTER}"),
    ("ecr:PutImage", f"ecr:{REGION}:{ACCOUNT}:repository/x"),
    ("sqs:ReceiveMessage", QUEUE),
]


def decided(policies: Policies, action: str, resource: str, keys: dict[str, Value]) -> Decision:
    arn = resource if resource == "*" else f"arn:aws:{resource}"
    return decide(Request(action, arn, HERE | keys), policies)


def test_there_are_enough_of_each() -> None:
    assert len(ALLOWED) >= 30
    assert len(DENIED) >= 30


@pytest.mark.parametrize(("action", "resource", "keys"), ALLOWED)
def test_the_controller_may(action: str, resource: str, keys: dict[str, Value]) -> None:
    assert decided(controller(), action, resource, keys).allowed


@pytest.mark.parametrize(("action", "resource", "keys"), DENIED)
def test_the_controller_may_not(action: str, resource: str, keys: dict[str, Value]) -> None:
    decision = decided(controller(), action, resource, keys)
    assert not decision.allowed
    assert not decision.explicit


@pytest.mark.parametrize(("action", "resource"), NODE_ALLOWED)
def test_a_node_may(action: str, resource: str) -> None:
    assert decided(node(), action, resource, {}).allowed


@pytest.mark.parametrize(("action", "resource"), NODE_DENIED)
def test_a_node_may_not(action: str, resource: str) -> None:
    assert not decided(node(), action, resource, {}).allowed


@pytest.mark.parametrize(
    ("policy", "row"),
    [
        ("NodeLifecyclePolicy", 0),
        ("IAMIntegrationPolicy", 23),
        ("EKSIntegrationPolicy", 32),
        ("InterruptionPolicy", 33),
        ("ZonalShiftPolicy", 36),
        ("ResourceDiscoveryPolicy", 37),
    ],
)
def test_each_of_the_six_policies_is_needed(policy: str, row: int) -> None:
    request: tuple[Any, ...] = ALLOWED[row]
    assert decided(controller(), *request).allowed
    assert not decided(controller(without=policy), *request).allowed
