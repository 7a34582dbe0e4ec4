"""The kubelet's API as an API server asks it, and the stand-in for the pod identity agent."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web

from sandbox.agent.kubelet import Kubelet
from sandbox.agent.linklocal import LinkLocal
from sandbox.agent.pods import Known, Pods
from sandbox.agent.podstatus import ContainerState
from sandbox.controlplane import pki
from sandbox.controlplane.pki import Pair, Pki

RUNS = Known("u1", "kube-system", "karpenter-1", "node-a", ("controller",), None, True, "10.0.0.9")
PLAYED = Known("u2", "default", "inflate-1", "node-b", ("inflate",), None, True, "100.64.0.2")


class FakePods:
    """Two pods: one runs as a process, the other is only played."""

    def __init__(self, log: Path) -> None:
        def log_path(*, previous: bool) -> Path | None:
            return None if previous else log

        state = ContainerState("controller", "i").runs("t", first=True, probed=False).ended("t", 0)
        container = SimpleNamespace(spec={"name": "controller"}, state=state, log_path=log_path)
        self._runner = SimpleNamespace(containers=[container])

    def find(self, namespace: str, name: str) -> tuple[Known, Any] | None:
        known = next((known for known in (RUNS, PLAYED) if (known.namespace, known.name) == (namespace, name)), None)
        return None if known is None else (known, self._runner if known is RUNS else None)

    def on(self, node: str) -> list[Known]:
        return [known for known in (RUNS, PLAYED) if known.node == node]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    folder = tmp_path_factory.mktemp("pki")
    return pki.create(folder, "10.100.0.0/16")


def client(pair: Pair | None) -> ssl.SSLContext:
    """As the API server: it shows its certificate and does not check the kubelet's."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if pair is not None:
        context.load_cert_chain(pair.certificate, pair.key)
    return context


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


@pytest.fixture
async def ports(keys: Pki, tmp_path: Path) -> AsyncIterator[dict[str, int]]:
    log = tmp_path / "0.log"
    log.write_text("one\ntwo\n", encoding="utf-8")
    kubelet = Kubelet(cast(Pods, FakePods(log)), keys.ca.pem)
    await kubelet.start()
    yield {node: await kubelet.add(node) for node in ("node-a", "node-b")}
    await kubelet.stop()


LOGS = "/containerLogs/kube-system/karpenter-1/controller"


@pytest.mark.parametrize(
    ("node", "path", "status", "text"),
    [
        ("node-a", LOGS, 200, "one\ntwo\n"),
        ("node-a", f"{LOGS}?tailLines=1", 200, "two\n"),
        ("node-a", f"{LOGS}?follow=true", 200, "one\ntwo\n"),
        ("node-a", f"{LOGS}?previous=true", 400, "previous terminated container"),
        ("node-a", f"{LOGS}?tailLines=x", 400, "invalid literal"),
        ("node-a", "/containerLogs/kube-system/karpenter-1/other", 404, 'container "other" not found'),
        ("node-a", "/containerLogs/kube-system/none/controller", 404, 'pod "none" not found'),
        ("node-b", LOGS, 404, 'pod "karpenter-1" not found'),
        ("node-b", "/containerLogs/default/inflate-1/inflate", 200, ""),
        ("node-b", "/pods", 200, '"inflate-1"'),
        ("node-a", "/exec/kube-system/karpenter-1/controller", 404, ""),
    ],
)
async def test_the_api_server_is_answered_for_one_node(
    keys: Pki, ports: dict[str, int], session: aiohttp.ClientSession, node: str, path: str, status: int, text: str
) -> None:
    url = f"https://127.0.0.1:{ports[node]}{path}"
    async with session.get(url, ssl=client(keys.kubelet_client)) as response:
        assert response.status == status
        assert text in await response.text()


async def test_nobody_else_is_answered(
    keys: Pki, tmp_path: Path, ports: dict[str, int], session: aiohttp.ClientSession
) -> None:
    stranger = pki.create(tmp_path / "other", "10.100.0.0/16")
    for pair in (None, stranger.kubelet_client):
        with pytest.raises((aiohttp.ClientError, ssl.SSLError, ConnectionError)):
            async with session.get(f"https://127.0.0.1:{ports['node-a']}/healthz", ssl=client(pair)) as response:
                await response.read()


async def test_a_node_that_left_is_not_answered_for(keys: Pki, session: aiohttp.ClientSession, tmp_path: Path) -> None:
    kubelet = Kubelet(cast(Pods, FakePods(tmp_path)), keys.ca.pem)
    await kubelet.start()
    port = await kubelet.add("node-a")
    await kubelet.remove("node-a")
    with pytest.raises(aiohttp.ClientConnectorError):
        await session.get(f"https://127.0.0.1:{port}/healthz", ssl=client(keys.kubelet_client))
    await kubelet.stop()


async def test_credentials_come_through_the_agent_on_the_node_only(session: aiohttp.ClientSession) -> None:
    async def credentials(request: web.Request) -> web.Response:
        return web.json_response({"token": request.headers.get("Authorization"), "path": request.path}, status=201)

    app = web.Application()
    app.router.add_get("/{tail:.*}", credentials)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    target = f"http://127.0.0.1:{runner.addresses[0][1]}/v1/pod-identity/1/r/demo/credentials"
    ready = {"node-a"}
    link_local = LinkLocal(session, lambda node: node in ready, target)
    await link_local.start()
    async with session.get(link_local.url("node-a"), headers={"Authorization": "token"}) as response:
        assert response.status == 201
        assert await response.json() == {"token": "token", "path": "/v1/pod-identity/1/r/demo/credentials"}
    with pytest.raises(aiohttp.ClientConnectionError):
        await session.get(link_local.url("node-b"))
    await runner.cleanup()
    async with session.get(link_local.url("node-a")) as response:
        assert response.status == 502
    await link_local.stop()
