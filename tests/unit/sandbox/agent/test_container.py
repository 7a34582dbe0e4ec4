"""A container as a real process: started, crashed, started again, probed, stopped."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from sandbox.agent import hostname
from sandbox.agent.backoff import Backoff
from sandbox.agent.container import Container, Launch, NotYetError
from sandbox.agent.podstatus import ContainerState
from sandbox.process import Processes
from tests.unit.waiting import HANGS_SECONDS, eventually


class Pod:
    """The owner of one container."""

    policy, grace_seconds, title, pod_ip = "Always", 1.0, "p_ns(u)", "10.0.0.9"

    def __init__(self, *argv: str, ports: Mapping[int, int] | None = None) -> None:
        self.argv, self.ports = [sys.executable, "-c", *argv], ports or {}
        self.refusals: list[NotYetError] = []
        self.events: list[tuple[str, str]] = []
        self.container: Container | None = None
        self.seen: list[str] = []
        self._changed = asyncio.Condition()

    async def launch(self, container: Mapping[str, Any]) -> Launch:
        if self.refusals:
            raise self.refusals.pop(0)
        return Launch(self.argv, {"HOSTNAME": "pod-1"}, self.ports)

    def changed(self) -> None:
        assert self.container is not None
        state = self.container.state.state
        kind = next(iter(state))
        self.seen.append(state["waiting"]["reason"] if kind == "waiting" else kind)

    def record(self, kind: str, reason: str, message: str) -> None:
        self.events.append((reason, message))


@pytest.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    started = Processes(tmp_path)
    yield started
    await started.stop_all(grace_seconds=1.0)


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


def contained(
    pod: Pod, processes: Processes, session: aiohttp.ClientSession, spec: dict[str, Any] | None = None
) -> Container:
    whole = {"name": "controller", "image": "karpenter/controller:1", **(spec or {})}
    state = ContainerState("controller", "karpenter/controller:1")
    backoff = Backoff(
        base=0.2, cap=300.0
    )  # as long as it is remembered by the kubelet, however slowly containers start
    pod.container = Container(whole, state, pod, processes, session, backoff, lambda number: f"pods/p/{number}")
    return pod.container


async def test_a_crash_is_followed_by_restarts_with_back_off(
    processes: Processes, session: aiohttp.ClientSession
) -> None:
    pod = Pod("print('hello', flush=True); raise SystemExit(3)")
    container = contained(pod, processes, session)
    running = asyncio.create_task(container.run())
    await eventually(lambda: container.state.restarts >= 2)
    await container.stop(1.0)
    await asyncio.wait_for(running, HANGS_SECONDS)
    assert pod.seen[:6] == ["running", "terminated", "running", "terminated", "CrashLoopBackOff", "running"]
    assert container.state.last_state["terminated"]["exitCode"] == 3
    assert any(reason == "BackOff" for reason, _ in pod.events)
    previous = container.log_path(previous=True)
    assert previous is not None
    assert previous.read_text(encoding="utf-8") == "hello\n"


async def test_a_process_that_is_killed_shows_the_signal(processes: Processes, session: aiohttp.ClientSession) -> None:
    pod = Pod("import time; time.sleep(60)")
    pod.policy = "Never"
    container = contained(pod, processes, session)
    running = asyncio.create_task(container.run())
    await eventually(lambda: container.state.running)
    os.kill(processes.children["pods/p/0"].pid, 9)
    await asyncio.wait_for(running, HANGS_SECONDS)
    assert container.state.state["terminated"]["exitCode"] == 137
    assert pod.seen == ["running", "terminated"]


async def test_stop_asks_before_it_kills(processes: Processes, session: aiohttp.ClientSession) -> None:
    pod = Pod(
        "import signal, sys, time; signal.signal(15, lambda *_: sys.exit(0)); print(1, flush=True); time.sleep(60)"
    )
    container = contained(pod, processes, session)
    running = asyncio.create_task(container.run())
    await eventually(lambda: bool((log := container.log_path(previous=False)) and log.stat().st_size))
    await container.stop(5.0)
    await asyncio.wait_for(running, HANGS_SECONDS)
    assert container.state.state["terminated"]["exitCode"] == 0


async def test_what_cannot_start_waits_and_says_why(processes: Processes, session: aiohttp.ClientSession) -> None:
    pod = Pod("import time; time.sleep(60)")
    pod.refusals = [NotYetError("ErrImagePull", "not found"), NotYetError("CreateContainerConfigError", "no secret")]
    container = contained(pod, processes, session)
    running = asyncio.create_task(container.run())
    await eventually(lambda: container.state.running)
    assert pod.seen == ["ErrImagePull", "CreateContainerConfigError", "running"]
    assert container.state.restarts == 0
    await container.stop(0.1)
    await asyncio.wait_for(running, HANGS_SECONDS)


async def test_probes_make_it_ready_and_have_it_restarted(processes: Processes, session: aiohttp.ClientSession) -> None:
    sick = asyncio.Event()

    async def health(request: web.Request) -> web.Response:
        return web.Response(status=500 if sick.is_set() else 200)

    application = web.Application()
    application.router.add_get("/", health)
    async with TestServer(application) as server:
        pod = Pod("import time; time.sleep(60)", ports={8081: server.port or 0})
        probe = {"httpGet": {"port": 8081, "path": "/"}, "periodSeconds": 0.05}
        spec = {
            "readinessProbe": probe | {"failureThreshold": 1},
            "livenessProbe": probe | {"failureThreshold": 10, "terminationGracePeriodSeconds": 1},
        }
        container = contained(pod, processes, session, spec)
        running = asyncio.create_task(container.run())
        await eventually(lambda: container.state.ready)
        sick.set()
        await eventually(lambda: not container.state.ready and container.state.running)
        await eventually(lambda: container.state.restarts >= 1)
        sick.clear()
        await eventually(lambda: container.state.ready)
        assert ("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 500") in pod.events
        assert ("Killing", "Container controller failed liveness probe, will be restarted") in pod.events
        await container.stop(1.0)
        await asyncio.wait_for(running, HANGS_SECONDS)


def test_a_program_sees_the_name_of_its_pod_where_the_kernel_allows_it() -> None:
    argv = [sys.executable, "-I", hostname.__file__, "pod-1", sys.executable, "-c"]
    code = "import os, socket, sys; print(socket.gethostname(), os.geteuid(), sys.argv[1])"
    done = subprocess.run([*argv, code, "argument"], capture_output=True, text=True, check=True, timeout=HANGS_SECONDS)
    name, user, argument = done.stdout.split()
    assert name in ("pod-1", socket.gethostname())
    assert (int(user), argument) == (os.geteuid(), "argument")
