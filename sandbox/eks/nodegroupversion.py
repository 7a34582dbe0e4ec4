"""UpdateNodegroupVersion: other images, and with them another version, for the nodes of a group.

https://docs.aws.amazon.com/eks/latest/userguide/update-managed-node-group.html
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sandbox.eks import launchtemplates, minors, nodegroupmake, tokens, updates, versionrules, versions
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
        template = await self._template(caller, cluster, group, params)
        version = _version(cluster, group, params.get("version") or group.version)
        wanted = params | template | {"amiType": group.ami_type, "instanceTypes": _types(group)}
        make = await nodegroupmake.of(self._context, caller, wanted, version)
        if make.ami_type == launchtemplates.CUSTOM:
            version = cluster.version
        else:
            _refuse_older(group, version, make.release.version)
        _free(cluster, group.name)  # another request may have been faster
        shown = {"Version": version, "ReleaseVersion": make.release.version}
        if make.template is not None:
            shown |= {"LaunchTemplateName": make.template.name, "LaunchTemplateVersion": make.template.version}
        update = updates.begin(cluster, "VersionUpdate", shown, nodegroup=group.name)
        group.status, group.modified_at = "UPDATING", now()
        answer = {"update": updates.present(update)}
        tokens.remember(cluster, "UpdateNodegroupVersion", params, answer, f"nodegroup/{group.name}")
        self._context.store.save(cluster)
        target = Target(version, make, force=params.get("force", False))
        work = self._keeper.replace(cluster, group, update, target)
        self._context.spawn(work, f"updating {group.arn}", partial(self._keeper.give_up, group, update), cluster)
        return answer

    async def _template(
        self, caller: Caller, cluster: Cluster, group: Nodegroup, params: dict[str, Any]
    ) -> dict[str, Any]:
        """The launch template to go on with, as a request names it. Raises EksError.

        https://docs.aws.amazon.com/eks/latest/APIReference/API_LaunchTemplateSpecification.html
        """
        names = {"clusterName": cluster.name, "nodegroupName": group.name}
        given, present = params.get("launchTemplate"), group.custom_template
        if present is None:
            if given:
                text = "A node group can be updated with a launch template only if it was deployed with one."
                raise invalid_request(text, **names)
            return {}
        if not given:
            return {"launchTemplate": {"id": present.id, "version": present.version}}
        template = await launchtemplates.read(self._context, caller, given)
        if template.reference.id != present.id:
            text = f"The launch template must be the one that the node group was deployed with, {present.name}."
            raise invalid_parameter(text, **names)
        return {"launchTemplate": {"id": present.id, "version": template.reference.version}}


def _types(group: Nodegroup) -> list[str] | None:
    return None if group.types_in_template else group.instance_types


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
