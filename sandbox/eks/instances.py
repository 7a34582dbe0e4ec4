"""The EC2 and IAM side of a managed node group: instance profile, launch template, instances.

On AWS an Auto Scaling group launches the instances; the sandbox has no Auto Scaling API and launches them itself, with
the tags that an Auto Scaling group gives.
https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-tagging.html
"""

from __future__ import annotations

import asyncio
import base64
from collections import Counter
from typing import Any

from botocore.exceptions import ClientError

from sandbox.eks import launchtemplates, userdata
from sandbox.eks.amitypes import AMI_TYPES
from sandbox.eks.context import LOG, Context
from sandbox.eks.model import Cluster, Nodegroup
from sandbox.eks.network import tag_list

SERVICE = "eks-nodegroup.amazonaws.com"
LIVE = ("pending", "running")
_ENDING = ("pending", "running", "shutting-down", "stopping", "stopped")
_ENDING_TRIES = 300
_GONE = ("NoSuchEntity", "InvalidLaunchTemplateId.NotFound", "InvalidLaunchTemplateId.NotFoundException")
#: An instance profile holds one role: https://docs.aws.amazon.com/IAM/latest/APIReference/API_AddRoleToInstanceProfile.html
_THERE = ("EntityAlreadyExists", "LimitExceeded", "InvalidLaunchTemplateName.AlreadyExistsException")


class Instances:
    """What EKS makes in EC2 and IAM for one group. Methods raise ClientError."""

    def __init__(self, context: Context, cluster: Cluster, group: Nodegroup) -> None:
        self._context = context
        self._cluster = cluster
        self._group = group

    async def prepare(self) -> None:
        """Make the instance profile ``eks-<uuid>`` and the launch template of the same name."""
        group, name = self._group, f"eks-{self._group.uid}"
        # What is there already is of an attempt that a restart of the sandbox broke off: nobody else knows the uuid.
        await self._quietly(_THERE, "iam", "create_instance_profile", InstanceProfileName=name)
        group.instance_profile = name
        role = group.node_role.rpartition("/")[2]
        await self._quietly(_THERE, "iam", "add_role_to_instance_profile", InstanceProfileName=name, RoleName=role)
        await self._quietly(
            _THERE,
            "ec2",
            "create_launch_template",
            LaunchTemplateName=name,
            LaunchTemplateData=await self._template(),
            TagSpecifications=[{"ResourceType": "launch-template", "Tags": tag_list(self._own_tags())}],
        )
        answer = await self._call("ec2", "describe_launch_templates", LaunchTemplateNames=[name])
        [template] = answer["LaunchTemplates"]
        group.launch_template_id = template["LaunchTemplateId"]
        group.launch_template_version = str(template["LatestVersionNumber"])

    async def renew_template(self) -> None:
        """Make a version of the launch template for the group's labels and taints of now."""
        group = self._group
        answer = await self._call(
            "ec2",
            "create_launch_template_version",
            LaunchTemplateId=group.launch_template_id,
            LaunchTemplateData=await self._template(),
        )
        group.launch_template_version = str(answer["LaunchTemplateVersion"]["VersionNumber"])

    async def find(self, states: tuple[str, ...] = LIVE) -> list[dict[str, Any]]:
        """The group's instances in one of the states, oldest first."""
        filters = [
            {"Name": "tag:eks:cluster-name", "Values": [self._cluster.name]},
            {"Name": "tag:eks:nodegroup-name", "Values": [self._group.name]},
            {"Name": "tag:aws:autoscaling:groupName", "Values": [self._group.auto_scaling_group]},
            {"Name": "instance-state-name", "Values": list(states)},
        ]
        answer = await self._call("ec2", "describe_instances", Filters=filters)
        found = [one for reservation in answer["Reservations"] for one in reservation["Instances"]]
        return sorted(found, key=lambda one: one["LaunchTime"])

    async def launch(self, present: list[dict[str, Any]], *, first: str | None = None) -> None:
        """Launch an instance in the subnet ``first``, else in that with the fewest of ``present``; the first type."""
        used = Counter(one["SubnetId"] for one in present)
        subnets = sorted(self._group.subnets, key=lambda subnet: (subnet != first, used[subnet]))
        failure: ClientError | None = None
        for subnet in subnets:
            for instance_type in self._group.instance_types:
                try:
                    await self._run(subnet, instance_type)
                    return
                except ClientError as error:
                    if error.response["Error"]["Code"] != "InsufficientInstanceCapacity":
                        raise
                    failure = error
        if failure is not None:
            raise failure

    async def terminate(self, instance_ids: list[str]) -> None:
        """End instances; no instance is not an error."""
        if instance_ids:
            await self._call("ec2", "terminate_instances", InstanceIds=instance_ids)

    async def wait_until_ended(self) -> None:
        """Wait until no instance is left; ``terminate`` has been called for all."""
        for _ in range(_ENDING_TRIES):
            if not await self.find(_ENDING):
                return
            await asyncio.sleep(self._context.timings.busy_seconds)
        LOG.warning("%s: instances do not end", self._group.arn)

    async def clean_up(self) -> None:
        """Take away the launch template and the instance profile, whatever is there of them."""
        group = self._group
        if group.launch_template_id is not None:
            await self._quietly(_GONE, "ec2", "delete_launch_template", LaunchTemplateId=group.launch_template_id)
        if group.instance_profile is not None:
            name, role = group.instance_profile, group.node_role.rpartition("/")[2]
            await self._quietly(
                _GONE, "iam", "remove_role_from_instance_profile", InstanceProfileName=name, RoleName=role
            )
            await self._quietly(_GONE, "iam", "delete_instance_profile", InstanceProfileName=name)

    async def _run(self, subnet: str, instance_type: str) -> None:
        template = {
            "LaunchTemplateId": self._group.launch_template_id,
            "Version": self._group.launch_template_version,
        }
        spot = {"InstanceMarketOptions": {"MarketType": "spot"}} if self._group.capacity_type == "SPOT" else {}
        await self._call(
            "ec2",
            "run_instances",
            MinCount=1,
            MaxCount=1,
            LaunchTemplate=template,
            InstanceType=instance_type,
            SubnetId=subnet,
            TagSpecifications=[{"ResourceType": "instance", "Tags": tag_list(self._scaling_tags())}],
            **spot,
        )

    async def _template(self) -> dict[str, Any]:
        custom = self._group.custom_template
        if custom is None:
            return self._own_template(AMI_TYPES[self._group.ami_type].family)
        wanted = {"id": custom.id, "version": custom.version}
        template = await launchtemplates.read(self._context, self._cluster, wanted)
        # For an image of the user's, EKS has no user data.
        family = "al2023" if template.image_id else AMI_TYPES[self._group.ami_type].family
        return launchtemplates.merged(template, self._own_template(family), tag_list(self._own_tags()))

    def _own_template(self, family: str) -> dict[str, Any]:
        group, cluster = self._group, self._cluster
        boot = userdata.Boot(cluster, userdata.node_labels(group), group.taints, group.max_pods)
        text = userdata.render(family, boot)
        device = "/dev/xvdb" if family == "bottlerocket" else "/dev/xvda"
        disk = {"VolumeSize": group.disk_size, "VolumeType": "gp3", "DeleteOnTermination": True}
        return {
            "ImageId": group.image_id,
            "UserData": base64.b64encode(text.encode()).decode(),
            "IamInstanceProfile": {"Name": group.instance_profile},
            "SecurityGroupIds": [cluster.cluster_security_group_id],
            "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 2},
            "BlockDeviceMappings": [{"DeviceName": device, "Ebs": disk}],
            "TagSpecifications": [
                {"ResourceType": kind, "Tags": tag_list(self._own_tags())} for kind in ("instance", "volume")
            ],
        }

    def _own_tags(self) -> dict[str, str]:
        return {"eks:cluster-name": self._cluster.name, "eks:nodegroup-name": self._group.name}

    def _scaling_tags(self) -> dict[str, str]:
        name = self._cluster.name
        return {
            **self._own_tags(),
            "aws:autoscaling:groupName": self._group.auto_scaling_group,
            "aws:eks:cluster-name": name,
            f"kubernetes.io/cluster/{name}": "owned",
            f"k8s.io/cluster-autoscaler/{name}": "owned",
            "k8s.io/cluster-autoscaler/enabled": "true",
        }

    async def _call(self, service: str, method: str, **params: Any) -> dict[str, Any]:
        return await self._context.call(service, self._cluster, method, as_=SERVICE, **params)

    async def _quietly(self, fine: tuple[str, ...], service: str, method: str, **params: Any) -> None:
        try:
            await self._call(service, method, **params)
        except ClientError as error:
            if error.response["Error"]["Code"] not in fine:
                raise
