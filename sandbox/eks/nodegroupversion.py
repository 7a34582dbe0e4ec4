"""UpdateNodegroupVersion: other images, and with them another version, for the nodes of a group.

https://docs.aws.amazon.com/eks/latest/userguide/update-managed-node-group.html
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sandbox.eks import amitypes, minors, tokens, updates, versionrules, versions
from sandbox.eks.context import Caller, Context, now
from sandbox.eks.errors import in_use, invalid_parameter, invalid_request, not_found
from sandbox.eks.model import Cluster, Nodegroup
from sandbox.eks.nodegroupkeeper import NodegroupKeeper
from sandbox.eks.replacement import Target


class NodegroupVersion:
    """The operation."""

    def __init__(self, context: Context, keeper: NodegroupKeeper) -> None:
        self._context, self._keeper = context, keeper

    async def update_nodegroup_version(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateNodegroupVersion.html."""
        cluster = self._context.active(caller, params["clusterName"])
        group = _free(cluster, params["nodegroupName"])
        if "launchTemplate" in params:
            raise invalid_request(
                "A node group can be updated with a launch template only if it was deployed with one.",
                clusterName=cluster.name,
                nodegroupName=group.name,
            )
        version = _version(cluster, group, params.get("version") or group.version)
        ami_type = amitypes.AMI_TYPES[group.ami_type]
        amitypes.choose(ami_type.name, {ami_type.architecture}, version)
        release = await amitypes.find(self._context, caller, ami_type, version, params.get("releaseVersion"))
        _refuse_older(group, version, release.version)
        _free(cluster, group.name)  # another request may have been faster
        shown = {"Version": version, "ReleaseVersion": release.version}
        update = updates.begin(cluster, "VersionUpdate", shown, nodegroup=group.name)
        group.status, group.modified_at = "UPDATING", now()
        answer = {"update": updates.present(update)}
        tokens.remember(cluster, "UpdateNodegroupVersion", params, answer, f"nodegroup/{group.name}")
        self._context.store.save(cluster)
        target = Target(version, release.version, release.image_id, force=params.get("force", False))
        work = self._keeper.replace(cluster, group, update, target)
        self._context.spawn(work, f"updating {group.arn}", partial(self._keeper.give_up, group, update), cluster)
        return answer


def _free(cluster: Cluster, name: str) -> Nodegroup:
    group = cluster.nodegroups.get(name)
    if group is None:
        raise not_found(f"No node group found for name: {name}.", clusterName=cluster.name, nodegroupName=name)
    if group.status not in ("ACTIVE", "DEGRADED"):
        raise in_use(f"Nodegroup is in status {group.status}.", clusterName=cluster.name, nodegroupName=name)
    return group


def _version(cluster: Cluster, group: Nodegroup, wanted: str) -> str:
    """The version to go to: the group's own, or a later one up to the cluster's. Raises EksError.

    Back by one goes where the control plane is to be rolled back, which nodes have to be before it:
    https://docs.aws.amazon.com/eks/latest/userguide/rollback-cluster.html#rollback-step2
    """
    names = {"clusterName": cluster.name, "nodegroupName": group.name}
    if wanted not in versions.MINORS:
        raise invalid_parameter(f"unsupported Kubernetes version {wanted}.", **names)
    if minors.known(wanted) > minors.known(cluster.version):
        raise invalid_parameter(
            f"Nodegroup version {wanted} must not be newer than the cluster version {cluster.version}.", **names
        )
    before = versionrules.may_roll_back(cluster, now()) and wanted == cluster.upgraded_from
    if minors.known(wanted) < minors.known(group.version) and not before:
        raise invalid_parameter(f"Nodegroup version cannot go back from {group.version} to {wanted}.", **names)
    return wanted


def _refuse_older(group: Nodegroup, version: str, release: str) -> None:
    """ "You cannot roll back a node group to an earlier Kubernetes version or AMI version"."""
    if version == group.version and _dated(release) < _dated(group.release_version):
        raise invalid_parameter(
            f"Nodegroup release version cannot go back from {group.release_version} to {release}.",
            nodegroupName=group.name,
        )


def _dated(release: str) -> tuple[int, ...]:
    """The parts of ``1.36.2-20261106`` that grow: its date; of Bottlerocket's ``1.50.0-abcdef``, its numbers."""
    numbers, _, rest = release.partition("-")
    if rest.isdigit() and len(rest) == 8:
        return (int(rest),)
    return tuple(int(part) for part in numbers.split(".") if part.isdigit())
