"""The instances of one cluster: each is booted, shut down and forgotten in a task of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from .boot import Machine, Node
from .instance import ON, Instance
from .kube import KubeApi, KubeError

_SWEEP_LOOKS = 60
_LAST_PAUSE = 7.0


class Surrounding(Protocol):
    """What a node needs around it."""

    def make(self, machine: Machine) -> Node:
        """The node of a machine that has just been switched on."""
        ...

    async def switched_on(self, node: Node) -> None:
        """Before the node boots."""
        ...

    async def switched_off(self, node: Node) -> None:
        """The machine is off: end what runs on it."""
        ...


class Fleet:
    """Compares the account's instances with the nodes of one cluster."""

    def __init__(self, endpoint: str, cluster: str, admin: KubeApi, around: Surrounding) -> None:
        self._endpoint, self._cluster, self._admin, self._around = endpoint.rstrip("/"), cluster, admin, around
        self._nodes: dict[str, Node] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._looks = 0
        self.addresses: set[str] = set()

    @property
    def nodes(self) -> list[Node]:
        """The nodes whose machines are on."""
        return list(self._nodes.values())

    def registered(self, name: str) -> Node | None:
        """The node of this name, once its kubelet has registered."""
        return next((node for node in self._nodes.values() if node.name == name and node.registered), None)

    def _mine(self, machine: Machine) -> bool:
        """Where a kubelet knocks decides; one that knocks nowhere belongs to the cluster that it names."""
        return machine.config.endpoint == self._endpoint or machine.config.cluster_name == self._cluster

    async def update(self, instances: Mapping[str, Instance], machines: Mapping[str, Machine]) -> None:
        """The account's instances as they are now. Returns soon: what takes time goes on by itself."""
        self.addresses = {instance.private_ip for instance in instances.values()}
        for instance_id, machine in machines.items():
            if instances[instance_id].state in ON and instance_id not in self._nodes and self._mine(machine):
                self._switch_on(instance_id, machine)
        for instance_id, node in list(self._nodes.items()):
            instance = instances.get(instance_id)
            if instance is None or instance.state not in ON:
                self._switch_off(instance_id, gone=instance is None or instance.state == "shutting-down", node=node)
        if self._looks % _SWEEP_LOOKS == 0:
            self._spawn(self._sweep(set(instances)))
        self._looks += 1

    def _switch_on(self, instance_id: str, machine: Machine) -> None:
        node = self._nodes[instance_id] = self._around.make(machine)
        self._tasks[instance_id] = asyncio.create_task(self._life(node), name=f"boot {instance_id}")

    async def _life(self, node: Node) -> None:
        await self._around.switched_on(node)
        await node.run()
        await node.keep()

    def _switch_off(self, instance_id: str, *, gone: bool, node: Node) -> None:
        del self._nodes[instance_id]
        self._tasks.pop(instance_id).cancel()
        self._spawn(self._leave(node, gone=gone))

    async def _leave(self, node: Node, *, gone: bool) -> None:
        await self._around.switched_off(node)
        await _until_heard(node.remove if gone else node.mark_shut_down)

    async def _sweep(self, instances: set[str]) -> None:
        """Delete nodes whose instances ended while nobody looked."""
        try:
            listed = await self._admin.get("/api/v1/nodes")
            for item in listed.get("items") or ():
                provider_id = item["spec"].get("providerID", "")
                if provider_id.startswith("aws:///") and provider_id.rpartition("/")[2] not in instances:
                    await self._admin.delete(f"/api/v1/nodes/{item['metadata']['name']}")
        except KubeError:
            self._looks = 0  # once more with the next look

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def stop(self) -> None:
        """End every task; nodes stay as they are."""
        tasks = [*self._tasks.values(), *self._leaving]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _until_heard(step: Callable[[], Awaitable[None]]) -> None:
    """Repeat until the API server did it, or there is nothing to do it to."""
    pause = 0.2
    while True:
        try:
            await step()
            return
        except KubeError as error:
            if error.status == 404:
                return
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LAST_PAUSE)
