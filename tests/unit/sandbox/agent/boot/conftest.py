"""A node that boots, and the API server that it finds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web

from sandbox.agent.boot import Machine, Node, Surroundings
from sandbox.agent.bootconfig import BootConfig
from sandbox.agent.identity import NodeIdentity
from sandbox.agent.kube import KubeApi, ca_context
from sandbox.agent.logfile import NodeLog
from sandbox.agent.nodefaults import NodeFaults
from sandbox.agent.settings import SettingsFile
from sandbox.controlplane import pki
from sandbox.faults.store import Faults
from tests.unit.sandbox.agent.boot.world import (
    IMAGE,
    INSTANCE,
    Facts,
    Identity,
    Server,
    admin_token,
    recovered,
)


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


@pytest.fixture
def faults(tmp_path: Path) -> Faults:
    return Faults()


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
