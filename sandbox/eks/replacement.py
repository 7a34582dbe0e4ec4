"""Replaces the nodes of a managed node group by nodes of another image, one after the other.

https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html

EKS scales up by more nodes at first than are needed, and waits a minute after each drain for load balancers; here each
old node gets its new one when it is its turn.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import Any

from botocore.exceptions import ClientError

from sandbox.eks import nodes
from sandbox.eks.context import LOG, Context
from sandbox.eks.instances import Instances
from sandbox.eks.kube import Kube, KubeError
from sandbox.eks.model import Cluster, Nodegroup
from sandbox.eks.nodegroupmake import FIELDS, Make

_MOST_AT_ONCE = 100


@dataclass(frozen=True)
class Target:
    """What a group is to become; ``force`` deletes pods that a disruption budget keeps."""

    version: str
    make: Make
    force: bool = False


class ReplacementError(Exception):
    """The replacement did not work; ``code`` as EKS names it."""

    def __init__(self, code: str, message: str, resource_ids: list[str]) -> None:
        super().__init__(message)
        self.code, self.message, self.resource_ids = code, message, resource_ids


class Replacement:
    """One update of one group, which nobody else touches meanwhile."""

    def __init__(self, context: Context, cluster: Cluster, group: Nodegroup, target: Target | None) -> None:
        """Without a target it goes on with what the group is already, which a stop broke off."""
        self._context, self._cluster, self._group, self._target = context, cluster, group, target
        self._instances = Instances(context, cluster, group)

    async def run(self) -> None:
        """Return when all nodes are of the target. Raises ReplacementError; then the group is as it was."""
        group, target = self._group, self._target
        former = replace(group)
        if target is not None:
            group.version = target.version
            target.make.give(group)
        try:
            await self._instances.renew_template()
            self._context.store.save(self._cluster)
            await self._replace()
        except (ReplacementError, ClientError, KubeError) as error:
            for name in (*FIELDS, "version", "launch_template_version"):
                setattr(group, name, getattr(former, name))
            await self._undo()
            if isinstance(error, ReplacementError):
                raise
            raise ReplacementError("Unknown", str(error), [group.name]) from error

    async def _replace(self) -> None:
        """The default strategy launches before it ends, the minimal one after."""
        minimal = self._group.update_config.get("updateStrategy") == "MINIMAL"
        first = True
        while old := [one for one in await self._instances.find() if not self._is_new(one)]:
            batch = old[: self._at_once()]
            if not minimal:
                await self._launch_for(batch)
            if first:
                await nodes.retire(self._kube, await self._names(old))
                first = False
            await self._drain(batch)
            await self._instances.terminate([one["InstanceId"] for one in batch])
            if minimal:
                await self._launch_for(batch)

    def _at_once(self) -> int:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupUpdateConfig.html."""
        config = self._group.update_config
        if "maxUnavailablePercentage" in config:
            return max(1, self._group.desired_size * int(config["maxUnavailablePercentage"]) // 100)
        return min(_MOST_AT_ONCE, int(config.get("maxUnavailable", 1)))

    async def _launch_for(self, batch: list[dict[str, Any]]) -> None:
        """Launch a new instance for each of ``batch``, in its subnet, and wait until all new nodes are ready."""
        deadline = time.monotonic() + self._context.timings.nodegroup_deadline_seconds
        present = await self._instances.find()
        wanted = sum(map(self._is_new, present)) + len(batch)
        for one in batch:
            await self._launch(one["SubnetId"], deadline)
        while True:
            new = [one["InstanceId"] for one in await self._instances.find() if self._is_new(one)]
            found = await nodes.of_group(self._kube, self._group)
            unready = [one for one in new if one not in found or not nodes.is_ready(found[one])]
            if len(new) >= wanted and not unready:
                return
            if time.monotonic() >= deadline:
                text = "Couldn't proceed with upgrade process as new nodes are not joining node group"
                raise ReplacementError("NodeCreationFailure", f"{text} {self._group.name}", unready)
            await asyncio.sleep(self._context.timings.busy_seconds)

    async def _launch(self, subnet: str, deadline: float) -> None:
        """An Auto Scaling group tries again and again; what EC2 says in the end is what the update says."""
        while True:
            try:
                await self._instances.launch([], first=subnet)
                return
            except ClientError as error:
                if time.monotonic() >= deadline:
                    raise ReplacementError("NodeCreationFailure", str(error), [self._group.name]) from error
            await asyncio.sleep(self._context.timings.busy_seconds)

    async def _drain(self, batch: list[dict[str, Any]]) -> None:
        names = await self._names(batch)
        left = await nodes.drain(self._kube, names, self._context.timings.eviction_seconds)
        if not left:
            return
        if self._target is None or not self._target.force:
            text = f"Reached max retries while trying to evict pods from nodes in node group {self._group.name}"
            raise ReplacementError("PodEvictionFailure", text, names)
        LOG.warning("%s: pods are deleted by force: %s", self._group.arn, left)
        for path in left:
            await self._kube.delete(path)

    async def _undo(self) -> None:
        """Let the old nodes work on and end the new ones; what fails here is looked after later."""
        try:
            present = await self._instances.find()
            old = [one for one in present if self._is_new(one)]
            await nodes.reinstate(self._kube, await self._names(old))
            new = [one for one in present if not self._is_new(one)]
            await nodes.drain(self._kube, await self._names(new), self._context.timings.drain_seconds)
            await self._instances.terminate([one["InstanceId"] for one in new])
        except (ClientError, KubeError):
            LOG.exception("%s: rolling back", self._group.arn)

    def _is_new(self, instance: dict[str, Any]) -> bool:
        """Whether the instance was launched from the version of the launch template that the group has now."""
        tags = {tag["Key"]: tag["Value"] for tag in instance.get("Tags", [])}
        return tags.get("aws:ec2launchtemplate:version") == self._group.launch_template_version

    async def _names(self, instances: list[dict[str, Any]]) -> list[str]:
        found = await nodes.of_group(self._kube, self._group)
        ids = [one["InstanceId"] for one in instances]
        return [found[one]["metadata"]["name"] for one in ids if one in found]

    @property
    def _kube(self) -> Kube:
        return self._context.kube(self._cluster)
