"""eks_leftovers_info against an account with what controllers in a cluster, AWS and people leave of it."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.emulators import moto
from tests.unit.clients import REGION

from .aws_twin import KARPENTERS, LEGACY, kinds, listed, refused, spec, sweep
from .conftest import Twin

CONTROLLERS = {"elbv2.k8s.aws/cluster": "demo"}
OTHERS = {"Name": "demo"}
LISTENER = {"Protocol": "TCP", "LoadBalancerPort": 80, "InstancePort": 30080}
LOG_GROUP = "/aws/eks/demo/cluster"
ISSUER = f"https://oidc.eks.{REGION}.amazonaws.com/id/0A1B2C3D4E5F60718293A4B5C6D7E8F9"


def balancer(twin: Twin, name: str, tags: dict[str, str]) -> str:
    made = twin.boto("elbv2").create_load_balancer(Name=name, Subnets=twin.subnets()[:2], Tags=listed(tags))
    return str(made["LoadBalancers"][0]["LoadBalancerArn"])


def target_group(twin: Twin, name: str, tags: dict[str, str]) -> str:
    vpc = twin.boto("ec2").describe_vpcs()["Vpcs"][0]["VpcId"]
    made = twin.boto("elbv2").create_target_group(Name=name, Protocol="HTTP", Port=80, VpcId=vpc, Tags=listed(tags))
    return str(made["TargetGroups"][0]["TargetGroupArn"])


def classic(twin: Twin, name: str, tags: dict[str, str]) -> None:
    group = twin.boto("ec2").describe_security_groups()["SecurityGroups"][0]["GroupId"]
    twin.boto("elb").create_load_balancer(
        LoadBalancerName=name,
        Listeners=[LISTENER],
        Subnets=twin.subnets()[:1],
        SecurityGroups=[group],
        Tags=listed(tags),
    )


def provider(twin: Twin, url: str, tags: dict[str, str] | None = None) -> str:
    made = twin.boto("iam").create_open_id_connect_provider(
        Url=url, ClientIDList=["sts.amazonaws.com"], Tags=listed(tags or {})
    )
    return str(made["OpenIDConnectProviderArn"])


def ids(found: dict[str, Any], kind: str) -> list[str]:
    return [item["id"] for item in found["leftovers"] if item["kind"] == kind]


def test_load_balancers_and_target_groups_of_controllers_are_left_and_those_of_others_are_not(twin: Twin) -> None:
    mine = balancer(twin, "shop", CONTROLLERS)
    by_service = balancer(twin, "service", {LEGACY: "owned"})
    balancer(twin, "others", {"elbv2.k8s.aws/cluster": "shop"})
    balancer(twin, "bare", OTHERS)
    group = target_group(twin, "shop", CONTROLLERS)
    target_group(twin, "others", {"elbv2.k8s.aws/cluster": "demo-2"})
    found = sweep(twin)
    assert sorted(ids(found, "load-balancer")) == sorted([mine, by_service])
    assert ids(found, "target-group") == [group]
    assert not any(item["karpenter"] for item in found["leftovers"])
    assert "load-balancer shop (" in found["report"]
    assert "by tag elbv2.k8s.aws/cluster=demo" in found["report"]
    assert f"aws elbv2 delete-load-balancer --load-balancer-arn {mine}" in found["report"]
    assert f"aws elbv2 delete-target-group --target-group-arn {group}" in found["report"]


def test_classic_load_balancers_are_left_too(twin: Twin) -> None:
    classic(twin, "old", {LEGACY: "owned"})
    classic(twin, "others", {"kubernetes.io/cluster/shop": "owned"})
    found = sweep(twin)
    assert kinds(found) == {"classic-load-balancer": 1}
    assert "aws elb delete-load-balancer --load-balancer-name old" in found["report"]


def test_more_load_balancers_than_one_call_has_tags_for(twin: Twin) -> None:
    arns = [balancer(twin, f"lb-{number}", CONTROLLERS if number % 2 else OTHERS) for number in range(23)]
    assert sorted(ids(sweep(twin), "load-balancer")) == sorted(arns[1::2])


def test_one_that_goes_between_two_calls_does_not_hide_the_others(twin: Twin) -> None:
    stays, goes = balancer(twin, "stays", CONTROLLERS), balancer(twin, "goes", CONTROLLERS)
    client = twin.client("elbv2")
    listed_before = client.raw.describe_load_balancers

    def describe_and_lose(**parameters: Any) -> Any:
        answer = listed_before(**parameters)
        twin.boto("elbv2").delete_load_balancer(LoadBalancerArn=goes)
        return answer

    client.raw.describe_load_balancers = describe_and_lose
    found = sweep(twin)
    assert ids(found, "load-balancer") == [stays]
    assert found["complete"]


def test_the_security_groups_of_controllers_are_left(twin: Twin) -> None:
    ec2 = twin.boto("ec2")
    for name, tags in (("k8s-shop", CONTROLLERS), ("k8s-elb", {LEGACY: "owned"}), ("given", {LEGACY: "shared"})):
        ec2.create_security_group(GroupName=name, Description=name, TagSpecifications=[spec("security-group", tags)])
    found = sweep(twin)
    assert sorted(item["name"] for item in found["leftovers"]) == ["k8s-elb", "k8s-shop"]
    assert [item["name"] for item in found["marked"]] == ["given"]


def test_addresses_and_nat_gateways_count_when_they_are_tagged_for_the_cluster(twin: Twin) -> None:
    ec2 = twin.boto("ec2")
    own = {LEGACY: "owned"}
    address = ec2.allocate_address(Domain="vpc", TagSpecifications=[spec("elastic-ip", own)])["AllocationId"]
    ec2.allocate_address(Domain="vpc", TagSpecifications=[spec("elastic-ip", {"Name": "demo"})])
    subnet = twin.subnets()[0]
    made = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address, TagSpecifications=[spec("natgateway", own)])
    gateway = made["NatGateway"]["NatGatewayId"]
    ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private")
    found = sweep(twin)
    assert kinds(found) == {"elastic-ip": 1, "natgateway": 1}
    assert f"aws ec2 release-address --allocation-id {address}" in found["report"]
    assert f"aws ec2 delete-nat-gateway --nat-gateway-id {gateway}" in found["report"]
    # A deleted gateway is described for a while, with its tags.
    ec2.delete_nat_gateway(NatGatewayId=gateway)
    ec2.release_address(AllocationId=address)
    assert sweep(twin)["leftovers"] == []


def launch_by_fleet(twin: Twin) -> tuple[str, str]:
    """The ids of an instant fleet and its instance, both with Karpenter's tags."""
    made = twin.boto("ec2").create_fleet(
        Type="instant",
        LaunchTemplateConfigs=[{"LaunchTemplateSpecification": {"LaunchTemplateName": "nodes", "Version": "$Latest"}}],
        TargetCapacitySpecification={"TotalTargetCapacity": 1, "DefaultTargetCapacityType": "on-demand"},
        TagSpecifications=[spec("instance", KARPENTERS), spec("fleet", KARPENTERS)],
    )
    return made["FleetId"], made["Instances"][0]["InstanceIds"][0]


def test_the_record_of_a_fleet_is_not_left_while_its_instances_are(twin: Twin) -> None:
    ec2 = twin.boto("ec2")
    path = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id"
    image = twin.boto("ssm").get_parameter(Name=path)["Parameter"]["Value"]
    data = {"ImageId": image, "InstanceType": "m5.large"}
    ec2.create_launch_template(LaunchTemplateName="nodes", LaunchTemplateData=data)
    (fleet, instance), (forgotten, other) = launch_by_fleet(twin), launch_by_fleet(twin)
    tags = ec2.describe_tags(Filters=[{"Name": "resource-id", "Values": [fleet, forgotten]}])["Tags"]
    assert {tag["ResourceType"] for tag in tags} == {"fleet"}
    found = sweep(twin)
    assert sorted(ids(found, "instance")) == sorted([instance, other])
    assert "fleet" not in kinds(found)
    # AWS takes the records away some day; one that is gone does not hide the others.
    vars(moto.ec2_backend(twin.account.account_id, REGION))["sandbox_fleets"].pop(forgotten)
    found = sweep(twin)
    assert found["complete"]
    assert "fleet" not in kinds(found)
    ec2.terminate_instances(InstanceIds=[instance, other])
    ec2.get_waiter("instance_terminated").wait(
        InstanceIds=[instance, other], WaiterConfig={"Delay": 1, "MaxAttempts": 30}
    )
    assert sweep(twin)["leftovers"] == []


def test_the_logs_are_kept_and_no_leftover(twin: Twin) -> None:
    logs = twin.boto("logs")
    for name in (LOG_GROUP, f"{LOG_GROUP}-old", "/aws/eks/demo-2/cluster"):
        logs.create_log_group(logGroupName=name)
    found = sweep(twin)
    assert (found["clean"], found["leftovers"]) == (True, [])
    assert [item["id"] for item in found["kept"]] == [LOG_GROUP]
    assert f"kept by AWS: log-group {LOG_GROUP} (0 bytes, entries kept for ever)" in found["report"]
    assert f"aws logs delete-log-group --log-group-name {LOG_GROUP}" in found["report"]
    logs.put_retention_policy(logGroupName=LOG_GROUP, retentionInDays=30)
    assert sweep(twin)["kept"][0]["state"] == "0 bytes, entries kept for 30 days"
    assert sweep(twin, LOG_GROUP)["kept"] == []


def test_a_provider_is_known_by_the_issuer_that_somebody_remembers(twin: Twin) -> None:
    arn = provider(twin, ISSUER)
    provider(twin, "https://token.actions.githubusercontent.com")
    assert sweep(twin)["leftovers"] == []
    found = sweep(twin, issuer=ISSUER)
    assert ids(found, "oidc-provider") == [arn]
    assert f"by issuer {ISSUER.removeprefix('https://')}" in found["report"]
    assert f"aws iam delete-open-id-connect-provider --open-id-connect-provider-arn {arn}" in found["report"]


def test_a_provider_of_a_cluster_that_exists_needs_nobody_to_remember(twin: Twin) -> None:
    twin.cluster("demo")
    issuer = twin.boto("eks").describe_cluster(name="demo")["cluster"]["identity"]["oidc"]["issuer"]
    arn = provider(twin, issuer)
    provider(twin, ISSUER)
    assert ids(sweep(twin), "oidc-provider") == [arn]


@pytest.mark.parametrize(
    ("url", "tags", "left"),
    [
        (ISSUER, {"alpha.eksctl.io/cluster-name": "demo"}, True),
        (ISSUER, {LEGACY: "owned"}, True),
        (ISSUER, {"alpha.eksctl.io/cluster-name": "shop"}, False),
        (f"https://oidc-eks.{REGION}.api.aws/id/0A1B", {LEGACY: "owned"}, True),
        # A cluster of the same name elsewhere, and what is no issuer of EKS.
        (ISSUER.replace(REGION, "eu-west-1"), {"alpha.eksctl.io/cluster-name": "demo"}, False),
        ("https://login.example.com", {LEGACY: "owned"}, False),
    ],
)
def test_a_provider_is_known_by_its_tags(twin: Twin, url: str, tags: dict[str, str], left: bool) -> None:
    provider(twin, url, tags)
    assert kinds(sweep(twin)) == ({"oidc-provider": 1} if left else {})


@pytest.mark.parametrize(
    ("service", "action", "what"),
    [
        ("ec2", "DescribeTags", {"EC2 resources"}),
        ("iam", "GetPolicy", {"policies"}),
        ("sqs", "GetQueueUrl", {"queue"}),
        ("elasticloadbalancing", "DescribeLoadBalancers", {"load balancers", "classic load balancers"}),
        ("elasticloadbalancing", "DescribeTargetGroups", {"target groups"}),
        ("logs", "DescribeLogGroups", {"log group"}),
        ("iam", "ListOpenIDConnectProviders", {"identity providers"}),
        ("eks", "DescribeCluster", {"EKS cluster", "identity providers"}),
    ],
)
def test_a_denied_listing_proves_nothing(twin: Twin, service: str, action: str, what: set[str]) -> None:
    code = "AccessDeniedException" if service in ("logs", "eks") else "AccessDenied"
    with refused(twin, service, action, code=code):
        found = sweep(twin)
    assert (found["clean"], found["complete"]) == (False, False)
    assert {item["what"] for item in found["unread"]} == what
    for one in what:
        assert f"could not be looked at, so nothing is proved: {one}: Access denied for {service}:{action}" in (
            found["report"].replace("elbv2:", "elasticloadbalancing:").replace("elb:", "elasticloadbalancing:")
        )


def test_tags_that_may_not_be_read_prove_nothing_about_load_balancers(twin: Twin) -> None:
    balancer(twin, "shop", CONTROLLERS)
    with refused(twin, "elasticloadbalancing", "DescribeTags"):
        found = sweep(twin)
    assert not found["clean"]
    assert [item["what"] for item in found["unread"]] == ["load balancers"]
