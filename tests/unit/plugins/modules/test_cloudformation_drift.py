"""cloudformation_drift and the drift that cloudformation_diff_info tells, against stacks that were changed by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation import run as diff_info
from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._stack_drift.run import Request, run

from .aws_twin import ModuleAws, listed
from .conftest import Twin

ROLES = Path(__file__).parents[4] / "roles"
NETWORK = ROLES / "eks_network/files/network.yml"
SERVICE_ROLES = ROLES / "eks_cluster/files/service_roles.yml"
TAGS = {"team": "shop"}
Ids = dict[str, str]
ByHand = Callable[[Any, Ids], Any]


def make(twin: Twin, template: Path, **parameters: str) -> Ids:
    """A stack; the physical ids of its resources by logical id."""
    cfn = twin.boto("cloudformation")
    cfn.create_stack(
        StackName="s",
        TemplateBody=template.read_text(encoding="utf-8"),
        Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
        Tags=listed(TAGS),
        Capabilities=["CAPABILITY_NAMED_IAM"],
    )
    cfn.get_waiter("stack_create_complete").wait(StackName="s", WaiterConfig={"Delay": 1, "MaxAttempts": 60})
    found = cfn.list_stack_resources(StackName="s")["StackResourceSummaries"]
    return {item["LogicalResourceId"]: item["PhysicalResourceId"] for item in found}


def look(twin: Twin, drift: bool = True) -> dict[str, Any]:
    aws: Any = ModuleAws(twin)
    result: dict[str, Any] = diff_info.run(aws, diff_info.Request("s", drift=drift))
    return result


def repair(twin: Twin, *, check_mode: bool = False) -> dict[str, Any]:
    aws: Any = ModuleAws(twin)
    return run(aws, Request("s"), check_mode=check_mode)


def seen(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item["logical_id"], item["aspect"]) for item in found["drift"]]


def writes(twin: Twin, since: int) -> list[str]:
    entries = twin.front.log.select(lambda entry: entry.account == twin.account.account_id)[since:]
    return [entry.action for entry in entries if entry.mutating]


def calls(twin: Twin) -> int:
    return len(twin.front.log.select(lambda entry: entry.account == twin.account.account_id))


def _untag(resource: str, *keys: str) -> ByHand:
    return lambda ec2, ids: ec2.delete_tags(Resources=[ids[resource]], Tags=[{"Key": key} for key in keys])


def _unroute(ec2: Any, ids: Ids) -> None:
    ec2.delete_route(RouteTableId=ids["PrivateRouteTable"], DestinationCidrBlock="0.0.0.0/0")


def _reroute(ec2: Any, ids: Ids) -> None:
    table, gateway = ids["PrivateRouteTable"], ids["InternetGateway"]
    ec2.replace_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)


def _detach(ec2: Any, ids: Ids) -> None:
    ec2.delete_route(RouteTableId=ids["PublicRouteTable"], DestinationCidrBlock="0.0.0.0/0")
    ec2.detach_internet_gateway(InternetGatewayId=ids["InternetGateway"], VpcId=ids["Vpc"])


def _no_names(ec2: Any, ids: Ids) -> None:
    ec2.modify_vpc_attribute(VpcId=ids["Vpc"], EnableDnsHostnames={"Value": False})


def _public(ec2: Any, ids: Ids) -> None:
    ec2.modify_subnet_attribute(SubnetId=ids["PrivateSubnet1"], MapPublicIpOnLaunch={"Value": True})


def _unlink(ec2: Any, ids: Ids) -> None:
    ec2.modify_vpc_endpoint(VpcEndpointId=ids["S3Endpoint"], RemoveRouteTableIds=[ids["PrivateRouteTable"]])


def _address_tag(ec2: Any, ids: Ids) -> None:
    allocation = ec2.describe_addresses(PublicIps=[ids["NatGatewayAddress"]])["Addresses"][0]["AllocationId"]
    ec2.delete_tags(Resources=[allocation], Tags=[{"Key": "Name"}])


REPAIRED: list[tuple[str, ByHand, list[tuple[str, str]]]] = [
    ("discovery tag", _untag("PrivateSubnet2", "karpenter.sh/discovery"), [("PrivateSubnet2", "Tags")]),
    ("the stack's tag", _untag("Vpc", "team", "Name"), [("Vpc", "Tags")]),
    ("an address' tag", _address_tag, [("NatGatewayAddress", "Tags")]),
    ("route deleted", _unroute, [("PrivateRoute", "0.0.0.0/0")]),
    ("route elsewhere", _reroute, [("PrivateRoute", "0.0.0.0/0")]),
    ("gateway detached", _detach, [("InternetGatewayAttachment", "VpcId"), ("PublicRoute", "0.0.0.0/0")]),
    ("host names off", _no_names, [("Vpc", "EnableDnsHostnames")]),
    ("public addresses on", _public, [("PrivateSubnet1", "MapPublicIpOnLaunch")]),
    ("endpoint without its table", _unlink, [("S3Endpoint", "RouteTableIds")]),
]


@pytest.mark.parametrize(("by_hand", "expected"), [case[1:] for case in REPAIRED], ids=[case[0] for case in REPAIRED])
def test_what_was_changed_is_seen_predicted_and_put_right(
    twin: Twin, by_hand: ByHand, expected: list[tuple[str, str]]
) -> None:
    # The mapped address of a NAT gateway keeps an internet gateway attached.
    ids = make(twin, NETWORK, ClusterName="demo", NatGateway="false" if by_hand is _detach else "true")
    assert (look(twin)["drift"], look(twin)["lost"], look(twin)["drift_unseen"]) == ([], None, [])
    by_hand(twin.boto("ec2"), ids)
    since = calls(twin)
    found, predicted = look(twin), repair(twin, check_mode=True)
    assert seen(found) == seen(predicted) == expected
    assert (found["lost"], predicted["changed"], writes(twin, since)) == (None, True, [])
    made = repair(twin)
    assert (made["changed"], made["plan"]) == (True, predicted["plan"])
    assert (look(twin)["drift"], repair(twin)["changed"]) == ([], False)


def _no_association(ec2: Any, ids: Ids) -> None:
    ec2.disassociate_route_table(AssociationId=ids["PrivateSubnet1Routes"])


def _no_nat(ec2: Any, ids: Ids) -> None:
    ec2.delete_nat_gateway(NatGatewayId=ids["NatGatewayInPublicSubnet1"])


def _no_subnet(ec2: Any, ids: Ids) -> None:
    ec2.disassociate_route_table(AssociationId=ids["PrivateSubnet3Routes"])
    ec2.delete_subnet(SubnetId=ids["PrivateSubnet3"])


def _no_endpoint(ec2: Any, ids: Ids) -> None:
    ec2.delete_vpc_endpoints(VpcEndpointIds=[ids["S3Endpoint"]])


@pytest.mark.parametrize(
    ("by_hand", "lost"),
    [
        (_no_association, "PrivateSubnet1Routes"),
        (_no_nat, "NatGatewayInPublicSubnet1"),
        (_no_subnet, "PrivateSubnet3"),
        (_no_endpoint, "S3Endpoint"),
    ],
)
def test_what_is_gone_is_one_error_before_the_first_write(twin: Twin, by_hand: ByHand, lost: str) -> None:
    ids = make(twin, NETWORK, ClusterName="demo")
    by_hand(twin.boto("ec2"), ids)
    _untag("Vpc", "Name")(twin.boto("ec2"), ids)
    since = calls(twin)
    sentence = look(twin)["lost"]
    assert f"{lost} ({ids[lost]}) is gone" in sentence
    assert sentence.count(" is gone") == 1
    assert "--deployment-mode REVERT_DRIFT" in sentence
    for check_mode in (True, False):
        with pytest.raises(EksopsError, match="is gone"):
            repair(twin, check_mode=check_mode)
    assert writes(twin, since) == []


def test_roles_get_their_trust_and_policies_back(twin: Twin) -> None:
    ids, iam = make(twin, SERVICE_ROLES), twin.boto("iam")
    assert (look(twin)["drift"], look(twin)["drift_unseen"]) == ([], [])
    node, cluster = ids["SystemNodeRole"], ids["EksClusterRole"]
    iam.detach_role_policy(RoleName=node, PolicyArn="arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy")
    iam.attach_role_policy(RoleName=node, PolicyArn="arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess")
    trust = '{"Version": "2012-10-17", "Statement": []}'
    iam.update_assume_role_policy(RoleName=cluster, PolicyDocument=trust)
    iam.untag_role(RoleName=cluster, TagKeys=["team"])
    expected = [
        ("EksClusterRole", "AssumeRolePolicyDocument"),
        ("EksClusterRole", "Tags"),
        ("SystemNodeRole", "ManagedPolicyArns"),
    ]
    assert seen(repair(twin, check_mode=True)) == seen(repair(twin)) == expected
    assert look(twin)["drift"] == []
    kept = iam.list_attached_role_policies(RoleName=node)["AttachedPolicies"]
    assert "AmazonS3ReadOnlyAccess" in [item["PolicyName"] for item in kept]


def test_roles_of_a_stack_with_other_parts(twin: Twin) -> None:
    """Policies of the stack itself are attached by reference; queue, rules and policies are karpenter_iam_info's."""
    make(twin, ROLES / "karpenter_iam/files/karpenter_iam.yml", ClusterName="demo")
    assert (look(twin)["drift"], "AWS::SQS::Queue" in look(twin)["drift_unseen"]) == ([], True)
    iam = twin.boto("iam")
    arn = f"arn:aws:iam::{twin.account.account_id}:policy/KarpenterControllerInterruptionPolicy-demo"
    iam.detach_role_policy(RoleName="demo-karpenter", PolicyArn=arn)
    found = repair(twin)
    assert [(item["logical_id"], item["after"]) for item in found["drift"]] == [("KarpenterControllerRole", arn)]
    assert look(twin)["drift"] == []


def test_a_role_that_is_gone_is_told(twin: Twin) -> None:
    ids, iam = make(twin, SERVICE_ROLES), twin.boto("iam")
    role = ids["EksClusterRole"]
    iam.detach_role_policy(RoleName=role, PolicyArn="arn:aws:iam::aws:policy/AmazonEKSClusterPolicy")
    iam.delete_role(RoleName=role)
    assert f"AWS::IAM::Role EksClusterRole ({role}) is gone" in look(twin)["lost"]


def test_nobody_asks_for_resources_without_the_option(twin: Twin) -> None:
    make(twin, SERVICE_ROLES)
    since = calls(twin)
    assert look(twin, drift=False)["drift"] == []
    assert "GetRole" not in [
        entry.action for entry in twin.front.log.select(lambda one: one.account == twin.account.account_id)[since:]
    ]


def test_no_stack_has_no_drift(twin: Twin) -> None:
    assert (look(twin)["drift"], look(twin)["lost"], repair(twin)["changed"]) == ([], None, False)
