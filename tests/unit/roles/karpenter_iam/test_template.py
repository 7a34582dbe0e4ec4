"""Karpenter's template allows what Karpenter 1.14 needs and nothing else, within IAM's limits.

The facts are those of https://karpenter.sh/docs/reference/cloudformation/ for 1.14.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import botocore.session
import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.checks import (
    parameter_values,
    required_capabilities,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.template import load_template
from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._limits.names import (
    derived_names,
    longest_cluster_name,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._limits.policies import (
    POLICY_MAXIMUM,
    policy_sizes,
    substitutions,
)

PATH = Path(__file__).parents[4] / "roles/karpenter_iam/files/karpenter_iam.yml"
TEMPLATE = load_template(PATH.read_text(encoding="utf-8"), str(PATH))
RESOURCES = TEMPLATE["Resources"]

RUN = ["ec2:CreateFleet", "ec2:RunInstances"]
OWNED = "kubernetes.io/cluster/${ClusterName}"
REQUEST, RESOURCE = f"aws:RequestTag/{OWNED}", f"aws:ResourceTag/{OWNED}"
POOL_REQUEST, POOL_RESOURCE = "aws:RequestTag/karpenter.sh/nodepool", "aws:ResourceTag/karpenter.sh/nodepool"
CLASS_REQUEST = "aws:RequestTag/karpenter.k8s.aws/ec2nodeclass"
CLASS_RESOURCE = "aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass"
REGION_REQUEST = "aws:RequestTag/topology.kubernetes.io/region"
REGION_RESOURCE = "aws:ResourceTag/topology.kubernetes.io/region"
NAME_REQUEST = "aws:RequestTag/eks:eks-cluster-name"
READS = [
    "ec2:DescribeCapacityReservations",
    "ec2:DescribeImages",
    "ec2:DescribeInstanceStatus",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeInstances",
    "ec2:DescribeLaunchTemplates",
    "ec2:DescribePlacementGroups",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSpotPriceHistory",
    "ec2:DescribeSubnets",
]
PROFILE_ACTIONS = ["iam:AddRoleToInstanceProfile", "iam:DeleteInstanceProfile", "iam:RemoveRoleFromInstanceProfile"]
QUEUE_ACTIONS = ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"]

# (policy, statement id) -> (actions, keys of conditions)
STATEMENTS: dict[tuple[str, str], tuple[list[str], list[str]]] = {
    ("NodeLifecycle", "AllowScopedEC2InstanceAccessActions"): (RUN, []),
    ("NodeLifecycle", "AllowScopedEC2LaunchTemplateAccessActions"): (RUN, [POOL_RESOURCE, RESOURCE]),
    ("NodeLifecycle", "AllowScopedEC2InstanceActionsWithTags"): (
        ["ec2:CreateFleet", "ec2:CreateLaunchTemplate", "ec2:RunInstances"],
        [NAME_REQUEST, POOL_REQUEST, REQUEST],
    ),
    ("NodeLifecycle", "AllowScopedResourceCreationTagging"): (
        ["ec2:CreateTags"],
        [NAME_REQUEST, POOL_REQUEST, REQUEST, "ec2:CreateAction"],
    ),
    ("NodeLifecycle", "AllowScopedResourceTagging"): (
        ["ec2:CreateTags"],
        [NAME_REQUEST, POOL_RESOURCE, RESOURCE, "aws:TagKeys"],
    ),
    ("NodeLifecycle", "AllowScopedDeletion"): (
        ["ec2:DeleteLaunchTemplate", "ec2:TerminateInstances"],
        [POOL_RESOURCE, RESOURCE],
    ),
    ("IAMIntegration", "AllowPassingInstanceRole"): (["iam:PassRole"], ["iam:PassedToService"]),
    ("IAMIntegration", "AllowScopedInstanceProfileCreationActions"): (
        ["iam:CreateInstanceProfile"],
        [CLASS_REQUEST, NAME_REQUEST, REGION_REQUEST, REQUEST],
    ),
    ("IAMIntegration", "AllowScopedInstanceProfileTagActions"): (
        ["iam:TagInstanceProfile"],
        [CLASS_REQUEST, CLASS_RESOURCE, NAME_REQUEST, REGION_REQUEST, REGION_RESOURCE, REQUEST, RESOURCE],
    ),
    ("IAMIntegration", "AllowScopedInstanceProfileActions"): (
        PROFILE_ACTIONS,
        [CLASS_RESOURCE, REGION_RESOURCE, RESOURCE],
    ),
    ("EKSIntegration", "AllowAPIServerEndpointDiscovery"): (["eks:DescribeCluster"], []),
    ("Interruption", "AllowInterruptionQueueActions"): (QUEUE_ACTIONS, []),
    ("ZonalShift", "AllowZonalShiftStatusReadOnly"): (
        ["arc-zonal-shift:GetManagedResource"],
        ["arc-zonal-shift:ResourceIdentifier"],
    ),
    ("ResourceDiscovery", "AllowRegionalReadActions"): (READS, ["aws:RequestedRegion"]),
    ("ResourceDiscovery", "AllowSSMReadActions"): (["ssm:GetParameter"], []),
    ("ResourceDiscovery", "AllowPricingReadActions"): (["pricing:GetProducts"], []),
    ("ResourceDiscovery", "AllowUnscopedInstanceProfileListAction"): (["iam:ListInstanceProfiles"], []),
    ("ResourceDiscovery", "AllowInstanceProfileReadActions"): (["iam:GetInstanceProfile"], []),
}
# The only statements that may say "all resources": their actions know no narrower one.
UNSCOPED = {
    "AllowRegionalReadActions",
    "AllowPricingReadActions",
    "AllowUnscopedInstanceProfileListAction",
    "AllowZonalShiftStatusReadOnly",
}
EVENTS = {
    "ScheduledChangeRule": ("aws.health", "AWS Health Event"),
    "SpotInterruptionRule": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "RebalanceRule": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "InstanceStateChangeRule": ("aws.ec2", "EC2 Instance State-change Notification"),
    "CapacityReservationInterruptionRule": ("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
}


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def statements(policy: str) -> list[dict[str, Any]]:
    document = RESOURCES[f"{policy}Policy"]["Properties"]["PolicyDocument"]
    found: list[dict[str, Any]] = document.get("Fn::Sub", document)["Statement"]
    return found


def all_statements() -> dict[tuple[str, str], dict[str, Any]]:
    policies = [
        name.removesuffix("Policy") for name, item in RESOURCES.items() if item["Type"].endswith("ManagedPolicy")
    ]
    return {(policy, item["Sid"]): item for policy in policies for item in statements(policy)}


def test_the_statements_are_these() -> None:
    assert set(all_statements()) == set(STATEMENTS)


@pytest.mark.parametrize("key", STATEMENTS, ids=lambda key: key[1])
def test_a_statement_allows_this_under_these_conditions(key: tuple[str, str]) -> None:
    statement = all_statements()[key]
    actions, conditions = STATEMENTS[key]
    assert statement["Effect"] == "Allow"
    assert sorted(listed(statement["Action"])) == sorted(actions)
    found = sorted(name for operator in statement.get("Condition", {}).values() for name in operator)
    assert found == sorted(conditions)


def test_nothing_else_is_allowed_on_all_resources() -> None:
    wide = {sid for (_, sid), item in all_statements().items() if "*" in listed(item["Resource"])}
    assert wide == UNSCOPED


def test_no_arn_names_a_partition() -> None:
    text = PATH.read_text(encoding="utf-8")
    assert "arn:aws" not in text
    assert "arn:${AWS::Partition}:" in text


def test_the_controller_role_is_for_this_cluster_alone() -> None:
    role = RESOURCES["KarpenterControllerRole"]["Properties"]
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "pods.eks.amazonaws.com"}
    assert sorted(trust["Action"]) == ["sts:AssumeRole", "sts:TagSession"]
    assert list(trust["Condition"]["StringEquals"]) == ["aws:RequestTag/eks-cluster-arn"]
    assert len(role["ManagedPolicyArns"]) == 6
    assert role["RoleName"] == {"Fn::Sub": "${ClusterName}-karpenter"}


def test_the_node_role_has_the_four_policies_of_nodes() -> None:
    role = RESOURCES["KarpenterNodeRole"]["Properties"]
    names = {item["Fn::Sub"].rpartition("/")[2] for item in role["ManagedPolicyArns"]}
    assert names == {
        "AmazonEKS_CNI_Policy",
        "AmazonEKSWorkerNodePolicy",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonSSMManagedInstanceCore",
    }
    assert role["AssumeRolePolicyDocument"]["Statement"][0]["Principal"]["Service"] == {
        "Fn::Sub": "ec2.${AWS::URLSuffix}"
    }


@pytest.mark.parametrize("rule", EVENTS)
def test_each_rule_sends_its_event_to_the_queue(rule: str) -> None:
    source, detail = EVENTS[rule]
    properties = RESOURCES[rule]["Properties"]
    assert properties["EventPattern"] == {"source": [source], "detail-type": [detail]}
    assert [target["Arn"] for target in properties["Targets"]] == [
        {"Fn::GetAtt": ["KarpenterInterruptionQueue", "Arn"]}
    ]


def test_the_queue_takes_events_and_refuses_plain_http() -> None:
    assert RESOURCES["KarpenterInterruptionQueue"]["Properties"] == {
        "QueueName": {"Ref": "ClusterName"},
        "MessageRetentionPeriod": "300",
        "SqsManagedSseEnabled": "true",
    }
    send, deny = RESOURCES["KarpenterInterruptionQueuePolicy"]["Properties"]["PolicyDocument"]["Statement"]
    assert send["Principal"]["Service"] == ["events.amazonaws.com", "sqs.amazonaws.com"]
    assert (deny["Sid"], deny["Effect"], deny["Action"]) == ("DenyHTTP", "Deny", "sqs:*")
    assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_names_are_those_that_other_layers_predict() -> None:
    names = derived_names("demo")
    made = {
        logical_id: next(value for key, value in item["Properties"].items() if key.endswith("Name"))
        for logical_id, item in RESOURCES.items()
        if item["Type"] in ("AWS::IAM::Role", "AWS::IAM::ManagedPolicy")
    }
    texts = {value["Fn::Sub"].replace("${ClusterName}", "demo") for value in made.values()}
    assert texts == {value for key, value in names.items() if key.endswith("_role") or key.startswith("policy_")}


def worst_case() -> dict[str, str]:
    session = botocore.session.Session()
    partitions = session.get_available_partitions()
    regions = [region for partition in partitions for region in session.get_available_regions("eks", partition)]
    return substitutions(
        cluster="x" * longest_cluster_name(),
        partition=max(partitions, key=len),
        region=max(regions, key=len),
        account="1" * 12,
    )


def test_every_policy_fits_for_the_longest_name_in_the_longest_region() -> None:
    sizes = policy_sizes(TEMPLATE, worst_case())
    assert len(sizes) == 6
    assert max(sizes.values()) <= POLICY_MAXIMUM
    # One policy of them all would not fit, which is why there are six.
    assert sum(sizes.values()) > POLICY_MAXIMUM


@pytest.mark.parametrize("name", ["-a", "a b", "a" * 101, "", "a/b"])
def test_the_parameter_refuses_what_eks_refuses(name: str) -> None:
    with pytest.raises(EksopsError):
        parameter_values(TEMPLATE, {"ClusterName": name}, "w")


def test_it_needs_the_capability_for_named_iam() -> None:
    assert required_capabilities(TEMPLATE) == ["CAPABILITY_NAMED_IAM"]
