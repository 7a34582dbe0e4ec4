"""The operations on managed node groups. What becomes of them afterwards is in ``nodegroupkeeper``.

https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
"""

from __future__ import annotations

import re
import uuid
from functools import partial
from typing import Any

from sandbox.eks import access, awsauth, iam, network, nodegroupmake, nodegroupspec, tags, tokens, updates
from sandbox.eks.context import Caller, Context, now, page, partition_of, refuse
from sandbox.eks.errors import in_use, invalid_parameter, invalid_request, not_found
from sandbox.eks.model import Cluster, Nodegroup, Taint
from sandbox.eks.nodegroupkeeper import NodegroupKeeper
from sandbox.eks.nodegroupspec import Scaling
from sandbox.eks.presentation import nodegroup_view

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")
_NOT_HERE = ("remoteAccess", "nodeRepairConfig", "warmPoolConfig")


class Nodegroups:
    """CreateNodegroup and its family."""

    def __init__(self, context: Context, keeper: NodegroupKeeper) -> None:
        self._context = context
        self._keeper = keeper

    async def create_nodegroup(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html."""
        refuse(params, *_NOT_HERE)
        cluster, name = self._context.active(caller, params["clusterName"]), params["nodegroupName"]
        _refuse_existing(cluster, name)
        fixed = _spec(cluster, params)
        role = await self._node_role(cluster, params["nodeRole"])
        await self._check_subnets(caller, cluster, params["subnets"])
        make = await nodegroupmake.of(self._context, caller, params, cluster.version)
        if cluster.authentication_mode == "CONFIG_MAP":
            await awsauth.add_node_role(self._context.kube(cluster), role.arn)
        # Another request may have been faster while IAM, EC2 and SSM were asked.
        _refuse_existing(cluster, name)
        uid = str(uuid.uuid4())
        group = Nodegroup(
            arn=caller.arn(f"nodegroup/{cluster.name}/{name}/{uid}"),
            uid=uid,
            status="CREATING",
            release_version=make.release.version,
            image_id=make.release.image_id,
            ami_type=make.ami_type,
            instance_types=make.types.names,
            node_role=role.arn,
            max_pods=make.types.max_pods,
            custom_template=make.template,
            types_in_template=make.types_in_template,
            **fixed,
        )
        access.admit_nodes(cluster, role)
        cluster.nodegroups[name] = group
        answer = {"nodegroup": nodegroup_view(group, cluster.name)}
        tokens.remember(cluster, "CreateNodegroup", params, answer, f"nodegroup/{name}")
        self._context.store.save(cluster)
        give_up = partial(self._keeper.give_up, group, None)
        self._context.spawn(self._keeper.create(cluster, group), f"creating {group.arn}", give_up, cluster)
        return answer

    async def describe_nodegroup(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeNodegroup.html."""
        cluster = self._context.store.get(caller.key(params["clusterName"]))
        return {"nodegroup": nodegroup_view(_group(cluster, params["nodegroupName"]), cluster.name)}

    async def list_nodegroups(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_ListNodegroups.html."""
        cluster = self._context.store.get(caller.key(params["clusterName"]))
        return page(params, sorted(cluster.nodegroups), "nodegroups")

    async def update_nodegroup_config(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateNodegroupConfig.html."""
        refuse(params, "nodeRepairConfig", "warmPoolConfig")
        cluster = self._context.active(caller, params["clusterName"])
        group = _group(cluster, params["nodegroupName"])
        if group.status not in ("ACTIVE", "DEGRADED"):
            raise in_use(f"Nodegroup is in status {group.status}.", clusterName=cluster.name, nodegroupName=group.name)
        before = Scaling(group.min_size, group.max_size, group.desired_size)
        scaling = Scaling.of(params.get("scalingConfig", {}), before)
        labels, label_changes = _labels_after(group.labels, params.get("labels", {}))
        taints, taint_changes = _taints_after(group.taints, params.get("taints", {}))
        config = nodegroupspec.update_config(params.get("updateConfig"), group.update_config)
        if not {"scalingConfig", "labels", "taints", "updateConfig"} & set(params):
            raise invalid_parameter("An update must change at least one thing.")
        sizes = {"MinSize": "minSize", "MaxSize": "maxSize", "DesiredSize": "desiredSize"}
        shown = {name: params.get("scalingConfig", {}).get(key) for name, key in sizes.items()}
        update = updates.begin(cluster, "ConfigUpdate", shown | label_changes | taint_changes, nodegroup=group.name)
        old_labels, old_taints = group.labels, group.taints
        group.min_size, group.max_size, group.desired_size = scaling.least, scaling.most, scaling.desired
        group.labels, group.taints, group.update_config = labels, taints, config
        group.status, group.modified_at = "UPDATING", now()
        answer = {"update": updates.present(update)}
        tokens.remember(cluster, "UpdateNodegroupConfig", params, answer, f"nodegroup/{group.name}")
        self._context.store.save(cluster)
        work = self._keeper.update(cluster, group, update, old_labels, old_taints)
        self._context.spawn(work, f"updating {group.arn}", partial(self._keeper.give_up, group, update), cluster)
        return answer

    async def delete_nodegroup(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DeleteNodegroup.html."""
        cluster = self._context.store.get(caller.key(params["clusterName"]))
        group = _group(cluster, params["nodegroupName"])
        if cluster.status == "DELETING":
            raise invalid_request(f"Cluster '{cluster.name}' is being deleted.", clusterName=cluster.name)
        if group.status == "UPDATING":
            raise in_use("Nodegroup has an update in progress.", clusterName=cluster.name, nodegroupName=group.name)
        if group.status != "DELETING":
            group.status, group.modified_at = "DELETING", now()
            self._context.store.save(cluster)
            give_up = partial(self._keeper.give_up, group, None)
            self._context.spawn(self._keeper.delete(cluster, group), f"deleting {group.arn}", give_up, cluster)
        return {"nodegroup": nodegroup_view(group, cluster.name)}

    async def _node_role(self, cluster: Cluster, arn: str) -> iam.IamPrincipal:
        """https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html."""
        role = await iam.look_up(self._context, arn, cluster.region)
        if role is None or f"::{cluster.account}:role/" not in arn:
            raise invalid_parameter(f"The role {arn} does not exist.", clusterName=cluster.name)
        suffix = "amazonaws.com.cn" if partition_of(cluster.region) == "aws-cn" else "amazonaws.com"
        wanted = {"ec2.amazonaws.com", f"ec2.{suffix}"}
        if not any(iam.trusts(role.trust, service, "sts:AssumeRole") for service in wanted):
            raise invalid_parameter(
                f"Following required service principals [ec2.amazonaws.com] were not found in the trust relationships "
                f"of nodeRole {arn}",
                clusterName=cluster.name,
            )
        return role

    async def _check_subnets(self, caller: Caller, cluster: Cluster, subnets: list[str]) -> None:
        if not subnets:
            raise invalid_parameter("A node group needs at least one subnet.")
        place = await network.place_of(self._context, caller, subnets)
        if place.vpc_id != cluster.vpc_id:
            raise invalid_parameter(f"Subnets are of {place.vpc_id}, not of the cluster's VPC {cluster.vpc_id}.")


def _spec(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """The parts of a request that need nobody else to be checked. Raises InvalidParameterException."""
    name = params["nodegroupName"]
    if not _NAME.fullmatch(name):
        raise invalid_parameter(f"The nodegroup name {name} must match {_NAME.pattern}.", nodegroupName=name)
    if params.get("capacityType") == "CAPACITY_BLOCK":
        raise invalid_parameter("capacityType CAPACITY_BLOCK needs a launch template.")
    if params.get("version", cluster.version) != cluster.version:
        raise invalid_parameter(f"The node group's version must be the cluster's, {cluster.version}.")
    scaling, stamp = Scaling.of(params.get("scalingConfig", {})), now()
    return {
        "name": name,
        "version": cluster.version,
        "capacity_type": params.get("capacityType", "ON_DEMAND"),
        "subnets": params["subnets"],
        "disk_size": params.get("diskSize", 20),
        "min_size": scaling.least,
        "max_size": scaling.most,
        "desired_size": scaling.desired,
        "labels": nodegroupspec.labels_of(params.get("labels", {})),
        "taints": nodegroupspec.taints_of(params.get("taints", [])),
        "tags": tags.check(params.get("tags")),
        "update_config": nodegroupspec.update_config(params.get("updateConfig")),
        "created_at": stamp,
        "modified_at": stamp,
    }


def _refuse_existing(cluster: Cluster, name: str) -> None:
    if name in cluster.nodegroups:
        raise in_use(
            f"NodeGroup already exists with name {name} and cluster name {cluster.name}",
            clusterName=cluster.name,
            nodegroupName=name,
        )


def _group(cluster: Cluster, name: str) -> Nodegroup:
    group = cluster.nodegroups.get(name)
    if group is None:
        raise not_found(f"No node group found for name: {name}.", clusterName=cluster.name, nodegroupName=name)
    return group


def _labels_after(before: dict[str, str], change: dict[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    add, remove = nodegroupspec.labels_of(change.get("addOrUpdateLabels", {})), change.get("removeLabels", [])
    after = {key: value for key, value in before.items() if key not in remove} | add
    return after, {"LabelsToAdd": add or None, "LabelsToRemove": remove or None}


def _taints_after(before: list[Taint], change: dict[str, Any]) -> tuple[list[Taint], dict[str, Any]]:
    add, remove = change.get("addOrUpdateTaints", []), change.get("removeTaints", [])
    gone = {(taint.key, taint.effect) for taint in nodegroupspec.taints_of(remove)}
    new = {(taint.key, taint.effect): taint for taint in nodegroupspec.taints_of(add)}
    kept = {(taint.key, taint.effect): taint for taint in before if (taint.key, taint.effect) not in gone}
    return list((kept | new).values()), {"TaintsToAdd": add or None, "TaintsToRemove": remove or None}
