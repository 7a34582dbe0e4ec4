"""Faults of a node on its way into a cluster, and when it is in one."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from sandbox.agent import node as nodes
from sandbox.faults.store import Faults
from tests.unit.sandbox.agent.boot.world import (
    NAME,
    Server,
    logged,
)
from tests.unit.waiting import HANGS_SECONDS, eventually


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


@pytest.mark.parametrize(
    ("kind", "values"), [("node-never-registers", {}), ("node-start-duration", {"seconds": str(time.time() + 3600)})]
)
async def test_a_machine_that_has_been_on_all_the_time_does_not_boot_again(
    server: Server, make: Any, faults: Faults, kind: str, values: dict[str, str]
) -> None:
    """The sandbox was started again, with a fault that was set after the kubelet had registered."""
    await asyncio.wait_for(make().run(), HANGS_SECONDS)
    await faults.set("1", kind, values)
    node = make()
    await asyncio.wait_for(node.run(), HANGS_SECONDS)
    assert node.registered


@pytest.mark.parametrize("before", ["switched off", "another instance's"])
async def test_a_machine_that_starts_boots_although_its_node_is_there(
    server: Server, make: Any, faults: Faults, before: str
) -> None:
    await asyncio.wait_for(make().run(), HANGS_SECONDS)
    assert server.node is not None
    server.lease = {"spec": {"holderIdentity": "kwok", "leaseDurationSeconds": 40}}
    if before == "switched off":
        server.lease["spec"] |= nodes.silent_lease(NAME)["spec"]
    else:
        server.node["spec"]["providerID"] = "aws:///us-west-2a/i-0"
    fault = await faults.set("1", "node-never-registers", {})
    node = make()
    booting = asyncio.create_task(node.run())
    await asyncio.sleep(0.3)
    assert not node.registered
    await faults.clear(fault.id)
    await asyncio.wait_for(booting, HANGS_SECONDS)
    assert node.registered
    assert server.lease["spec"]["leaseDurationSeconds"] == (1 if before == "switched off" else 40)


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
