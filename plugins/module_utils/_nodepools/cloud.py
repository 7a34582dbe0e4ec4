# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What Karpenter has made in AWS for a cluster, each thing proved by tags or path. Private to the collection."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .model import POOL_LABEL

if TYPE_CHECKING:  # boto3 is imported by a rescue alone
    from .._aws.client import Client

CLASS_TAG = "karpenter.k8s.aws/ec2nodeclass"
CLUSTER_TAG = "eks:eks-cluster-name"
ENDED = ("shutting-down", "terminated")
PER_CALL = 200


@dataclass(frozen=True)
class Instance:
    """One instance; ``own``: its tags prove that it is a node of the cluster."""

    id: str
    state: str
    own: bool


@dataclass(frozen=True)
class Profile:
    """One instance profile."""

    name: str
    roles: tuple[str, ...]


class Cloud:
    """EC2 and IAM, for one cluster. Every call raises AwsError."""

    def __init__(self, ec2: Client, iam: Client, cluster: str) -> None:
        self._ec2 = ec2
        self._iam = iam
        self._cluster = cluster

    def launched(self, pools: Collection[str] | None) -> list[Instance]:
        """Karpenter's instances of the cluster, of these pools or of all, that are not ended.

        Karpenter finds its own by the same tags (pkg/providers/instance).
        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html
        """
        filters = [
            {"Name": f"tag:{CLUSTER_TAG}", "Values": [self._cluster]},
            {"Name": "tag-key", "Values": [CLASS_TAG]},
            {"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "stopped"]},
        ]
        if pools is None:
            filters.append({"Name": "tag-key", "Values": [POOL_LABEL]})
        elif pools:
            filters.append({"Name": f"tag:{POOL_LABEL}", "Values": sorted(pools)})
        else:
            return []
        return self._instances(filters)

    def instances(self, ids: Iterable[str]) -> list[Instance]:
        """The instances of that id that EC2 still knows."""
        # By filter: one id that is unknown would make a listing by ids fail as a whole.
        chunks = _chunks(sorted(set(ids)))
        return [item for chunk in chunks for item in self._instances([{"Name": "instance-id", "Values": chunk}])]

    def terminate(self, ids: Iterable[str]) -> None:
        """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_TerminateInstances.html"""
        for chunk in _chunks(sorted(set(ids))):
            self._ec2.call("terminate_instances", InstanceIds=chunk)

    def templates(self, classes: Collection[str] | None) -> dict[str, str]:
        """Karpenter's launch templates of the cluster, of these classes or of all: name by id.

        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeLaunchTemplates.html
        """
        if classes is not None and not classes:
            return {}
        filters: list[dict[str, Any]] = [{"Name": f"tag:{CLUSTER_TAG}", "Values": [self._cluster]}]
        if classes is None:
            filters.append({"Name": "tag-key", "Values": [CLASS_TAG]})
        else:
            filters.append({"Name": f"tag:{CLASS_TAG}", "Values": sorted(classes)})
        found = self._ec2.pages("describe_launch_templates", "LaunchTemplates", Filters=filters)
        return {item["LaunchTemplateId"]: item["LaunchTemplateName"] for item in found}

    def delete_template(self, template_id: str) -> None:
        """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteLaunchTemplate.html"""
        self._ec2.find("delete_launch_template", LaunchTemplateId=template_id)

    def profiles(self, class_uids: Collection[str] | None) -> list[Profile]:
        """Karpenter's instance profiles of the cluster, of these classes or of all.

        Their path is ``/karpenter/<region>/<cluster>/<uid of the class>/`` since Karpenter 1.7.
        https://docs.aws.amazon.com/IAM/latest/APIReference/API_ListInstanceProfiles.html
        """
        prefix = f"/karpenter/{self._ec2.region}/{self._cluster}/"
        paths = [prefix] if class_uids is None else [f"{prefix}{uid}/" for uid in sorted(class_uids)]
        return [
            Profile(item["InstanceProfileName"], tuple(role["RoleName"] for role in item["Roles"]))
            for path in paths
            for item in self._iam.pages("list_instance_profiles", "InstanceProfiles", PathPrefix=path)
        ]

    def delete_profile(self, profile: Profile) -> None:
        """A profile lets its role go first: https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeleteInstanceProfile.html"""
        for role in profile.roles:
            self._iam.find("remove_role_from_instance_profile", InstanceProfileName=profile.name, RoleName=role)
        self._iam.find("delete_instance_profile", InstanceProfileName=profile.name)

    def _instances(self, filters: list[dict[str, Any]]) -> list[Instance]:
        reservations = self._ec2.pages("describe_instances", "Reservations", Filters=filters)
        return [
            Instance(item["InstanceId"], item["State"]["Name"], self._own(item.get("Tags") or ()))
            for reservation in reservations
            for item in reservation["Instances"]
        ]

    def _own(self, entries: Iterable[dict[str, str]]) -> bool:
        tags = {entry["Key"]: entry["Value"] for entry in entries}
        return tags.get(CLUSTER_TAG) == self._cluster or tags.get(f"kubernetes.io/cluster/{self._cluster}") == "owned"


def _chunks(ids: list[str]) -> list[list[str]]:
    return [ids[start : start + PER_CALL] for start in range(0, len(ids), PER_CALL)]
