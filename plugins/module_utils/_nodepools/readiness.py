# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Whether Karpenter has taken a pool or class, and what to do where it has not. Pure. Private to the collection.

Conditions and reasons are those of Karpenter 1.14 (pkg/controllers/nodeclass; pkg/controllers/nodepool of its core);
https://karpenter.sh/docs/concepts/nodeclasses/#statusconditions says what they mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core.waiting import Predicates

Item = Mapping[str, Any]

ready = Predicates()
"""By kind: None when it is ready in its present generation, or else why not."""

_AUTHORIZATION = (
    "the controller's role lacks it, or a service control policy or permissions boundary denies it (role karpenter_iam "
    "checks the role; a denial that was cured is looked at again after the class is annotated or the cache runs out)"
)
_CAUSES = {
    "SubnetsNotFound": "no subnet carries the tags (or has the id) of subnet_selector_terms; role eks_cluster tags "
    "subnets with karpenter.sh/discovery",
    "SecurityGroupsNotFound": "no security group carries the tags (or has the id or name) of "
    "security_group_selector_terms; role eks_cluster tags the cluster's group with karpenter.sh/discovery",
    "AMINotFound": "no image of that id, name or release exists in this region; eks_ami_info lists them",
    "UnsupportedAlias": "the alias names a family or release that is not published for this Kubernetes version; "
    "eks_ami_info lists them",
    "CreateFleetAuthCheckFailed": _AUTHORIZATION,
    "CreateLaunchTemplateAuthCheckFailed": _AUTHORIZATION,
    "RunInstancesAuthCheckFailed": _AUTHORIZATION,
    "TagValidationFailed": "tags of the class use a key that Karpenter keeps for itself",
    "UserDataSizeLimitExceeded": "user data is larger than EC2 takes (16 KiB)",
    "ClusterCIDRResolutionFailed": "the controller may not call eks:DescribeCluster, or the name of the cluster in its "
    "settings is wrong",
    "PlacementGroupNotFound": "there is no placement group of that id or name",
    "NodeClassNotFound": "the pool names a node class that does not exist",
    "NodeClassTerminating": "its node class is being deleted",
    "NodePoolValidationFailed": "Karpenter does not take a label, taint or requirement of the pool",
}
_BY_CONDITION = {
    "InstanceProfileReady": "the role (or instance_profile) of the class does not exist, or the controller may not "
    "pass it or make instance profiles (iam:PassRole, iam:CreateInstanceProfile, iam:AddRoleToInstanceProfile)",
    "SubnetsReady": _CAUSES["SubnetsNotFound"],
    "SecurityGroupsReady": _CAUSES["SecurityGroupsNotFound"],
    "AMIsReady": _CAUSES["AMINotFound"],
}
# These only repeat what another condition says.
_FOLLOWING = {"Ready", "NodeClassReady", "NodeRegistrationHealthy", "ConsistentStateFound"}


@ready.of("EC2NodeClass")
def class_reason(item: Item) -> str | None:
    """Why a node class is not ready."""
    return _reason(item)


@ready.of("NodePool")
def pool_reason(item: Item) -> str | None:
    """Why a node pool is not ready."""
    return _reason(item)


def _reason(item: Item) -> str | None:
    generation = int(item["metadata"].get("generation") or 1)
    conditions = (item.get("status") or {}).get("conditions") or []
    overall = next((entry for entry in conditions if entry["type"] == "Ready"), None)
    if item["metadata"].get("deletionTimestamp"):
        return "it is being deleted"
    if overall is None:
        return "Karpenter's controller has not looked at it yet"
    if int(overall.get("observedGeneration") or 0) < generation:
        return f"Karpenter's controller has not looked at generation {generation} yet"
    if overall["status"] == "True":
        return None
    causes = [_condition(entry) for entry in conditions if _is_cause(entry)]
    return "; ".join(causes) or _condition(overall)


def _is_cause(entry: Item) -> bool:
    if entry["type"] in _FOLLOWING or entry["status"] == "True":
        return False
    return str(entry.get("reason")) != "DependenciesNotReady"


def _condition(entry: Item) -> str:
    reason, message = str(entry.get("reason") or ""), str(entry.get("message") or "").strip()
    parts = [reason] if reason and reason != entry["type"] else []
    parts += [message] if message and message != reason else []
    text = f"{entry['type']} is {entry['status']}" + (f" ({': '.join(parts)})" if parts else "")
    cause = _CAUSES.get(reason) or (_BY_CONDITION.get(str(entry["type"])) if entry["status"] == "False" else None)
    return f"{text}: {cause}" if cause else text
