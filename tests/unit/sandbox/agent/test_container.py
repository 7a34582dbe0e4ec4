"""A container as a real process: started, crashed, started again, probed, stopped."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from sandbox.agent import hostname
from sandbox.agent.backoff import Backoff
from sandbox.agent.container import Container, Launch, NotYetError
from sandbox.agent.podstatus import ContainerState
from sandbox.process import Processes, free_port

HEALTH = """
import http.server, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(500 if os.path.exists(sys.argv[2]) else 200)
        self.end_headers()
    def log_message(self, *arguments):
        pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


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


async def until(met: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait for something that more than one process has a hand in; what it is shows in the failing assertion."""
    for _ in range(int(seconds / 0.02)):
        if met():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not come to that in time")


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
    backoff = Backoff(0.2, 0.4)
    pod.container = Container(whole, state, pod, processes, session, backoff, lambda number: f"pods/p/{number}")
    return pod.container


async def test_a_crash_is_followed_by_restarts_with_back_off(
    processes: Processes, session: aiohttp.ClientSession
) -> None:
    pod = Pod("print('hello', flush=True); raise SystemExit(3)")
    container = contained(pod, processes, session)
    running = asyncio.create_task(container.run())
    await until(lambda: container.state.restarts >= 2)
    await container.stop(1.0)
    await asyncio.wait_for(running, 5)
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
    await until(lambda: container.state.running)
    os.kill(processes.children["pods/p/0"].pid, 9)
    await asyncio.wait_for(running, 5)
    assert container.state.state["terminated"]["exitCode"] == 137
    assert pod.seen == ["running", "terminated"]


async def test_stop_asks_before_it_kills(processes: Processes, session: aiohttp.ClientSession) -> None:
    pod = Pod(
        "import signal, sys, time; signal.signal(15, lambda *_: sys.exit(0)); print(1, flush=True); time.sleep(60)"
    )
    container = contained(pod, processes, session)
    running = asyncio.create_task(container.run())
    await until(lambda: bool((log := container.log_path(previous=False)) and log.stat().st_size))
    await container.stop(5.0)
    await asyncio.wait_for(running, 5)
    assert container.state.state["terminated"]["exitCode"] == 0


async def test_what_cannot_start_waits_and_says_why(processes: Processes, session: aiohttp.ClientSession) -> None:
    pod = Pod("import time; time.sleep(60)")
    pod.refusals = [NotYetError("ErrImagePull", "not found"), NotYetError("CreateContainerConfigError", "no secret")]
    container = contained(pod, processes, session)
    running = asyncio.create_task(container.run())
    await until(lambda: container.state.running)
    assert pod.seen == ["ErrImagePull", "CreateContainerConfigError", "running"]
    assert container.state.restarts == 0
    await container.stop(0.1)
    await asyncio.wait_for(running, 5)


async def test_probes_make_it_ready_and_have_it_restarted(
    tmp_path: Path, processes: Processes, session: aiohttp.ClientSession
) -> None:
    sick, port = tmp_path / "sick", free_port()
    pod = Pod(HEALTH, str(port), str(sick), ports={8081: port})
    probe = {"httpGet": {"port": 8081, "path": "/"}, "periodSeconds": 0.1}
    spec = {
        "readinessProbe": probe | {"failureThreshold": 1},
        "livenessProbe": probe | {"failureThreshold": 25, "terminationGracePeriodSeconds": 1},
    }
    container = contained(pod, processes, session, spec)
    running = asyncio.create_task(container.run())
    await until(lambda: container.state.ready, 20.0)
    sick.touch()
    await until(lambda: not container.state.ready and container.state.running)
    await until(lambda: container.state.restarts == 1, 20.0)
    sick.unlink()
    await until(lambda: container.state.ready)
    assert ("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 500") in pod.events
    assert ("Killing", "Container controller failed liveness probe, will be restarted") in pod.events
    await container.stop(1.0)
    await asyncio.wait_for(running, 5)


def test_a_program_sees_the_name_of_its_pod_where_the_kernel_allows_it() -> None:
    argv = [sys.executable, "-I", hostname.__file__, "pod-1", sys.executable, "-c"]
    code = "import os, socket, sys; print(socket.gethostname(), os.geteuid(), sys.argv[1])"
    done = subprocess.run([*argv, code, "argument"], capture_output=True, text=True, check=True, timeout=20)
    name, user, argument = done.stdout.split()
    assert name in ("pod-1", socket.gethostname())
    assert (int(user), argument) == (os.geteuid(), "argument")
