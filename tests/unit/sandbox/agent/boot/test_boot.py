"""A node's way into a cluster, against an API server that answers as told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sandbox.agent import node as nodes
from tests.unit.sandbox.agent.boot.world import (
    Identity,
    Server,
    logged,
)
from tests.unit.waiting import HANGS_SECONDS, eventually


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
