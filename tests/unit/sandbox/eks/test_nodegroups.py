"""Managed node groups through boto3: instances in EC2, nodes in the cluster, and every refusal."""

from __future__ import annotations

import base64
from functools import partial
from typing import Any

import pytest
import yaml

from tests.unit.waiting import until

from .helpers import REGION, code_of, gone
from .world import Tenant


def test_a_node_group_is_active_when_its_nodes_are_ready(tenant: Tenant) -> None:
    tenant.cluster()
    created = tenant.nodegroup(labels={"team": "a"})
    assert created["status"] == "CREATING"
    assert created["amiType"] == "AL2023_x86_64_STANDARD"
    assert created["capacityType"] == "ON_DEMAND"
    assert created["updateConfig"] == {"maxUnavailable": 1}
    assert created["resources"]["autoScalingGroups"][0]["name"].startswith("eks-system-")
    instances = tenant.join()
    active = tenant.nodegroup_in("ACTIVE")
    assert active["health"] == {"issues": []}
    assert {one["SubnetId"] for one in instances} == set(tenant.subnets)
    recommended = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended"
    ssm = tenant.client("ssm")
    assert active["releaseVersion"] == ssm.get_parameter(Name=f"{recommended}/release_version")["Parameter"]["Value"]
    image = ssm.get_parameter(Name=f"{recommended}/image_id")["Parameter"]["Value"]
    assert {one["ImageId"] for one in instances} == {image}


def test_its_instances_are_tagged_and_boot_as_nodes_of_the_group(tenant: Tenant) -> None:
    cluster = tenant.cluster()
    taints = [{"key": "CriticalAddonsOnly", "value": "true", "effect": "NO_SCHEDULE"}]
    tenant.nodegroup(labels={"team": "a"}, taints=taints)
    instance = tenant.join()[0]
    tags = {tag["Key"]: tag["Value"] for tag in instance["Tags"]}
    assert tags["eks:cluster-name"] == "demo"
    assert tags["eks:nodegroup-name"] == "system"
    assert tags["kubernetes.io/cluster/demo"] == "owned"
    assert tags["aws:autoscaling:groupName"].startswith("eks-system-")
    group = cluster["resourcesVpcConfig"]["clusterSecurityGroupId"]
    assert [one["GroupId"] for one in instance["SecurityGroups"]] == [group]
    profile = instance["IamInstanceProfile"]["Arn"].rpartition("/")[2]
    found = tenant.client("iam").get_instance_profile(InstanceProfileName=profile)["InstanceProfile"]
    assert [role["Arn"] for role in found["Roles"]] == [tenant.node_role]
    ec2 = tenant.client("ec2")
    data = ec2.describe_instance_attribute(InstanceId=instance["InstanceId"], Attribute="userData")["UserData"]["Value"]
    text = base64.b64decode(data).decode()
    config = yaml.safe_load(text.partition("---\n")[2].partition("\n--//--")[0])
    assert config["spec"]["cluster"] == {
        "apiServerEndpoint": cluster["endpoint"],
        "certificateAuthority": cluster["certificateAuthority"]["data"],
        "cidr": "10.100.0.0/16",
        "name": "demo",
    }
    assert config["spec"]["kubelet"]["config"] == {"maxPods": 29, "clusterDNS": ["10.100.0.10"]}
    labels, tainted = config["spec"]["kubelet"]["flags"]
    assert "eks.amazonaws.com/nodegroup=system" in labels
    assert "team=a" in labels
    assert tainted == "--register-with-taints=CriticalAddonsOnly=true:NoSchedule"


def test_eks_admits_the_node_role_and_leaves_its_entry_when_the_group_goes(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.ready_nodegroup()
    entry = tenant.eks.describe_access_entry(clusterName="demo", principalArn=tenant.node_role)["accessEntry"]
    assert entry["type"] == "EC2_LINUX"
    tenant.eks.delete_nodegroup(clusterName="demo", nodegroupName="system")
    _wait_gone(tenant)
    assert tenant.node_role in tenant.eks.list_access_entries(clusterName="demo")["accessEntries"]


def test_in_config_map_mode_the_node_role_goes_into_aws_auth(tenant: Tenant) -> None:
    tenant.cluster(accessConfig={"authenticationMode": "CONFIG_MAP"})
    tenant.nodegroup()
    data = tenant.kube("demo").objects["/api/v1/namespaces/kube-system/configmaps/aws-auth"]["data"]
    assert yaml.safe_load(data["mapRoles"]) == [
        {
            "rolearn": tenant.node_role,
            "username": "system:node:{{EC2PrivateDNSName}}",
            "groups": ["system:bootstrappers", "system:nodes"],
        }
    ]


def test_nodes_that_do_not_join_in_time_fail_the_group(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.nodegroup()
    until(partial(_has, tenant, 2), "two instances")
    assert (
        tenant.eks.describe_nodegroup(clusterName="demo", nodegroupName="system")["nodegroup"]["status"] == "CREATING"
    )
    tenant.let_deadline_pass()
    failed = tenant.nodegroup_in("CREATE_FAILED")
    issue = failed["health"]["issues"][0]
    assert issue["code"] == "NodeCreationFailure"
    assert sorted(issue["resourceIds"]) == sorted(one["InstanceId"] for one in tenant.instances())
    tenant.eks.delete_nodegroup(clusterName="demo", nodegroupName="system")
    _wait_gone(tenant)


def test_an_unready_node_keeps_the_group_from_being_active(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.nodegroup()
    tenant.join(ready=False)
    tenant.let_deadline_pass()
    assert tenant.nodegroup_in("CREATE_FAILED")["health"]["issues"][0]["code"] == "NodeCreationFailure"


def test_a_terminated_instance_is_replaced(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.ready_nodegroup()
    first = tenant.instances()[0]["InstanceId"]
    tenant.client("ec2").terminate_instances(InstanceIds=[first])

    def replaced() -> bool:
        ids = [one["InstanceId"] for one in tenant.instances()]
        return len(ids) == 2 and first not in ids

    until(replaced, "a replacement")


def test_deleting_drains_ends_the_instances_and_leaves_nothing(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.ready_nodegroup()
    node = tenant.instances()[0]["PrivateDnsName"]
    kube = tenant.kube("demo")
    tenant.world.call(lambda: kube.add_pod("web", node))
    tenant.world.call(lambda: kube.add_pod("daemon", node, owner="DaemonSet"))
    assert code_of(lambda: tenant.eks.delete_cluster(name="demo"))[0] == "ResourceInUseException"
    tenant.eks.delete_nodegroup(clusterName="demo", nodegroupName="system")
    _wait_gone(tenant)
    assert kube.evicted == ["web"]
    assert kube.objects[f"/api/v1/nodes/{node}"]["spec"]["unschedulable"] is True
    assert tenant.instances() == []
    assert tenant.client("ec2").describe_launch_templates()["LaunchTemplates"] == []
    assert tenant.client("iam").list_instance_profiles()["InstanceProfiles"] == []
    tenant.eks.delete_cluster(name="demo")


def test_a_disruption_budget_delays_the_end_of_a_group_and_does_not_stop_it(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.ready_nodegroup()
    kube, node = tenant.kube("demo"), tenant.instances()[0]["PrivateDnsName"]
    kube.blocked_evictions.add("stubborn")
    tenant.world.call(lambda: kube.add_pod("stubborn", node))
    tenant.eks.delete_nodegroup(clusterName="demo", nodegroupName="system")
    _wait_gone(tenant)
    assert kube.evicted == []


def test_a_group_grows_and_shrinks(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.ready_nodegroup()
    place = {"clusterName": "demo", "nodegroupName": "system"}
    for size in (3, 1):
        update = tenant.eks.update_nodegroup_config(**place, scalingConfig={"desiredSize": size})["update"]
        until(partial(_has, tenant, size), f"{size} instances")
        tenant.nodegroup_in("ACTIVE")
        found = tenant.eks.describe_update(name="demo", updateId=update["id"], nodegroupName="system")["update"]
        assert (found["status"], found["type"]) == ("Successful", "ConfigUpdate")
    assert tenant.eks.describe_nodegroup(**place)["nodegroup"]["scalingConfig"]["maxSize"] == 4


def test_labels_and_taints_reach_the_nodes_there_are_and_those_to_come(tenant: Tenant) -> None:
    tenant.cluster()
    taint = {"key": "a", "value": "1", "effect": "NO_SCHEDULE"}
    tenant.ready_nodegroup(labels={"old": "x"}, taints=[taint])
    place = {"clusterName": "demo", "nodegroupName": "system"}
    tenant.eks.update_nodegroup_config(
        **place,
        labels={"addOrUpdateLabels": {"new": "y"}, "removeLabels": ["old"]},
        taints={"addOrUpdateTaints": [{"key": "b", "effect": "NO_EXECUTE"}], "removeTaints": [taint]},
    )
    group = tenant.nodegroup_in("ACTIVE")
    assert group["labels"] == {"new": "y"}
    node = tenant.kube("demo").nodes()[0]
    assert node["metadata"]["labels"]["new"] == "y"
    assert node["spec"]["taints"] == [{"key": "b", "effect": "NoExecute"}]
    template = tenant.client("ec2").describe_launch_templates()["LaunchTemplates"][0]
    assert template["LatestVersionNumber"] == 2


def test_every_family_boots_from_its_own_user_data(tenant: Tenant) -> None:
    tenant.cluster()
    ec2 = tenant.client("ec2")
    tenant.nodegroup("rocket", amiType="BOTTLEROCKET_x86_64", scalingConfig={"desiredSize": 1, "minSize": 1})
    instance = tenant.join(group="rocket", count=1)[0]["InstanceId"]
    data = ec2.describe_instance_attribute(InstanceId=instance, Attribute="userData")["UserData"]["Value"]
    assert base64.b64decode(data).decode().startswith("[settings.kubernetes]\n")
    arm = tenant.nodegroup("arm", instanceTypes=["m6g.large"], scalingConfig={"desiredSize": 1, "minSize": 1})
    assert arm["amiType"] == "AL2023_ARM_64_STANDARD"
    image = ec2.describe_images(ImageIds=[tenant.join(group="arm", count=1)[0]["ImageId"]])["Images"][0]
    assert image["Architecture"] == "arm64"


def test_a_dated_release_is_used_when_it_is_named(tenant: Tenant) -> None:
    tenant.cluster()
    images = tenant.client("ec2").describe_images(
        Filters=[{"Name": "name", "Values": ["amazon-eks-node-al2023-x86_64-standard-1.36-*"]}]
    )["Images"]
    oldest = min(images, key=lambda image: image["CreationDate"])
    folder = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard"
    parameter = tenant.client("ssm").get_parameter(Name=f"{folder}/{oldest['Name']}/release_version")
    created = tenant.nodegroup(releaseVersion=parameter["Parameter"]["Value"])
    assert created["releaseVersion"] == parameter["Parameter"]["Value"]
    assert tenant.join()[0]["ImageId"] == oldest["ImageId"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"nodegroupName": "no spaces"}, "must match"),
        ({"scalingConfig": {"minSize": 3, "maxSize": 4, "desiredSize": 2}}, "can't be greater than desired"),
        ({"scalingConfig": {"minSize": 1, "maxSize": 1, "desiredSize": 2}}, "can't be greater than max"),
        ({"nodeRole": "arn:aws:iam::123456789012:role/none"}, "does not exist"),
        ({"subnets": []}, "at least one subnet"),
        ({"subnets": ["subnet-0123"]}, "does not exist"),
        ({"instanceTypes": ["m5.none"]}, "m5.none"),
        ({"instanceTypes": ["m6g.large"], "amiType": "AL2023_x86_64_STANDARD"}, "do not fit the architecture"),
        ({"instanceTypes": ["m5.large", "m6g.large"]}, "do not fit the architecture"),
        ({"amiType": "AL2_x86_64"}, "AL2 ends with 1.32"),
        ({"amiType": "WINDOWS_CORE_2022_x86_64"}, "is not supported here"),
        ({"amiType": "NONE"}, "enum value set"),
        ({"releaseVersion": "1.36.0-20200101"}, "is not valid for kubernetes version 1.36"),
        ({"releaseVersion": "latest"}, "is not valid for kubernetes version 1.36"),
        ({"version": "1.35"}, "must be the cluster's, 1.36"),
        ({"capacityType": "CAPACITY_BLOCK"}, "needs a launch template"),
        ({"launchTemplate": {"id": "lt-0123456789abcdef0"}}, "does not exist"),
        ({"launchTemplate": {"version": "1"}}, "Either the id or the name"),
        ({"labels": {"eks.amazonaws.com/nodegroup": "x"}}, "reserved prefixes"),
        ({"labels": {"node.kubernetes.io/x": "y"}}, "reserved prefixes"),
        ({"taints": [{"key": "a"}]}, "needs a key and an effect"),
        ({"taints": [{"key": "a", "effect": "NO_EXECUTE"}, {"key": "a", "effect": "NO_EXECUTE"}]}, "two taints"),
        ({"updateConfig": {"maxUnavailable": 1, "maxUnavailablePercentage": 5}}, "Only one of"),
    ],
)
def test_bad_requests_name_what_is_wrong(standing: Tenant, change: dict[str, Any], says: str) -> None:
    code, message = code_of(lambda: standing.nodegroup(**change))
    assert code == "InvalidParameterException"
    assert says in message
    assert standing.eks.list_nodegroups(clusterName="demo")["nodegroups"] == []
    assert standing.client("iam").list_instance_profiles()["InstanceProfiles"] == []


def test_a_role_that_ec2_may_not_assume_is_refused(tenant: Tenant) -> None:
    tenant.cluster()
    code, message = code_of(lambda: tenant.nodegroup(nodeRole=tenant.cluster_role))
    assert code == "InvalidParameterException"
    assert "[ec2.amazonaws.com] were not found in the trust relationships" in message


def test_groups_need_an_active_cluster_and_a_free_name(tenant: Tenant) -> None:
    tenant.world.planes.held.add("demo")
    tenant.create()
    refused = code_of(tenant.nodegroup)
    tenant.world.planes.held.clear()
    assert refused[0] == "InvalidRequestException"
    tenant.settled()
    tenant.nodegroup()
    assert code_of(tenant.nodegroup)[0] == "ResourceInUseException"
    assert code_of(lambda: tenant.nodegroup(cluster="none"))[0] == "ResourceNotFoundException"
    assert tenant.eks.list_nodegroups(clusterName="demo")["nodegroups"] == ["system"]
    missing = {"clusterName": "demo", "nodegroupName": "none"}
    assert code_of(lambda: tenant.eks.describe_nodegroup(**missing))[0] == "ResourceNotFoundException"


def test_arns_name_region_account_cluster_and_group(tenant: Tenant) -> None:
    tenant.cluster()
    arn = tenant.nodegroup()["nodegroupArn"]
    assert arn.startswith(f"arn:aws:eks:{REGION}:{tenant.id}:nodegroup/demo/system/")


def _has(tenant: Tenant, size: int) -> bool:
    return len(tenant.instances()) == size


def _wait_gone(tenant: Tenant) -> None:
    place = {"clusterName": "demo", "nodegroupName": "system"}
    until(gone(lambda: tenant.eks.describe_nodegroup(**place)), "the end of the node group")
