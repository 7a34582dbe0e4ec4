"""The pods of a cluster: those that run as processes get a runner, the others are known by name only."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import images
from .boot import Node
from .kube import KubeApi
from .network import Addresses
from .podrunner import PodRunner, Site

#: DaemonSets whose pods make a node able to do something.
POD_IDENTITY_AGENT = "eks-pod-identity-agent"
NETWORK_PLUGIN = "aws-node"
_POWER_OFF_GRACE_SECONDS = 10.0


@dataclass(frozen=True)
class Known:
    """A pod bound to a node: enough to answer for it."""

    uid: str
    namespace: str
    name: str
    node: str
    containers: tuple[str, ...]
    daemon_set: str | None
    ready: bool
    ip: str


def _known(pod: Mapping[str, Any]) -> Known:
    metadata, status = pod["metadata"], pod.get("status") or {}
    owners = metadata.get("ownerReferences") or ()
    conditions = status.get("conditions") or ()
    return Known(
        uid=metadata["uid"],
        namespace=metadata["namespace"],
        name=metadata["name"],
        node=pod["spec"].get("nodeName", ""),
        containers=tuple(container["name"] for container in pod["spec"]["containers"]),
        daemon_set=next((owner["name"] for owner in owners if owner["kind"] == "DaemonSet"), None),
        ready=any(c["type"] == "Ready" and c["status"] == "True" for c in conditions),
        ip=status.get("podIP", ""),
    )


class Pods:
    """Follows the cluster's pods. ``node(name)`` gives a registered node, ``subnet(node)`` its IPv4 range."""

    def __init__(
        self,
        admin: KubeApi,
        site: Site,
        node: Callable[[str], Node | None],
        subnet: Callable[[Node], str],
        instance_addresses: Callable[[], set[str]],
    ) -> None:
        self._admin, self._site = admin, site
        self._node, self._subnet, self._instance_addresses = node, subnet, instance_addresses
        self._addresses = Addresses()
        self._known: dict[str, Known] = {}
        self._objects: dict[str, dict[str, Any]] = {}
        self._waiting: set[str] = set()
        self._runners: dict[str, tuple[PodRunner, asyncio.Task[None]]] = {}

    async def run(self) -> None:
        """Follow the pods until cancelled."""
        async for kind, item in self._admin.follow("/api/v1/pods", fieldSelector="spec.nodeName!="):
            if kind == "SYNC":
                await self._synchronise(item.get("items") or [])
            elif kind == "DELETED":
                await self._gone(item["metadata"]["uid"])
            else:
                self._seen(item)

    async def _synchronise(self, pods: list[dict[str, Any]]) -> None:
        present = {pod["metadata"]["uid"] for pod in pods}
        for uid in (self._known.keys() | self._runners.keys()) - present:
            await self._gone(uid)
        for pod in pods:
            self._seen(pod)

    def _seen(self, pod: dict[str, Any]) -> None:
        known = _known(pod)
        self._known[known.uid] = known
        if not images.pod_is_process(pod):
            return
        self._objects[known.uid] = pod
        held = self._runners.get(known.uid)
        metadata = pod["metadata"]
        if held is None:
            self._waiting.add(known.uid)
            self._start(known.uid)
        elif metadata.get("deletionTimestamp"):
            held[0].delete(float(metadata.get("deletionGracePeriodSeconds") or 0))

    def node_registered(self) -> None:
        """A node is there now: start what waits for it."""
        for uid in list(self._waiting):
            self._start(uid)

    def _start(self, uid: str) -> None:
        pod = self._objects[uid]
        node = self._node(pod["spec"]["nodeName"])
        phase = (pod.get("status") or {}).get("phase")
        if phase in ("Succeeded", "Failed") and not pod["metadata"].get("deletionTimestamp"):
            self._waiting.discard(uid)
        elif node is not None:
            self._waiting.discard(uid)
            runner = PodRunner(pod, node, self._address(pod, node), self._site)
            self._runners[uid] = (runner, asyncio.create_task(self._run(runner), name=f"pod {runner.title}"))
            if pod["metadata"].get("deletionTimestamp"):
                runner.delete(float(pod["metadata"].get("deletionGracePeriodSeconds") or 0))

    async def _run(self, runner: PodRunner) -> None:
        try:
            await runner.run()
        finally:
            self._addresses.release(runner.uid)

    def _address(self, pod: Mapping[str, Any], node: Node) -> str:
        if pod["spec"].get("hostNetwork"):
            return node.machine.instance.private_ip
        uid, former = pod["metadata"]["uid"], (pod.get("status") or {}).get("podIP")
        if former:
            self._addresses.adopt(uid, former)
            return str(former)
        in_use = self._instance_addresses() | {known.ip for known in self._known.values()}
        return self._addresses.take(uid, self._subnet(node), in_use)

    async def _gone(self, uid: str) -> None:
        self._known.pop(uid, None)
        self._objects.pop(uid, None)
        self._waiting.discard(uid)
        held = self._runners.pop(uid, None)
        if held is not None:
            await _end(*held, grace_seconds=held[0].grace_seconds)

    async def node_gone(self, name: str) -> None:
        """The instance is off: its processes end.

        The pods' objects stay, for the pod garbage collector or for the instance's next start.
        """
        held = {uid: entry for uid, entry in self._runners.items() if entry[0].node.name == name}
        for uid in held:
            del self._runners[uid]
        await asyncio.gather(*(_end(*entry, grace_seconds=_POWER_OFF_GRACE_SECONDS) for entry in held.values()))
        self._waiting |= held.keys() & self._objects.keys()

    async def stop(self) -> None:
        """End all processes."""
        held, self._runners = list(self._runners.values()), {}
        await asyncio.gather(*(_end(*entry, grace_seconds=_POWER_OFF_GRACE_SECONDS) for entry in held))

    def report(self, namespace: str, name: str) -> bool:
        """Let a pod that runs as processes report its status; False for a pod that does not."""
        found = self.find(namespace, name)
        if found is None or found[1] is None:
            return False
        found[1].changed()
        return True

    # --- questions of others

    @property
    def runners(self) -> list[PodRunner]:
        """The pods that run as processes."""
        return [runner for runner, _ in self._runners.values()]

    def find(self, namespace: str, name: str) -> tuple[Known, PodRunner | None] | None:
        """A pod by name, with its runner when it runs as processes."""
        for known in self._known.values():
            if (known.namespace, known.name) == (namespace, name):
                held = self._runners.get(known.uid)
                return known, held[0] if held else None
        return None

    def on(self, node: str) -> list[Known]:
        """The pods of a node."""
        return [known for known in self._known.values() if known.node == node]

    def daemon_ready(self, daemon_set: str, node: str) -> bool:
        """Whether a Ready pod of the DaemonSet runs on the node."""
        return any(k.ready and k.daemon_set == daemon_set and k.node == node for k in self._known.values())


async def _end(runner: PodRunner, task: asyncio.Task[None], *, grace_seconds: float) -> None:
    if not task.done():
        await runner.abandon(grace_seconds)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
