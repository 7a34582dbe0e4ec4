"""The webhook that keeps pods from being ready: when it is registered, and what it answers."""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest

from sandbox.agent.instance import Instance
from sandbox.agent.unready import UnreadyPods
from sandbox.contracts import ClusterKey
from sandbox.faults.store import Faults

INSTANCE = Instance("i-1", "running", "ami-1", "m5.large", "us-west-2a", "subnet-1", "10.0.0.7", "n1", None, 0.0, None)
NODES = {"n1": INSTANCE, "n2": replace(INSTANCE, id="i-2", image_id="ami-2")}


class Server:
    """Keeps webhooks and pods."""

    def __init__(self) -> None:
        self.configuration: dict[str, Any] | None = None
        self.pods: list[dict[str, Any]] = []
        self.patched: list[str] = []

    async def create(self, path: str, body: dict[str, Any]) -> None:
        assert self.configuration is None
        self.configuration = body

    async def delete(self, path: str) -> None:
        self.configuration = None

    async def get(self, path: str) -> dict[str, Any]:
        return {"items": self.pods}

    async def patch(self, path: str, body: dict[str, Any], content_type: str) -> None:
        self.patched.append(path)


def pod(node: str = "n1", ready: str = "True", name: str = "p") -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"nodeName": node},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]},
    }


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def faults(tmp_path: Path) -> Faults:
    return Faults()


@pytest.fixture
async def unready(server: Server, faults: Faults, tmp_path: Path) -> AsyncIterator[UnreadyPods]:
    key = ClusterKey("1", "us-west-2", "demo")
    found = UnreadyPods(key, cast(Any, server), faults, tmp_path, NODES.get, lambda _, name: name == "process")
    yield found
    await found.stop()


async def ask(server: Server, of: dict[str, Any]) -> list[dict[str, Any]]:
    """What the registered webhook would change."""
    assert server.configuration is not None
    [hook] = server.configuration["webhooks"]
    authority = base64.b64decode(hook["clientConfig"]["caBundle"]).decode()
    review = {"apiVersion": "admission.k8s.io/v1", "request": {"uid": "u", "object": of}}
    tls = ssl.create_default_context(cadata=authority)
    url = hook["clientConfig"]["url"]
    async with aiohttp.ClientSession() as session, session.post(url, json=review, ssl=tls) as answer:
        response = (await answer.json())["response"]
    assert (response["uid"], response["allowed"]) == ("u", True)
    found: list[dict[str, Any]] = json.loads(base64.b64decode(response.get("patch", "W10=")))
    return found


async def test_the_webhook_is_there_while_a_fault_concerns_the_cluster(
    server: Server, faults: Faults, unready: UnreadyPods
) -> None:
    await faults.set("1", "pods-never-ready", {"pods": "app=web", "cluster": "other"})
    await unready.synchronise()
    assert server.configuration is None
    fault = await faults.set("1", "pods-never-ready", {"pods": "app=web", "image": "ami-1"})
    await unready.synchronise()
    assert server.configuration is not None
    [hook] = server.configuration["webhooks"]
    assert hook["objectSelector"] == {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}
    assert hook["rules"][0]["resources"] == ["pods/status"]
    await faults.clear(fault.id)
    await unready.synchronise()
    assert server.configuration is None


@pytest.mark.parametrize(
    ("selectors", "of", "held"),
    [
        ({"image": "ami-1"}, pod(), True),
        ({"image": "ami-1"}, pod("n2"), False),
        ({"image": "ami-1"}, pod("elsewhere"), False),
        ({"namespace": "kube-*"}, pod(), False),
        ({"cluster": "demo", "namespace": "default"}, pod(), True),
        ({}, pod(ready="False"), False),
    ],
)
async def test_it_takes_readiness_from_pods_on_the_nodes_concerned(
    server: Server, faults: Faults, unready: UnreadyPods, selectors: dict[str, str], of: dict[str, Any], held: bool
) -> None:
    await faults.set("1", "pods-never-ready", {"pods": "app=web"} | selectors)
    await unready.synchronise()
    assert [one["path"] for one in await ask(server, of)] == (["/status/conditions/0"] if held else [])


async def test_a_cleared_fault_gives_readiness_back(server: Server, faults: Faults, unready: UnreadyPods) -> None:
    fault = await faults.set("1", "pods-never-ready", {"pods": "app=web", "image": "ami-1"})
    server.pods = [pod(ready="False", name="held"), pod("n2", "False", "other"), pod(name="ready")]
    server.pods.append(pod(ready="False", name="process"))
    await faults.clear(fault.id)
    await unready.release(fault)
    assert server.patched == ["/api/v1/namespaces/default/pods/held/status"]
