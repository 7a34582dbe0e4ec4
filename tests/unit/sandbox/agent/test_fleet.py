"""Which instances are a cluster's, and what happens when they come, stop and go."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from sandbox.agent.boot import Machine, Node
from sandbox.agent.bootconfig import BootConfig
from sandbox.agent.families import Image
from sandbox.agent.fleet import Fleet
from sandbox.agent.instance import Instance
from sandbox.agent.kube import KubeApi, KubeError
from tests.unit.waiting import eventually

ENDPOINT = "https://127.0.0.1:6443"
INSTANCE = Instance("i-1", "running", "ami-1", "m5.large", "us-west-2a", "subnet-1", "10.0.0.7", "n1", None, 0.0, None)


def machine(endpoint: str = ENDPOINT, cluster: str = "demo") -> Machine:
    return Machine(INSTANCE, Image.of("x"), BootConfig(cluster, endpoint, b""))


class FakeNode:
    """Notes what was done to it; ``failures`` are raised one by one."""

    def __init__(self, of: Machine, did: list[str]) -> None:
        self.machine, self.name, self.registered, self._did = of, of.instance.private_dns, False, did
        self.failures: list[KubeError] = []

    async def run(self) -> None:
        self._did.append("booted")
        self.registered = True

    async def keep(self) -> None:
        await asyncio.Event().wait()

    async def _say(self, what: str) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self._did.append(what)

    async def remove(self) -> None:
        await self._say("removed")

    async def mark_shut_down(self) -> None:
        await self._say("marked")


class Around:
    def __init__(self) -> None:
        self.did: list[str] = []
        self.made: list[FakeNode] = []

    def make(self, of: Machine) -> Node:
        self.made.append(FakeNode(of, self.did))
        return cast(Node, self.made[-1])

    async def switched_on(self, node: Node) -> None:
        self.did.append("on")

    async def switched_off(self, node: Node) -> None:
        self.did.append("off")


class Admin:
    """An API server with nodes in it."""

    def __init__(self, **provider_ids: str) -> None:
        self.nodes, self.away, self.refused = provider_ids, False, 0

    async def get(self, path: str) -> dict[str, Any]:
        if self.away:
            self.refused += 1
            raise KubeError(0, "Unreachable", "away")
        items = [{"metadata": {"name": n}, "spec": {"providerID": p}} for n, p in self.nodes.items()]
        return {"items": items}

    async def delete(self, path: str) -> None:
        del self.nodes[path.rpartition("/")[2]]


def fleet(around: Around, admin: Admin | None = None) -> Fleet:
    return Fleet(ENDPOINT + "/", "demo", cast(KubeApi, admin or Admin()), around)


@pytest.mark.parametrize(
    ("of", "boots"),
    [
        (machine(), True),
        (machine(cluster="other"), True),
        (machine(endpoint="https://elsewhere"), True),
        (machine("https://127.0.0.1:7443", "other"), False),
    ],
)
async def test_endpoint_or_name_in_the_user_data_decide(of: Machine, boots: bool) -> None:
    around = Around()
    found = fleet(around)
    await found.update({"i-1": INSTANCE}, {"i-1": of})
    await (eventually(lambda: "booted" in around.did) if boots else asyncio.sleep(0.05))
    assert around.did == (["on", "booted"] if boots else [])
    assert (found.registered("n1") is not None) is boots
    await found.stop()


@pytest.mark.parametrize(
    ("state", "done"),
    [("stopping", "marked"), ("stopped", "marked"), ("shutting-down", "removed"), (None, "removed")],
)
async def test_an_instance_that_ends_takes_its_node_along(state: str | None, done: str) -> None:
    around = Around()
    found = fleet(around)
    await found.update({"i-1": INSTANCE}, {"i-1": machine()})
    await eventually(lambda: "booted" in around.did)
    around.made[0].failures = [KubeError(0, "Unreachable", "away"), KubeError(409, "Conflict", "again")]
    later = {"i-1": replace(INSTANCE, state=state)} if state else {}
    await found.update(later, {"i-1": machine()} if state else {})
    await eventually(lambda: around.did[-1] == done, done)
    assert around.did == ["on", "booted", "off", done]
    assert found.nodes == []
    await found.stop()


async def test_an_instance_that_starts_again_boots_again() -> None:
    around = Around()
    found = fleet(around)
    machines = {"i-1": machine()}
    for state, did in (("running", 2), ("stopped", 4), ("running", 6)):
        await found.update({"i-1": replace(INSTANCE, state=state)}, machines)
        await eventually(lambda did=did: len(around.did) >= did, state)
    assert around.did == ["on", "booted", "off", "marked", "on", "booted"]
    assert found.addresses == {"10.0.0.7"}
    await found.stop()


async def test_nodes_of_instances_that_nobody_saw_end_are_swept() -> None:
    admin = Admin(old="aws:///us-west-2a/i-0", kept="aws:///us-west-2a/i-1", other="kind://x")
    admin.away = True
    found = fleet(Around(), admin)
    await found.update({"i-1": INSTANCE}, {})
    await eventually(lambda: admin.refused)
    assert len(admin.nodes) == 3
    admin.away = False
    await found.update({"i-1": INSTANCE}, {})
    await eventually(lambda: len(admin.nodes) == 2)
    assert admin.nodes.keys() == {"kept", "other"}
    await found.stop()
