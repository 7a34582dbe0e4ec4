"""Load balancers of both APIs at one signing name: listed, tagged, gone; what is not looked after is an error."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from .world import World, code

TAGS = [{"Key": "elbv2.k8s.aws/cluster", "Value": "demo"}]


@pytest.fixture
def second(aws: Any) -> Any:
    return aws.client("elbv2")


@pytest.fixture
def classic(aws: Any) -> Any:
    return aws.client("elb")


def test_a_load_balancer_of_the_second_api_has_tags_until_it_is_gone(second: Any, world: World) -> None:
    subnets = sorted(world.subnets.values())[:2]
    arn = second.create_load_balancer(Name="shop", Subnets=subnets, Tags=TAGS)["LoadBalancers"][0]["LoadBalancerArn"]
    found = second.describe_load_balancers()["LoadBalancers"]
    assert [(one["LoadBalancerArn"], one["VpcId"]) for one in found] == [(arn, world.vpc)]
    assert second.describe_tags(ResourceArns=[arn])["TagDescriptions"] == [{"ResourceArn": arn, "Tags": TAGS}]
    second.delete_load_balancer(LoadBalancerArn=arn)
    assert second.describe_load_balancers()["LoadBalancers"] == []
    with pytest.raises(ClientError) as error:
        second.describe_tags(ResourceArns=[arn])
    assert code(error) == "LoadBalancerNotFound"


def test_a_target_group_has_tags_too(second: Any, world: World) -> None:
    made = second.create_target_group(Name="shop", Protocol="HTTP", Port=80, VpcId=world.vpc, Tags=TAGS)
    arn = made["TargetGroups"][0]["TargetGroupArn"]
    assert second.describe_tags(ResourceArns=[arn])["TagDescriptions"] == [{"ResourceArn": arn, "Tags": TAGS}]
    second.delete_target_group(TargetGroupArn=arn)
    assert second.describe_target_groups()["TargetGroups"] == []


def test_a_classic_load_balancer_is_in_the_first_api_alone(classic: Any, second: Any, world: World) -> None:
    listener = {"Protocol": "TCP", "LoadBalancerPort": 80, "InstancePort": 30080}
    subnet = world.subnets["us-west-2a"]
    classic.create_load_balancer(LoadBalancerName="old", Listeners=[listener], Subnets=[subnet], Tags=TAGS)
    found = classic.describe_load_balancers()["LoadBalancerDescriptions"]
    assert [one["LoadBalancerName"] for one in found] == ["old"]
    tags = classic.describe_tags(LoadBalancerNames=["old"])["TagDescriptions"]
    assert tags == [{"LoadBalancerName": "old", "Tags": TAGS}]
    assert second.describe_load_balancers()["LoadBalancers"] == []
    classic.delete_load_balancer(LoadBalancerName="old")
    assert classic.describe_load_balancers()["LoadBalancerDescriptions"] == []


def test_what_is_not_looked_after_is_an_error(aws: Any, classic: Any, second: Any) -> None:
    for call in (second.describe_ssl_policies, second.describe_account_limits, classic.describe_account_limits):
        with pytest.raises(ClientError):
            call()
    missing = {(one["service"], one["action"]) for one in aws.front.log.unimplemented()}
    assert ("elasticloadbalancing", "DescribeSSLPolicies") in missing
    assert ("elasticloadbalancing", "DescribeAccountLimits") in missing
