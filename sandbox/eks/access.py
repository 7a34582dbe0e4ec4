"""Access entries: what they hold, who may have one, and the entries that EKS makes by itself. No operations here.

https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
"""

from __future__ import annotations

import uuid
from typing import Any

from sandbox.eks import iam, policies
from sandbox.eks.context import Caller, Context, now, partition_of
from sandbox.eks.errors import invalid_parameter, invalid_request
from sandbox.eks.iam import Arn, IamPrincipal
from sandbox.eks.model import AccessEntry, Cluster, Creator, PolicyScope

STANDARD = "STANDARD"
NODE_USER = "system:node:{{EC2PrivateDNSName}}"
SESSION_NODE_USER = "system:node:{{SessionName}}"

# The username and the groups of the types that are for nodes.
NODE_TYPES: dict[str, tuple[str, list[str]]] = {
    "EC2_LINUX": (NODE_USER, ["system:nodes"]),
    "EC2_WINDOWS": (NODE_USER, ["eks:kube-proxy-windows", "system:nodes"]),
    "FARGATE_LINUX": (SESSION_NODE_USER, ["system:node-proxier", "system:nodes"]),
    "HYBRID_LINUX": (SESSION_NODE_USER, ["system:nodes"]),
}
_RESERVED = ("system:", "eks:", "aws:", "amazon:", "iam:")


def creation_modes(config: dict[str, Any]) -> tuple[str, bool]:
    """The authentication mode of a new cluster, and whether its creator becomes an administrator.

    Through the API the mode is CONFIG_MAP when none is given.
    https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAccessConfigRequest.html
    """
    mode: str = config.get("authenticationMode", "CONFIG_MAP")
    admin: bool = config.get("bootstrapClusterCreatorAdminPermissions", True)
    if mode == "CONFIG_MAP" and not admin:
        raise invalid_parameter(
            "bootstrapClusterCreatorAdminPermissions must be true if cluster authentication mode is set to CONFIG_MAP"
        )
    return mode, admin


def require_api_mode(cluster: Cluster) -> None:
    """Raise InvalidRequestException when the cluster does not use access entries."""
    if cluster.authentication_mode == "CONFIG_MAP":
        raise invalid_request(
            "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this "
            "operation.",
            clusterName=cluster.name,
        )


async def creator(context: Context, caller: Caller) -> Creator:
    """The role or user behind the caller; a session counts as its role."""
    arn = Arn.parse(caller.principal.arn)
    if arn is not None and arn.service == "sts":
        role = await iam.by_name(context, arn.account, "role", arn.path.split("/")[0], caller.region)
        if role is not None:
            return Creator(role.arn, role.id)
    return Creator(caller.principal.arn, caller.principal.user_id.partition(":")[0])


def default_username(principal_arn: str) -> str:
    """What EKS takes as username when none is given; the path of a role is left out."""
    arn = Arn.parse(principal_arn)
    if arn is None or arn.kind != "role":
        return principal_arn
    partition = principal_arn.split(":")[1]
    return f"arn:{partition}:sts::{arn.account}:assumed-role/{arn.name}/{{{{SessionName}}}}"


def check_username(username: str) -> None:
    """Raise InvalidParameterException for a username that EKS does not allow."""
    if username.startswith(_RESERVED):
        raise invalid_parameter(f"The username {username} is invalid, it cannot start with {', '.join(_RESERVED)}.")
    before, found, _ = username.partition("{{SessionName}}")
    if found and ":" not in before:
        raise invalid_parameter("The username must have a colon before {{SessionName}}.")


def check_groups(groups: list[str]) -> None:
    """Raise InvalidParameterException for a group that is EKS' or Kubernetes' own."""
    for group in groups:
        if group.startswith(_RESERVED):
            prefix = next(one for one in _RESERVED if group.startswith(one))
            raise invalid_parameter(f"The kubernetes group name {group} is invalid, it cannot start with {prefix}")


def new_entry(
    cluster: Cluster,
    principal: IamPrincipal,
    kind: str = STANDARD,
    *,
    username: str | None = None,
    groups: list[str] | None = None,
    tags: dict[str, str] | None = None,
) -> AccessEntry:
    """An access entry, put into the cluster."""
    arn = Arn.parse(principal.arn)
    place = f"{arn.kind}/{arn.account}/{arn.name}" if arn else principal.arn
    partition = partition_of(cluster.region)
    resource = f"access-entry/{cluster.name}/{place}/{uuid.uuid4()}"
    if kind in NODE_TYPES:
        username, groups = NODE_TYPES[kind]
    stamp = now()
    entry = AccessEntry(
        principal_arn=principal.arn,
        principal_id=principal.id,
        arn=f"arn:{partition}:eks:{cluster.region}:{cluster.account}:{resource}",
        type=kind,
        username=username or default_username(principal.arn),
        groups=list(groups or []),
        tags=tags or {},
        created_at=stamp,
        modified_at=stamp,
    )
    cluster.entries[principal.arn] = entry
    return entry


def give_creator_admin(cluster: Cluster) -> None:
    """The entry that EKS makes for who created the cluster, when it was asked to and the mode has entries."""
    if not cluster.bootstrap_creator_admin or cluster.authentication_mode == "CONFIG_MAP":
        return
    if cluster.creator.arn in cluster.entries:
        return
    entry = new_entry(cluster, IamPrincipal(cluster.creator.arn, cluster.creator.id, {}))
    policy = policies.arn("AmazonEKSClusterAdminPolicy", partition_of(cluster.region))
    entry.policies[policy] = PolicyScope(policy, "cluster", [], now(), now())


def admit_nodes(cluster: Cluster, role: IamPrincipal) -> None:
    """The entry that EKS makes for the role of a managed node group, when there is none yet.

    It stays when the node group is deleted. https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
    """
    if cluster.authentication_mode != "CONFIG_MAP" and role.arn not in cluster.entries:
        new_entry(cluster, role, "EC2_LINUX")


def view(entry: AccessEntry, cluster_name: str) -> dict[str, Any]:
    """https://docs.aws.amazon.com/eks/latest/APIReference/API_AccessEntry.html."""
    return {
        "clusterName": cluster_name,
        "principalArn": entry.principal_arn,
        "kubernetesGroups": entry.groups,
        "accessEntryArn": entry.arn,
        "createdAt": entry.created_at,
        "modifiedAt": entry.modified_at,
        "tags": entry.tags,
        "username": entry.username,
        "type": entry.type,
    }
