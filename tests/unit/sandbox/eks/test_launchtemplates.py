"""Node groups with a launch template of the user's."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from sandbox.agent import nodeadm
from tests.unit.waiting import until

from .helpers import code_of
from .test_nodegroupversion import Machines
from .world import Tenant

PLACE = {"clusterName": "demo", "nodegroupName": "system"}
MIME = (
    'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="==MINE=="\n\n--==MINE==\n'
    "Content-Type: application/node.eks.aws\n\n"
    "---\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    config:\n"
    "      shutdownGracePeriod: 30s\n--==MINE==--\n"
)

IMAGE = "ami-0123456789abcdef0"


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _template(tenant: Tenant, **data: Any) -> dict[str, str]:
    made = tenant.client("ec2").create_launch_template(LaunchTemplateName="mine", LaunchTemplateData=data)
    return {"id": made["LaunchTemplate"]["LaunchTemplateId"]}


def _version(tenant: Tenant, template: dict[str, str], **data: Any) -> str:
    made = tenant.client("ec2").create_launch_template_version(LaunchTemplateId=template["id"], LaunchTemplateData=data)
    return str(made["LaunchTemplateVersion"]["VersionNumber"])


def _user_data(tenant: Tenant, instance: str) -> str:
    found = tenant.client("ec2").describe_instance_attribute(InstanceId=instance, Attribute="userData")
    return base64.b64decode(found["UserData"]["Value"]).decode()


def test_the_users_template_is_merged_with_what_eks_adds(tenant: Tenant) -> None:
    tenant.cluster()
    disks = [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 77, "VolumeType": "gp3"}}]
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "team", "Value": "a"}]}]
    wanted = _template(
        tenant, InstanceType="c5.large", BlockDeviceMappings=disks, TagSpecifications=tags, UserData=_encoded(MIME)
    )
    group = tenant.nodegroup(launchTemplate=wanted, instanceTypes=[])
    assert group["launchTemplate"] == {"id": wanted["id"], "name": "mine", "version": "1"}
    assert "diskSize" not in group
    assert "instanceTypes" not in group
    instance = tenant.join()[0]
    assert instance["InstanceType"] == "c5.large"
    given = {tag["Key"]: tag["Value"] for tag in instance["Tags"]}
    assert (given["team"], given["eks:nodegroup-name"]) == ("a", "system")
    assert instance["SecurityGroups"][0]["GroupId"].startswith("sg-")
    boot = nodeadm.parse(_user_data(tenant, instance["InstanceId"]).encode())
    assert boot.cluster_name == "demo"
    assert boot.kubelet["shutdownGracePeriod"] == "30s"
    assert boot.labels["eks.amazonaws.com/nodegroup"] == "system"
    assert boot.labels["eks.amazonaws.com/sourceLaunchTemplateId"] == wanted["id"]
    assert boot.labels["eks.amazonaws.com/sourceLaunchTemplateVersion"] == "1"


def test_an_image_of_the_users_boots_by_the_users_data_alone(tenant: Tenant) -> None:
    tenant.cluster()
    name = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id"
    image = tenant.client("ssm").get_parameter(Name=name)["Parameter"]["Value"]
    groups = tenant.client("ec2").describe_security_groups()["SecurityGroups"]
    mine = next(one["GroupId"] for one in groups if one["GroupName"] == "default")
    wanted = _template(tenant, ImageId=image, UserData=_encoded("#!/bin/sh\necho mine\n"), SecurityGroupIds=[mine])
    group = tenant.nodegroup(launchTemplate=wanted)
    assert (group["amiType"], group["releaseVersion"]) == ("CUSTOM", image)
    instance = tenant.join()[0]
    assert _user_data(tenant, instance["InstanceId"]) == "#!/bin/sh\necho mine\n"
    assert [one["GroupId"] for one in instance["SecurityGroups"]] == [mine]


def test_another_version_of_the_template_replaces_the_nodes(tenant: Tenant) -> None:
    tenant.cluster()
    wanted = _template(tenant, InstanceType="c5.large")
    tenant.nodegroup(launchTemplate=wanted, instanceTypes=[])
    tenant.join()
    tenant.nodegroup_in("ACTIVE")
    number = _version(tenant, wanted, InstanceType="m5.large")
    change = {"launchTemplate": wanted | {"version": number}}
    update = tenant.eks.update_nodegroup_version(**PLACE, **change)["update"]
    shown = {one["type"]: one["value"] for one in update["params"]}
    assert (shown["LaunchTemplateName"], shown["LaunchTemplateVersion"]) == ("mine", "2")
    machines = Machines(tenant)
    of = {"nodegroupName": "system"}
    describe = tenant.eks.describe_update
    machines.until(
        lambda: describe(name="demo", updateId=update["id"], **of)["update"]["status"] == "Successful", "the update"
    )
    assert {one["InstanceType"] for one in tenant.instances()} == {"m5.large"}
    assert tenant.eks.describe_nodegroup(**PLACE)["nodegroup"]["launchTemplate"]["version"] == "2"
    other = tenant.client("ec2").create_launch_template(LaunchTemplateName="other", LaunchTemplateData={})
    foreign = {"launchTemplate": {"id": other["LaunchTemplate"]["LaunchTemplateId"]}}
    code, message = code_of(lambda: tenant.eks.update_nodegroup_version(**PLACE, **foreign))
    assert code == "InvalidParameterException"
    assert "must be the one that the node group was deployed with, mine" in message


def test_the_users_template_stays_when_the_group_goes(tenant: Tenant) -> None:
    tenant.cluster()
    wanted = _template(tenant, InstanceType="c5.large")
    tenant.nodegroup(launchTemplate=wanted, instanceTypes=[])
    tenant.join()
    tenant.nodegroup_in("ACTIVE")
    tenant.eks.delete_nodegroup(**PLACE)

    def alone() -> bool:
        templates = tenant.client("ec2").describe_launch_templates()["LaunchTemplates"]
        return [one["LaunchTemplateName"] for one in templates] == ["mine"]

    until(alone, "the end of the group")


@pytest.mark.parametrize(
    ("data", "params", "says"),
    [
        ({"IamInstanceProfile": {"Name": "x"}}, {}, "must not have IamInstanceProfile"),
        ({"InstanceMarketOptions": {"MarketType": "spot"}}, {}, "must not have InstanceMarketOptions"),
        ({"NetworkInterfaces": [{"DeviceIndex": 0, "SubnetId": "subnet-1"}]}, {}, "must not have subnets"),
        ({"InstanceType": "c5.large"}, {}, "in the request, not in both"),
        ({}, {"diskSize": 30}, "diskSize must be in the launch template"),
        ({"ImageId": IMAGE}, {"amiType": "AL2023_x86_64_STANDARD"}, "amiType must not be given"),
        (
            {"ImageId": "ami-0123456789abcdef0"},
            {"releaseVersion": "1.36.3-20261106"},
            "releaseVersion must not be given",
        ),
        ({"UserData": _encoded("#!/bin/sh\n")}, {}, "not in the MIME multipart format"),
        ({"UserData": _encoded("[a]\n")}, {"amiType": "BOTTLEROCKET_x86_64"}, "user data for Bottlerocket"),
    ],
)
def test_what_may_not_be_in_a_template(tenant: Tenant, data: dict[str, Any], params: dict[str, Any], says: str) -> None:
    tenant.cluster()
    wanted = _template(tenant, **(data or {"KeyName": "k"}))
    code, message = code_of(lambda: tenant.nodegroup(launchTemplate=wanted, **params))
    assert (code, says in message) == ("InvalidParameterException", True), message
