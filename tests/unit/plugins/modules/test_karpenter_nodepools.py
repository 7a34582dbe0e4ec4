"""What karpenter_nodepools finds and ends in AWS, asked of EC2 and IAM themselves."""

from __future__ import annotations

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.cloud import Cloud, Profile

from .conftest import Twin

CLUSTER = "shop"


def _cloud(twin: Twin) -> Cloud:
    return Cloud(twin.client("ec2"), twin.client("iam"), CLUSTER)


def _tags(cluster: str = CLUSTER, **more: str) -> list[dict[str, str]]:
    tags = {
        "eks:eks-cluster-name": cluster,
        f"kubernetes.io/cluster/{cluster}": "owned",
        "karpenter.sh/nodepool": "default",
        "karpenter.k8s.aws/ec2nodeclass": "default",
    } | more
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def _instance(twin: Twin, tags: list[dict[str, str]]) -> str:
    ec2 = twin.boto("ec2")
    image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    specification = [{"ResourceType": "instance", "Tags": tags}] if tags else []
    made = ec2.run_instances(
        ImageId=image,
        MinCount=1,
        MaxCount=1,
        InstanceType="m5.large",
        SubnetId=twin.subnets()[0],
        TagSpecifications=specification,
    )
    return str(made["Instances"][0]["InstanceId"])


@pytest.mark.parametrize(("pools", "found"), [(None, True), ({"default"}, True), ({"other"}, False), (set(), False)])
def test_only_karpenters_instances_of_the_cluster_are_found(twin: Twin, pools: set[str] | None, found: bool) -> None:
    mine = _instance(twin, _tags())
    _instance(twin, _tags("other"))
    _instance(twin, [{"Key": f"kubernetes.io/cluster/{CLUSTER}", "Value": "owned"}])  # of a node group
    assert [item.id for item in _cloud(twin).launched(pools)] == ([mine] if found else [])


def test_an_instance_is_proved_by_its_tags(twin: Twin) -> None:
    mine, foreign, bare = _instance(twin, _tags()), _instance(twin, _tags("other")), _instance(twin, [])
    seen = _cloud(twin).instances([mine, foreign, bare, "i-0123456789abcdef0"])
    assert {item.id: item.own for item in seen} == {mine: True, foreign: False, bare: False}


def test_terminated_instances_are_no_longer_launched(twin: Twin) -> None:
    mine, other = _instance(twin, _tags()), _instance(twin, _tags("other"))
    cloud = _cloud(twin)
    cloud.terminate([mine])
    assert cloud.launched(None) == []
    states = {item.id: item.state for item in cloud.instances([mine, other])}
    assert states[mine] in ("shutting-down", "terminated")
    assert states[other] in ("pending", "running")


def _template(twin: Twin, name: str, tags: list[dict[str, str]]) -> str:
    made = twin.boto("ec2").create_launch_template(
        LaunchTemplateName=name,
        LaunchTemplateData={"InstanceType": "m5.large"},
        TagSpecifications=[{"ResourceType": "launch-template", "Tags": tags}],
    )
    return str(made["LaunchTemplate"]["LaunchTemplateId"])


def test_launch_templates_are_karpenters_of_the_cluster_and_of_the_classes(twin: Twin) -> None:
    mine = _template(twin, "karpenter.k8s.aws/1", _tags())
    _template(twin, "karpenter.k8s.aws/2", _tags("other"))
    _template(twin, "mine", [{"Key": "eks:eks-cluster-name", "Value": CLUSTER}])
    cloud = _cloud(twin)
    assert cloud.templates(None) == cloud.templates({"default"}) == {mine: "karpenter.k8s.aws/1"}
    assert cloud.templates({"other"}) == cloud.templates(set()) == {}
    cloud.delete_template(mine)
    assert cloud.templates(None) == {}
    cloud.delete_template(mine)  # gone meanwhile, as wanted


def test_instance_profiles_are_found_by_path_and_let_their_role_go(twin: Twin) -> None:
    iam = twin.boto("iam")
    twin.role("node", "ec2.amazonaws.com")
    for name, path in (("a", f"/karpenter/us-west-2/{CLUSTER}/uid-a/"), ("b", "/karpenter/us-west-2/shop2/uid-a/")):
        iam.create_instance_profile(InstanceProfileName=name, Path=path)
    iam.add_role_to_instance_profile(InstanceProfileName="a", RoleName="node")
    cloud = _cloud(twin)
    assert cloud.profiles(None) == cloud.profiles({"uid-a"}) == [Profile("a", ("node",))]
    assert cloud.profiles({"uid-b"}) == cloud.profiles(set()) == []
    cloud.delete_profile(Profile("a", ("node",)))
    names = [item["InstanceProfileName"] for item in iam.list_instance_profiles()["InstanceProfiles"]]
    assert names == ["b"]
