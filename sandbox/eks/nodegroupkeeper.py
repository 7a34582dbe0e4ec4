"""Brings managed node groups up, keeps them at their size, and takes them away.

https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html#troubleshoot-managed-node-groups
https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any

from botocore.exceptions import ClientError

from sandbox.eks import nodes, tokens, updates
from sandbox.eks.context import LOG, Context, now
from sandbox.eks.instances import Instances
from sandbox.eks.kube import KubeError
from sandbox.eks.model import Cluster, Issue, Nodegroup, Taint, Update
from sandbox.eks.replacement import Replacement, ReplacementError, Target

_WATCHED = ("CREATING", "ACTIVE", "UPDATING", "DEGRADED")
#: A node group outlives an update that fails.
_FAILED = {"CREATING": "CREATE_FAILED", "UPDATING": "ACTIVE", "DELETING": "DELETE_FAILED"}


class NodegroupKeeper:
    """What happens to node groups outside of the API's calls. One thing at a time per group."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def create(self, cluster: Cluster, group: Nodegroup) -> None:
        """Make what the group's instances need; ``watch`` launches them."""
        async with self._locks[group.arn]:
            try:
                await self._instances(cluster, group).prepare()
            except ClientError as error:
                code = "AccessDenied" if "AccessDenied" in str(error) else "InternalFailure"
                LOG.error("%s failed: %s", group.arn, error)
                group.status, group.issues = "CREATE_FAILED", [Issue(code, str(error), [group.name])]
            self._context.store.save(cluster)

    async def update(
        self,
        cluster: Cluster,
        group: Nodegroup,
        update: Update,
        old_labels: dict[str, str],
        old_taints: list[Taint],
    ) -> None:
        """Bring labels and taints to the nodes that there are and to those to come; ``watch`` sees to the size."""
        async with self._locks[group.arn]:
            try:
                if (old_labels, old_taints) != (group.labels, group.taints):
                    await self._instances(cluster, group).renew_template()
                    await self._mark(cluster, group, old_labels, old_taints)
                await self._keep_size(cluster, group)
            except (ClientError, KubeError) as error:
                updates.fail(update, "Unknown", str(error), [group.name])
            else:
                updates.finish(update)
            group.status = "ACTIVE"
            self._context.store.save(cluster)

    async def replace(self, cluster: Cluster, group: Nodegroup, update: Update, target: Target | None) -> None:
        """Bring the group's nodes to another image or version; where that fails, the group is as it was.

        Without a target, to that which the group has already.
        """
        async with self._locks[group.arn]:
            try:
                await Replacement(self._context, cluster, group, target).run()
            except ReplacementError as error:
                updates.fail(update, error.code, error.message, error.resource_ids)
            else:
                updates.finish(update)
            group.status, group.modified_at = "ACTIVE", now()
            self._context.store.save(cluster)

    async def delete(self, cluster: Cluster, group: Nodegroup) -> None:
        """Drain and end the instances, then take away the rest. The node role's access entry stays, as on AWS."""
        async with self._locks[group.arn]:
            instances = self._instances(cluster, group)
            try:
                group.min_size = group.desired_size = 0
                await self._end(cluster, group, [one["InstanceId"] for one in await instances.find()])
                await instances.wait_until_ended()
                await instances.clean_up()
            except ClientError as error:
                LOG.error("%s: %s", group.arn, error)
                group.status, group.issues = "DELETE_FAILED", [Issue("InternalFailure", str(error))]
            else:
                cluster.nodegroups.pop(group.name, None)
                tokens.forget(cluster, f"nodegroup/{group.name}")
                LOG.info("%s is gone", group.arn)
        self._locks.pop(group.arn, None)
        self._context.store.save(cluster)

    def give_up(self, group: Nodegroup, update: Update | None, text: str) -> None:
        """What was under way ended by a failure that nobody foresaw."""
        if update is not None:
            updates.fail(update, "Unknown", text, [group.name])
        if group.status in _FAILED:
            issues = [] if update is not None else [Issue("InternalFailure", text, [group.name])]
            group.status, group.issues = _FAILED[group.status], issues

    async def watch(self, cluster: Cluster) -> bool:
        """Replace what is missing, and find out whether new groups are ready; True while one is on its way."""
        busy = False
        for group in list(cluster.nodegroups.values()):
            if group.status in _WATCHED and group.launch_template_version and not self._locks[group.arn].locked():
                async with self._locks[group.arn]:
                    if group.status in _WATCHED:
                        await self._watch(cluster, group)
            busy = busy or group.status in ("CREATING", "UPDATING", "DELETING")
        return busy

    async def _watch(self, cluster: Cluster, group: Nodegroup) -> None:
        before = (group.status, list(group.issues))
        try:
            present = await self._keep_size(cluster, group)
            group.issues = [one for one in group.issues if one.code != "AsgInstanceLaunchFailures"]
            if group.status in ("CREATING", "DEGRADED"):
                await self._judge(cluster, group, present)
        except ClientError as error:
            details = error.response["Error"]
            text = f"Could not launch instances. {details['Code']} - {details['Message']}"
            group.issues = [Issue("AsgInstanceLaunchFailures", text, [group.auto_scaling_group])]
            self._check_deadline(group, [])
        except KubeError as error:
            LOG.warning("%s: %s", group.arn, error)
            self._check_deadline(group, [])
        except Exception:
            # The others need the round all the same, and this one its deadline.
            LOG.exception("looking after %s", group.arn)
            self._check_deadline(group, [])
        if (group.status, group.issues) != before:
            LOG.info("%s is %s %s", group.arn, group.status, [issue.message for issue in group.issues])
            self._context.store.save(cluster)

    async def _keep_size(self, cluster: Cluster, group: Nodegroup) -> list[dict[str, Any]]:
        instances = self._instances(cluster, group)
        present = await instances.find()
        if len(present) > group.desired_size:
            surplus = present[group.desired_size :]
            await self._end(cluster, group, [one["InstanceId"] for one in surplus])
        missing = group.desired_size - len(present)
        for _ in range(missing):
            await instances.launch(present)
            present = await instances.find()
        return present[: group.desired_size]

    async def _judge(self, cluster: Cluster, group: Nodegroup, present: list[dict[str, Any]]) -> None:
        found = await nodes.of_group(self._context.kube(cluster), group)
        wanted = [one["InstanceId"] for one in present]
        unready = [one for one in wanted if one not in found or not nodes.is_ready(found[one])]
        if not unready:
            group.status, group.issues, group.modified_at = "ACTIVE", [], now()
        else:
            self._check_deadline(group, unready)

    def _check_deadline(self, group: Nodegroup, unready: list[str]) -> None:
        late = now() - group.created_at > self._context.timings.nodegroup_deadline_seconds
        if late and group.status == "CREATING":
            group.status = "CREATE_FAILED"
            if not group.issues:
                text = "Instances failed to join the kubernetes cluster"
                group.issues = [Issue("NodeCreationFailure", text, unready)]

    async def _mark(
        self, cluster: Cluster, group: Nodegroup, old_labels: dict[str, str], old_taints: list[Taint]
    ) -> None:
        kube = self._context.kube(cluster)
        for node in (await nodes.of_group(kube, group)).values():
            await nodes.retaint(kube, node, old_taints, group.taints)
            await nodes.relabel(kube, node, old_labels, group.labels)

    async def _end(self, cluster: Cluster, group: Nodegroup, instance_ids: list[str]) -> None:
        if instance_ids:
            try:
                kube = self._context.kube(cluster)
                found = await nodes.of_group(kube, group)
                names = [found[one]["metadata"]["name"] for one in instance_ids if one in found]
                await nodes.drain(kube, names, self._context.timings.drain_seconds)
            except KubeError as error:
                LOG.warning("%s: ended without draining: %s", group.arn, error)
        await self._instances(cluster, group).terminate(instance_ids)

    def _instances(self, cluster: Cluster, group: Nodegroup) -> Instances:
        return Instances(self._context, cluster, group)
