"""Makes or deletes what load balancer controllers in a cluster make: a load balancer of each kind, a target group.

Arguments: make or delete, name of the cluster, region. Credentials and endpoint come from the environment.
"""

from __future__ import annotations

import sys
from typing import Any

import boto3

NAME = "k8s-shop"
LISTENER = {"Protocol": "TCP", "LoadBalancerPort": 80, "InstancePort": 30080}


def make(second: Any, classic: Any, ec2: Any, cluster: str) -> None:
    """Make them in the default VPC, each with the tag that its controller gives."""
    of_controller = [{"Key": "elbv2.k8s.aws/cluster", "Value": cluster}]
    subnets = sorted(ec2.describe_subnets()["Subnets"], key=lambda subnet: str(subnet["SubnetId"]))
    ids = [subnet["SubnetId"] for subnet in subnets]
    group = ec2.describe_security_groups()["SecurityGroups"][0]["GroupId"]
    second.create_load_balancer(Name=NAME, Subnets=ids[:2], Tags=of_controller)
    second.create_target_group(Name=NAME, Protocol="HTTP", Port=80, VpcId=subnets[0]["VpcId"], Tags=of_controller)
    classic.create_load_balancer(
        LoadBalancerName=NAME,
        Listeners=[LISTENER],
        Subnets=ids[:1],
        SecurityGroups=[group],
        Tags=[{"Key": f"kubernetes.io/cluster/{cluster}", "Value": "owned"}],
    )


def delete(second: Any, classic: Any) -> None:
    """Delete all of the account's."""
    for balancer in second.describe_load_balancers()["LoadBalancers"]:
        second.delete_load_balancer(LoadBalancerArn=balancer["LoadBalancerArn"])
    for group in second.describe_target_groups()["TargetGroups"]:
        second.delete_target_group(TargetGroupArn=group["TargetGroupArn"])
    for balancer in classic.describe_load_balancers()["LoadBalancerDescriptions"]:
        classic.delete_load_balancer(LoadBalancerName=balancer["LoadBalancerName"])


def main() -> None:
    """Do the one or the other."""
    what, cluster, region = sys.argv[1:]
    second, classic, ec2 = (boto3.client(service, region_name=region) for service in ("elbv2", "elb", "ec2"))
    if what == "make":
        make(second, classic, ec2, cluster)
    else:
        delete(second, classic)


if __name__ == "__main__":
    main()
