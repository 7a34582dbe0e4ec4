"""One container of a pod that runs as a process: started, probed, started again, stopped."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import aiohttp

from sandbox.process import Child, ComponentFailedError, Processes

from . import hostname
from .backoff import Backoff, restarts
from .node import timestamp
from .podstatus import ContainerState
from .probes import Kind, ProbeSpec, Verdict, ask

_KINDS: tuple[Kind, ...] = ("startup", "liveness", "readiness")


@dataclass(frozen=True)
class Launch:
    """A program ready to start: its arguments, its environment, and where its container ports are on loopback."""

    argv: Sequence[str]
    env: Mapping[str, str]
    ports: Mapping[int, int]


class NotYetError(Exception):
    """A container cannot start now; ``reason`` is its waiting reason."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class Owner(Protocol):
    """The pod of a container."""

    policy: str
    grace_seconds: float
    title: str
    pod_ip: str

    async def launch(self, container: Mapping[str, Any]) -> Launch:
        """What to run. Raises NotYetError."""
        ...

    def changed(self) -> None:
        """A container's state is another."""
        ...

    def record(self, kind: str, reason: str, message: str) -> None:
        """Write an event about the pod."""
        ...


class Container:
    """``run`` returns when the container has ended for good; ``state`` is what its pod reports."""

    def __init__(
        self,
        spec: Mapping[str, Any],
        state: ContainerState,
        owner: Owner,
        processes: Processes,
        session: aiohttp.ClientSession,
        backoff: Backoff,
        name: Callable[[int], str],
    ) -> None:
        self.spec, self.state = spec, state
        self._owner, self._processes, self._session = owner, processes, session
        self._backoff, self._process_name = backoff, name
        self._pull_backoff = Backoff(backoff.base, backoff.cap)
        self._child: Child | None = None
        self._stopping = False
        self._kill: asyncio.Task[None] | None = None
        self._probes: list[asyncio.Task[None]] = []

    def log_path(self, *, previous: bool) -> Path | None:
        """The log of this run of the container, or of the one before; None when there is none."""
        number = self.state.restarts - (1 if previous else 0)
        if number < 0:
            return None
        path = self._processes.log_path(self._process_name(number))
        return path if path.exists() else None

    @property
    def process_id(self) -> str:
        """An id for the API, new with each run; empty before the first."""
        if self._child is None and not self.state.last_state:
            return ""
        return hashlib.sha256(self._process_name(self.state.restarts).encode()).hexdigest()

    async def run(self) -> None:
        """Run the container until its restart policy, or ``stop``, says that it is over."""
        ended_at = time.monotonic() if "terminated" in self.state.state or self.state.last_state else None
        while not self._stopping:
            if ended_at is not None:
                code = (self.state.state.get("terminated") or {}).get("exitCode", 1)
                if not restarts(self._owner.policy, code):
                    return
                await self._back_off(ended_at)
                self._backoff.restarted(time.monotonic(), ended_at)
            child = await self._started(first=ended_at is None)
            if child is None:
                return
            await self._watched(child)
            ended_at = time.monotonic()

    async def _back_off(self, ended_at: float) -> None:
        delay = self._backoff.wait(ended_at) - (time.monotonic() - ended_at)
        if delay <= 0:
            return
        message = f"back-off {delay:.0f}s restarting failed container={self.spec['name']} pod={self._owner.title}"
        self._show(self.state.waiting("CrashLoopBackOff", message))
        self._owner.record("Warning", "BackOff", message)
        await asyncio.sleep(delay)

    async def _started(self, *, first: bool) -> Child | None:
        """The process, once it can be started; None when the pod was stopped before that."""
        while not self._stopping:
            try:
                launch = await self._owner.launch(self.spec)
                return await self._start(launch, first=first)
            except NotYetError as error:
                reason, message = error.reason, str(error)
            except ComponentFailedError as error:
                reason, message = "RunContainerError", f"failed to create containerd task: {error.reason}"
            self._show(self.state.waiting(reason, message))
            self._owner.record("Warning", "Failed", f"Error: {reason}: {message}")
            now = time.monotonic()
            self._pull_backoff.restarted(now, now)
            await asyncio.sleep(self._pull_backoff.wait(now))
        return None

    async def _start(self, launch: Launch, *, first: bool) -> Child:
        number = self.state.restarts + (0 if first else 1)
        if not first:  # only now: until here the sandbox's status shows the process that died
            await self._processes.stop(self._process_name(self.state.restarts))
        argv = [sys.executable, "-I", str(Path(hostname.__file__)), launch.env["HOSTNAME"], *launch.argv]
        child = await self._processes.start(self._process_name(number), argv, env=launch.env)
        self._child, self._kill = child, None
        probed = ProbeSpec.of("readiness", self.spec) is not None
        self._show(self.state.runs(timestamp(), first=first, probed=probed))
        self._owner.record("Normal", "Started", f"Container {self.spec['name']} started")
        self._probes = [
            asyncio.create_task(self._probe(spec, launch.ports.get(spec.port, spec.port)))
            for kind in _KINDS
            if (spec := ProbeSpec.of(kind, self.spec)) is not None
        ]
        return child

    async def _watched(self, child: Child) -> None:
        try:
            await child.exited.wait()
        finally:
            for task in self._probes:
                task.cancel()
        code = child.exit_code or 0
        self._show(self.state.ended(timestamp(), 128 - code if code < 0 else code))

    async def _probe(self, spec: ProbeSpec, port: int) -> None:
        verdict = Verdict(spec)
        await asyncio.sleep(spec.initial_delay_seconds)
        while True:
            problem = await ask(self._session, spec, port, self._owner.pod_ip)
            if problem is not None:
                self._owner.record("Warning", "Unhealthy", f"{spec.kind.title()} probe failed: {problem}")
            if verdict.answer(problem is None):
                await self._judged(spec, verdict.passed)
            await asyncio.sleep(spec.period_seconds)

    async def _judged(self, spec: ProbeSpec, passed: bool) -> None:
        if spec.kind == "readiness":
            if self.state.running and self.state.ready is not passed:
                self._show(self.state.with_ready(passed))
        elif not passed and self._kill is None:
            message = f"Container {self.spec['name']} failed {spec.kind} probe, will be restarted"
            self._owner.record("Normal", "Killing", message)
            grace = self._owner.grace_seconds if spec.grace_seconds is None else spec.grace_seconds
            # In a task of its own: the end of the process ends this probe.
            self._kill = asyncio.create_task(self._end(grace))

    async def _end(self, grace_seconds: float) -> None:
        if self._child is not None:
            await self._processes.stop(self._child.name, grace_seconds=grace_seconds)

    def kill(self) -> bool:
        """Kill the process, which starts again as after any other end; False when none runs."""
        child = self._child
        if child is None or not child.running:
            return False
        with contextlib.suppress(ProcessLookupError):
            child.process.kill()
        return True

    async def stop(self, grace_seconds: float) -> None:
        """SIGTERM, after ``grace_seconds`` SIGKILL; the container does not start again."""
        self._stopping = True
        await self._end(grace_seconds)

    def _show(self, state: ContainerState) -> None:
        self.state = state
        self._owner.changed()
