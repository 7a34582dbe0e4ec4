"""Drift as tables: what services tell against what the stack made."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.model import Stack, StackResource
from ansible_collections.eksops.karpenter.plugins.module_utils._stack_drift.api import KINDS, ids_to_read
from ansible_collections.eksops.karpenter.plugins.module_utils._stack_drift.model import Expected, expected_of
from ansible_collections.eksops.karpenter.plugins.module_utils._stack_drift.plan import (
    drifts,
    lost_sentence,
    repair_plan,
    unseen_types,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._stack_drift.roles import normal

ROUTE = Expected(
    "Route",
    "rtb-1|0.0.0.0/0",
    "AWS::EC2::Route",
    {"RouteTableId": "rtb-1", "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": "igw-1"},
)
ATTACHMENT = Expected(
    "Attachment", "IGW|vpc-1", "AWS::EC2::VPCGatewayAttachment", {"VpcId": "vpc-1", "InternetGatewayId": "igw-1"}
)
NAT = Expected("Nat", "nat-1", "AWS::EC2::NatGateway")


def live(**kinds: Any) -> dict[str, Any]:
    return {kind: kinds.get(kind, {}) for kind in KINDS}


def table(*routes: dict[str, str]) -> dict[str, Any]:
    return {"rtb-1": {"RouteTableId": "rtb-1", "Routes": list(routes)}}


DEFAULT = {"DestinationCidrBlock": "0.0.0.0/0"}


@pytest.mark.parametrize(
    ("routes", "operation"),
    [
        ([DEFAULT | {"GatewayId": "igw-1"}], None),
        # The gateway itself is told of; the route still leads to it.
        ([DEFAULT | {"GatewayId": "igw-1", "State": "blackhole"}], None),
        ([DEFAULT | {"GatewayId": "igw-2"}], "replace_route"),
        ([DEFAULT | {"TransitGatewayId": "tgw-1"}], "replace_route"),
        ([{"DestinationCidrBlock": "10.0.0.0/8", "GatewayId": "igw-1"}], "create_route"),
    ],
)
def test_routes(routes: list[dict[str, str]], operation: str | None) -> None:
    found = drifts([ROUTE], live(table=table(*routes)))
    assert [drift.call.operation for drift in found if drift.call] == ([operation] if operation else [])


def test_a_gateway_is_attached_before_a_route_leads_to_it() -> None:
    found = drifts([ROUTE, ATTACHMENT], live(table=table(), vpc={"vpc-1": {}}, gateway={"igw-1": {}}))
    assert [drift.call.operation for drift in found if drift.call] == ["attach_internet_gateway", "create_route"]
    assert [step.kind for step in repair_plan(found).steps] == ["AWS::EC2::VPCGatewayAttachment", "AWS::EC2::Route"]


def test_a_gateway_in_another_vpc_is_somebodys_decision() -> None:
    gateway = {"igw-1": {"Attachments": [{"VpcId": "vpc-2"}]}}
    found = drifts([ATTACHMENT], live(vpc={"vpc-1": {}}, gateway=gateway))
    assert "VpcId of AWS::EC2::VPCGatewayAttachment Attachment (IGW|vpc-1) is vpc-2, not vpc-1" in str(
        lost_sentence("s", found)
    )


@pytest.mark.parametrize(("state", "there"), [("available", True), ("pending", True), ("deleted", False)])
def test_a_deleted_gateway_is_listed_for_a_while(state: str, there: bool) -> None:
    found = drifts([NAT], live(nat={"nat-1": {"State": state}}))
    assert (lost_sentence("s", found) is None) is there


def test_a_part_is_told_once() -> None:
    """What hangs on a part that is gone is not told too."""
    association = Expected(
        "A", "rtbassoc-1", "AWS::EC2::SubnetRouteTableAssociation", {"SubnetId": "subnet-1", "RouteTableId": "rtb-1"}
    )
    own = Expected("Table", "rtb-1", "AWS::EC2::RouteTable")
    found = drifts([ROUTE, ATTACHMENT, association, own], live(vpc={"vpc-1": {}}, subnet={"subnet-1": {}}))
    assert [drift.name for drift in found] == ["Table (rtb-1)"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"Action": "a"}, {"Action": ["a"]}, True),
        ({"Action": ["a", "b"]}, {"Action": ["b", "a"]}, True),
        ({"Statement": [{"Effect": "Allow"}]}, {"Statement": {"Effect": "Allow"}}, True),
        ({"Bool": {"x": "true"}}, {"Bool": {"x": True}}, True),
        ({"Action": "a"}, {"Action": ["a", "b"]}, False),
        ({"Effect": "Allow"}, {"Effect": "Deny"}, False),
    ],
)
def test_policies_of_the_same_meaning(one: Any, other: Any, same: bool) -> None:
    assert (normal(one) == normal(other)) is same


def test_what_a_stack_holds_and_what_is_read_for_it() -> None:
    template = {
        "Resources": {
            "Subnet": {
                "Type": "AWS::EC2::Subnet",
                "Properties": {
                    "CidrBlock": {"Fn::Cidr": ["x"]},
                    "MapPublicIpOnLaunch": "true",
                    "Tags": [{"Key": "team", "Value": "own"}, {"Key": "cidr", "Value": {"Fn::GetAtt": ["A", "B"]}}],
                },
            },
            "Queue": {"Type": "AWS::SQS::Queue"},
            "Left": {"Type": "AWS::EC2::Subnet"},
        }
    }
    stack = Stack("s", "arn:aws:cloudformation:r:1:stack/s/1", "CREATE_COMPLETE", tags={"team": "shop", "env": "dev"})
    resources = [
        StackResource("Subnet", "subnet-1", "AWS::EC2::Subnet", "UPDATE_COMPLETE"),
        StackResource("Queue", "q", "AWS::SQS::Queue", "CREATE_COMPLETE"),
        StackResource("Left", "subnet-2", "AWS::EC2::Subnet", "DELETE_SKIPPED"),
    ]
    held = expected_of(stack, template, resources)
    assert [item.logical_id for item in held] == ["Subnet", "Queue"]
    assert held[0].properties == {"MapPublicIpOnLaunch": "true"}
    assert held[0].tags == {"team": "own", "env": "dev"}
    assert ids_to_read(held) == {"subnet": ["subnet-1"]}
    assert unseen_types(held) == ["AWS::SQS::Queue"]
