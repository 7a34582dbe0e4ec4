"""A node's way into a cluster, against an API server that answers as told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web

from sandbox.agent import node as nodes
from sandbox.agent.boot import Machine, Node, Surroundings
from sandbox.agent.bootconfig import BootConfig
from sandbox.agent.capacity import Shape
from sandbox.agent.ec2 import Account
from sandbox.agent.families import Image
from sandbox.agent.identity import NodeIdentity
from sandbox.agent.instance import Instance
from sandbox.agent.kube import KubeApi, ca_context
from sandbox.agent.logfile import NodeLog
from sandbox.agent.nodefaults import NodeFaults
from sandbox.agent.settings import SettingsFile
from sandbox.controlplane import pki
from sandbox.faults.store import Faults
from tests.unit.waiting import HANGS_SECONDS, eventually

NAME = "ip-10-0-0-7.us-west-2.compute.internal"
INSTANCE = Instance("i-1", "running", "ami-1", "m5.large", "us-west-2a", "subnet-1", "10.0.0.7", NAME, None, 0.0, None)
IMAGE = Image.of("amazon-eks-node-al2023-x86_64-standard-1.36-v20261106")


class Server:
    """Keeps one node. ``refusals`` are the answers to the first attempts to register."""

    def __init__(self) -> None:
        self.node: dict[str, Any] | None = None
        self.refusals: list[tuple[int, str]] = []
        self.writers: list[str] = []
        self.url = ""

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/api/v1/nodes", self._create)
        app.router.add_get(f"/api/v1/nodes/{NAME}", self._get)
        app.router.add_patch(f"/api/v1/nodes/{NAME}", self._patch)
        app.router.add_patch(f"/api/v1/nodes/{NAME}/status", self._patch)
        app.router.add_delete(f"/api/v1/nodes/{NAME}", self._delete)
        return app

    async def _create(self, request: web.Request) -> web.Response:
        if self.refusals:
            status, message = self.refusals.pop(0)
            return web.json_response({"message": message, "reason": message.split()[0]}, status=status)
        if self.node is not None:
            return web.json_response({"message": "exists", "reason": "AlreadyExists"}, status=409)
        self.writers.append(request.headers["Authorization"])
        self.node = await request.json()
        self.node["metadata"]["resourceVersion"] = "1"
        return web.json_response(self.node, status=201)

    async def _get(self, _: web.Request) -> web.Response:
        return web.json_response(self.node)

    async def _patch(self, request: web.Request) -> web.Response:
        assert self.node is not None
        change = await request.json()
        self.writers.append(request.headers["Authorization"])
        self.node["metadata"]["labels"].update((change.get("metadata") or {}).get("labels") or {})
        for part in ("spec", "status"):
            self.node[part].update(change.get(part) or {})
        return web.json_response(self.node)

    async def _delete(self, _: web.Request) -> web.Response:
        self.node = None
        return web.json_response({})


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    kept = Server()
    runner = web.AppRunner(kept.app())
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    kept.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield kept
    await runner.cleanup()


@pytest.fixture(scope="module")
def ca_pem(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return pki.create(tmp_path_factory.mktemp("pki"), "10.100.0.0/16").ca.pem


class Facts(Account):
    """An account that knows what one instance needs."""

    def shape(self, instance_type: str) -> Shape:
        return Shape(2, 8192, "amd64", 3, 10)

    def disk_gib(self, volume_id: str | None) -> int:
        return 20

    def zone_id(self, zone: str) -> str | None:
        return "usw2-az1"


class Identity:
    """A node that has a role, or not."""

    def __init__(self) -> None:
        self.missing = 0

    async def token(self, cluster: str) -> str:
        if self.missing:
            self.missing -= 1
            raise LookupError("the instance has no instance profile")
        return f"node-of-{cluster}"


async def admin_token() -> str:
    return "admin"


@pytest.fixture
def faults(tmp_path: Path) -> Faults:
    return Faults()


async def recovered(node: str) -> None:
    """There are no pods."""


@pytest.fixture
async def make(server: Server, ca_pem: bytes, tmp_path: Path, faults: Faults) -> AsyncIterator[Any]:
    settings = tmp_path / "agent.json"
    settings.write_text('{"node_start_seconds": 0, "node_ready_seconds": 0}', encoding="utf-8")
    facts = Facts(cast(Any, None), "123456789012", "us-west-2")
    network = iter([False, True])
    async with aiohttp.ClientSession() as session:
        around = Surroundings(
            account=facts,
            session=session,
            admin=KubeApi(session, server.url, ca_context(ca_pem), admin_token),
            settings=SettingsFile(settings),
            network_ready=lambda _: asyncio.sleep(0, next(network, True)),
            registered=lambda: None,
            faults=NodeFaults(faults, "1"),
            recovered=recovered,
        )

        def made(identity: Identity | None = None, **config: Any) -> Node:
            values = {"cluster_name": "demo", "endpoint": server.url, "ca_pem": ca_pem} | config
            of = Machine(INSTANCE, IMAGE, BootConfig(**values))
            log = NodeLog(tmp_path / "i-1.log")
            return Node(of, cast(NodeIdentity, identity or Identity()), around, log)

        yield made
    facts.close()


def logged(tmp_path: Path) -> str:
    log = tmp_path / "i-1.log"
    return log.read_text(encoding="utf-8") if log.exists() else ""


async def test_kubelet_and_cloud_controller_do_their_parts(server: Server, make: Any, tmp_path: Path) -> None:
    await asyncio.wait_for(make().run(), HANGS_SECONDS)
    assert server.node is not None
    assert nodes.is_ready(server.node)
    assert server.node["spec"]["taints"] == []
    assert server.node["metadata"]["labels"]["topology.k8s.aws/zone-id"] == "usw2-az1"
    assert [entry["type"] for entry in server.node["status"]["addresses"]] == ["InternalIP", "InternalDNS", "Hostname"]
    assert server.writers == ["Bearer node-of-demo", "Bearer admin", "Bearer admin", "Bearer node-of-demo"]
    assert "cni plugin not initialized" in logged(tmp_path)


@pytest.mark.parametrize(
    ("refusals", "words"),
    [
        ([(401, "Unauthorized")], 'err="Unauthorized"'),
        ([(403, "Forbidden to set labels")], "Forbidden to set labels"),
        ([(500, "InternalError"), (503, "Unavailable")], "Unavailable"),
    ],
)
async def test_a_refused_kubelet_tries_again(
    server: Server, make: Any, tmp_path: Path, refusals: list[tuple[int, str]], words: str
) -> None:
    server.refusals = refusals
    await asyncio.wait_for(make().run(), HANGS_SECONDS)
    assert server.node is not None
    assert words in logged(tmp_path)


async def test_an_instance_without_a_role_waits_for_one(server: Server, make: Any, tmp_path: Path) -> None:
    identity = Identity()
    identity.missing = 2
    await asyncio.wait_for(make(identity).run(), HANGS_SECONDS)
    assert server.node is not None
    assert "the instance has no instance profile" in logged(tmp_path)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"ca_pem": b"no certificate"}, "unable to load root certificates"),
        ({"endpoint": "https://api.example.com"}, "lookup api.example.com"),
        ({"endpoint": "http://127.0.0.1:9"}, "connection refused"),
    ],
)
async def test_a_wrong_endpoint_or_authority_never_joins(
    server: Server, make: Any, tmp_path: Path, config: dict[str, Any], words: str
) -> None:
    running = asyncio.create_task(make(**config).run())
    await eventually(lambda: words in logged(tmp_path), words)
    assert not running.done()
    running.cancel()
    assert server.node is None


async def test_a_node_that_is_there_is_taken_up_as_it_is(server: Server, make: Any, tmp_path: Path) -> None:
    await asyncio.wait_for(make().run(), HANGS_SECONDS)
    written = len(server.writers)
    await asyncio.wait_for(make().run(), HANGS_SECONDS)
    assert "Node was previously registered" in logged(tmp_path)
    # The addresses are the one thing that the cloud controller manager repeats.
    assert server.writers[written:] == ["Bearer admin"]


async def test_the_node_of_an_ended_instance_is_deleted(server: Server, make: Any) -> None:
    node = make()
    await asyncio.wait_for(node.run(), HANGS_SECONDS)
    await node.remove()
    assert server.node is None


async def test_a_kubelet_that_never_registers_does_so_when_the_fault_is_cleared(
    server: Server, make: Any, faults: Faults, tmp_path: Path
) -> None:
    other = await faults.set("1", "node-never-registers", {"image": "ami-2"})
    fault = await faults.set("1", "node-never-registers", {"image": "ami-1", "capacity_type": "on-demand"})
    booting = asyncio.create_task(make().run())
    await eventually(lambda: (tmp_path / "i-1.log").exists())
    assert "kubelet.service failed to start" in logged(tmp_path)
    await faults.clear(other.id)
    await asyncio.sleep(0.1)
    assert server.node is None
    await faults.clear(fault.id)
    await asyncio.wait_for(booting, HANGS_SECONDS)
    assert server.node is not None


async def test_a_node_goes_not_ready_and_comes_back(server: Server, make: Any, faults: Faults, tmp_path: Path) -> None:
    node = make()
    await asyncio.wait_for(node.run(), HANGS_SECONDS)
    keeping = asyncio.create_task(node.keep())
    for _ in range(2):
        fault = await faults.set("1", "node-not-ready", {"image": "ami-1"})
        await eventually(lambda: not nodes.is_ready(server.node or {}))
        assert server.node is not None
        [ready] = [one for one in server.node["status"]["conditions"] if one["type"] == "Ready"]
        assert (ready["status"], ready["message"]) == ("False", "container runtime is down")
        assert server.node["spec"]["taints"] == []
        await faults.clear(fault.id)
        await eventually(lambda: nodes.is_ready(server.node or {}))
    keeping.cancel()


async def test_a_node_is_ready_for_a_while_before_it_is_not(server: Server, make: Any, faults: Faults) -> None:
    far = await faults.set("1", "node-not-ready", {"after_seconds": "3600"})
    node = make()
    await asyncio.wait_for(node.run(), HANGS_SECONDS)
    keeping = asyncio.create_task(node.keep())
    await asyncio.sleep(0.2)
    assert nodes.is_ready(server.node or {})
    await faults.clear(far.id)
    await faults.set("1", "node-not-ready", {"after_seconds": "0.1"})
    await eventually(lambda: not nodes.is_ready(server.node or {}))
    keeping.cancel()


async def test_the_start_takes_as_long_as_the_fault_says(server: Server, make: Any, faults: Faults) -> None:
    """The instance was launched long ago: its kubelet is due at once, or a little from now."""
    far = await faults.set("1", "node-start-duration", {"seconds": str(time.time() + 3600)})
    booting = asyncio.create_task(make().run())
    await asyncio.sleep(0.3)
    assert server.node is None
    await faults.clear(far.id)
    await asyncio.wait_for(booting, HANGS_SECONDS)
    assert server.node is not None
