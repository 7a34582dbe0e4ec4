"""An account before and after: what was made shows, what was taken away does not, what AWS gives does not count."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest


def listing(aws: Any, **query: str) -> Any:
    text = "&".join(f"{key}={value}" for key, value in ({"account": aws.id} | query).items())
    with urllib.request.urlopen(f"{aws.front.url}/_sandbox/listing?{text}") as answer:
        return json.load(answer)


def test_an_empty_account_has_nothing(aws: Any) -> None:
    assert listing(aws) == {"global": {}, "us-west-2": {}}


def test_what_is_made_shows_and_what_is_gone_does_not(aws: Any) -> None:
    before = listing(aws, region="eu-west-1")
    ec2 = aws.client("ec2", "eu-west-1")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    queue = aws.client("sqs", "eu-west-1").create_queue(QueueName="demo")["QueueUrl"]
    aws.client("iam").create_instance_profile(InstanceProfileName="p")
    image = ec2.describe_images(Owners=["amazon"], Filters=[{"Name": "name", "Values": ["*al2023-x86_64-standard*"]}])
    instance = ec2.run_instances(
        ImageId=image["Images"][0]["ImageId"], InstanceType="m5.large", MinCount=1, MaxCount=1
    )["Instances"][0]["InstanceId"]
    made = listing(aws)
    assert made["global"] == {"iam:instance-profile": [f"arn:aws:iam::{aws.id}:instance-profile/p"]}
    assert made["eu-west-1"]["ec2:vpc"] == [vpc]
    assert made["eu-west-1"]["sqs:queue"] == [queue]
    assert made["eu-west-1"]["ec2:instance"] == [instance]
    assert len(made["eu-west-1"]["ec2:volume"]) == 1
    assert {"ec2:route-table", "ec2:security-group", "ec2:network-interface"} <= set(made["eu-west-1"])
    ec2.terminate_instances(InstanceIds=[instance])
    ec2.delete_vpc(VpcId=vpc)
    aws.client("sqs", "eu-west-1").delete_queue(QueueUrl=queue)
    aws.client("iam").delete_instance_profile(InstanceProfileName="p")
    assert listing(aws, region="eu-west-1") == before


def test_load_balancers_and_log_groups_count(aws: Any) -> None:
    ec2, second, classic, logs = (aws.client(name) for name in ("ec2", "elbv2", "elb", "logs"))
    subnets = sorted(one["SubnetId"] for one in ec2.describe_subnets()["Subnets"])[:2]
    vpc = ec2.describe_vpcs()["Vpcs"][0]["VpcId"]
    balancer = second.create_load_balancer(Name="new", Subnets=subnets)["LoadBalancers"][0]["LoadBalancerArn"]
    target = second.create_target_group(Name="new", Protocol="HTTP", Port=80, VpcId=vpc)["TargetGroups"][0]
    listener = {"Protocol": "TCP", "LoadBalancerPort": 80, "InstancePort": 80}
    group = ec2.describe_security_groups()["SecurityGroups"][0]["GroupId"]
    classic.create_load_balancer(
        LoadBalancerName="old", Listeners=[listener], Subnets=subnets[:1], SecurityGroups=[group]
    )
    logs.create_log_group(logGroupName="/aws/eks/demo/cluster")
    found = listing(aws)["us-west-2"]
    assert sorted(found["elasticloadbalancing:load-balancer"]) == sorted(["old", balancer])
    assert found["elasticloadbalancing:target-group"] == [target["TargetGroupArn"]]
    assert found["logs:log-group"] == ["/aws/eks/demo/cluster"]
    second.delete_load_balancer(LoadBalancerArn=balancer)
    second.delete_target_group(TargetGroupArn=target["TargetGroupArn"])
    classic.delete_load_balancer(LoadBalancerName="old")
    logs.delete_log_group(logGroupName="/aws/eks/demo/cluster")
    assert listing(aws, region="us-west-2") == {"global": {}, "us-west-2": {}}


def test_a_tag_left_on_a_given_subnet_shows(aws: Any) -> None:
    ec2 = aws.client("ec2")
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    ec2.create_tags(Resources=[subnet], Tags=[{"Key": "karpenter.sh/discovery", "Value": "demo"}])
    assert listing(aws)["us-west-2"] == {"ec2:tag": [f"{subnet} karpenter.sh/discovery=demo"]}


def test_an_account_that_is_not_is_not_found(aws: Any) -> None:
    with pytest.raises(urllib.error.HTTPError) as error:
        listing(aws, account="000000000000")
    with error.value as answer:
        assert answer.code == 404
