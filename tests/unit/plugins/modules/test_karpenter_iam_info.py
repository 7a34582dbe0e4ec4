"""karpenter_iam_info and eks_leftovers_info against an account with Karpenter's stack and what Karpenter leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_iam.run import Request, run
from tests.unit.clients import REGION

from .aws_twin import KARPENTERS, LEGACY, ModuleAws, kinds, spec, sweep
from .conftest import Twin

TEMPLATE = Path(__file__).parents[4] / "roles/karpenter_iam/files/karpenter_iam.yml"


def look(twin: Twin, **options: Any) -> dict[str, Any]:
    aws: Any = ModuleAws(twin)
    given: dict[str, Any] = {"node_role": None, "controller_role": None, "queue": None, "managed": True, **options}
    return run(aws, Request("demo", **given))


def make_stack(twin: Twin) -> None:
    cfn = twin.boto("cloudformation")
    cfn.create_stack(
        StackName="Karpenter-demo",
        TemplateBody=TEMPLATE.read_text(encoding="utf-8"),
        Parameters=[{"ParameterKey": "ClusterName", "ParameterValue": "demo"}],
        Capabilities=["CAPABILITY_NAMED_IAM"],
    )
    cfn.get_waiter("stack_create_complete").wait(
        StackName="Karpenter-demo", WaiterConfig={"Delay": 1, "MaxAttempts": 30}
    )


def make_profile(twin: Twin, name: str, path: str, tags: dict[str, str]) -> None:
    iam = twin.boto("iam")
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    iam.create_instance_profile(InstanceProfileName=name, Path=path, Tags=listed)
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName="KarpenterNodeRole-demo")


def run_instance(twin: Twin, tags: dict[str, str]) -> str:
    ec2 = twin.boto("ec2")
    path = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id"
    image = twin.boto("ssm").get_parameter(Name=path)["Parameter"]["Value"]
    made = ec2.run_instances(
        ImageId=image,
        InstanceType="m5.large",
        MinCount=1,
        MaxCount=1,
        TagSpecifications=[spec("instance", tags), spec("volume", tags)],
    )
    return str(made["Instances"][0]["InstanceId"])


def test_an_empty_account_has_nothing_and_is_proved_clean(twin: Twin) -> None:
    found = look(twin)
    assert (found["exists"], found["complete"], found["node_role"], found["queue"]) == (False, False, None, None)
    assert any("node role KarpenterNodeRole-demo does not exist" in text for text in found["problems"])
    clean = sweep(twin)
    assert (clean["clean"], clean["complete"], clean["leftovers"]) == (True, True, [])
    assert clean["report"].startswith("Nothing is left of cluster demo")


def test_the_stack_is_complete_and_is_left_as_a_whole(twin: Twin) -> None:
    make_stack(twin)
    found = look(twin)
    assert (found["exists"], found["complete"], found["problems"], found["obstacles"]) == (True, True, [], [])
    assert found["controller_role"]["trusted_services"] == ["pods.eks.amazonaws.com"]
    assert len(found["policies"]) == 6
    assert len(found["rules"]) == 5
    assert found["queue"]["arn"].endswith(":demo")
    assert kinds(sweep(twin)) == {"stack": 1, "iam-role": 2, "iam-policy": 6, "queue": 1, "rule": 5}


def test_a_misspelt_queue_is_a_problem(twin: Twin) -> None:
    make_stack(twin)
    found = look(twin, queue="demmo")
    assert "queue demmo does not exist" in found["problems"]
    assert "0 of 5 rules send to queue demmo" in found["problems"]


def test_whose_profiles_are_whose(twin: Twin) -> None:
    make_stack(twin)
    make_profile(twin, "demo_1", f"/karpenter/{REGION}/demo/uid/", {})
    make_profile(twin, "demo_old", "/", {LEGACY: "owned", "karpenter.k8s.aws/ec2nodeclass": "default"})
    make_profile(twin, "shop_77", "/", {"owner": "somebody"})
    found = look(twin)
    assert {item["name"]: item["own"] for item in found["instance_profiles"]} == {
        "demo_1": True,
        "demo_old": True,
        "shop_77": False,
    }
    assert len(found["obstacles"]) == 1
    assert "shop_77" in found["obstacles"][0]
    left = [item for item in sweep(twin)["leftovers"] if item["kind"] == "instance-profile"]
    assert {item["name"]: item["karpenter"] for item in left} == {"demo_1": True, "demo_old": True, "shop_77": False}


def test_a_policy_that_others_hold_is_an_obstacle(twin: Twin) -> None:
    make_stack(twin)
    twin.role("eksctl", "pods.eks.amazonaws.com")
    arn = look(twin)["policies"][0]["arn"]
    twin.boto("iam").attach_role_policy(RoleName="eksctl", PolicyArn=arn)
    assert "is attached to role eksctl too" in look(twin)["obstacles"][0]


def test_instances_templates_volumes_and_groups_are_found_by_tag(twin: Twin) -> None:
    ec2 = twin.boto("ec2")
    instance = run_instance(twin, KARPENTERS)
    run_instance(twin, {"kubernetes.io/cluster/shop": "owned", "karpenter.sh/nodepool": "default"})
    ec2.create_launch_template(
        LaunchTemplateName="karpenter.k8s.aws/1",
        LaunchTemplateData={"InstanceType": "m5.large"},
        TagSpecifications=[spec("launch-template", KARPENTERS)],
    )
    ec2.create_volume(
        AvailabilityZone=f"{REGION}a", Size=1, TagSpecifications=[spec("volume", {LEGACY: "owned", "Name": "data"})]
    )
    ec2.create_security_group(
        GroupName="eks-cluster-sg-demo",
        Description="made by EKS",
        TagSpecifications=[spec("security-group", {LEGACY: "owned"})],
    )
    subnet = twin.subnets()[0]
    ec2.create_tags(Resources=[subnet], Tags=[{"Key": "karpenter.sh/discovery", "Value": "demo"}])
    found = sweep(twin)
    assert kinds(found) == {"instance": 1, "launch-template": 1, "volume": 2, "security-group": 1}
    proved = {item["kind"] for item in found["leftovers"] if item["karpenter"]}
    assert {"instance", "launch-template"} <= proved
    assert [item["id"] for item in found["marked"]] == [subnet]
    assert f"instance {instance} (" in found["report"]
    assert "only marked: subnet" in found["report"]


def test_what_has_ended_is_not_left(twin: Twin) -> None:
    instance = run_instance(twin, KARPENTERS)
    ec2 = twin.boto("ec2")
    ec2.terminate_instances(InstanceIds=[instance])
    ec2.get_waiter("instance_terminated").wait(InstanceIds=[instance], WaiterConfig={"Delay": 1, "MaxAttempts": 30})
    made = ec2.create_launch_template(
        LaunchTemplateName="karpenter.k8s.aws/2",
        LaunchTemplateData={},
        TagSpecifications=[spec("launch-template", KARPENTERS)],
    )
    ec2.delete_launch_template(LaunchTemplateId=made["LaunchTemplate"]["LaunchTemplateId"])
    assert sweep(twin)["leftovers"] == []


def test_the_cluster_itself_is_left(twin: Twin) -> None:
    twin.cluster("demo")
    assert sweep(twin)["counts"]["eks-cluster"] == 1


def test_what_is_to_stay_is_left_out(twin: Twin) -> None:
    make_stack(twin)
    found = sweep(twin, "demo", "Karpenter-demo")
    assert "queue" not in kinds(found)
    assert "stack" not in kinds(found)
