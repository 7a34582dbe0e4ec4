"""Starts, watches and stops child processes; everything it knows is also in files, for when it is gone itself."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.process import procfs, records
from sandbox.process.records import Record
from sandbox.process.sweep import end_group
from sandbox.state import MARK, State

#: True or None: healthy. False, or an exception that tells why: not (yet).
HealthCheck = Callable[[], Awaitable[bool | None]]
_LOG = logging.getLogger(__name__)
_POLL_SECONDS = 0.15
_CHECK_SECONDS = 5.0


class ComponentFailedError(RuntimeError):
    """A component did not start, or died while it was waited for; ``log_tail`` is the end of its log."""

    def __init__(self, name: str, reason: str, log: Path) -> None:
        self.name, self.reason, self.log_tail = name, reason, records.log_tail(log)
        end = f"; the end of its log ({log}):\n{self.log_tail}" if self.log_tail else f"; its log {log} is empty"
        super().__init__(f"{name}: {reason}{end}")

    @property
    def port_taken(self) -> bool:
        """Whether another program took the port it was given."""
        return "address already in use" in self.log_tail


@dataclass(eq=False)
class Child:
    """A child process. ``exit_code`` is None while it runs, negative when a signal ended it."""

    name: str
    pid: int
    start_ticks: int
    argv: tuple[str, ...]
    log: Path
    started_at: float
    process: asyncio.subprocess.Process = field(repr=False)
    healthy: HealthCheck | None = None
    exit_code: int | None = None
    started: bool = False
    stopping: bool = False
    exited: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self.exit_code is None

    def record(self, failure: str | None = None) -> Record:
        """What is written about it."""
        return Record(
            self.name, self.pid, self.start_ticks, self.argv, str(self.log), self.started_at, self.exit_code, failure
        )


ExitCallback = Callable[[Child], Awaitable[None] | None]


class Processes:
    """The child processes of one sandbox. All methods belong to one event loop."""

    def __init__(self, state_dir: Path) -> None:
        self._state = State(state_dir)
        self._children: dict[str, Child] = {}
        self._watchers: dict[Child, asyncio.Task[None]] = {}
        self._callbacks: dict[str, list[ExitCallback]] = {}

    @property
    def children(self) -> Mapping[str, Child]:
        """Every child that was started and not stopped, by name; also those that died."""
        return dict(self._children)

    def log_path(self, name: str) -> Path:
        """Where ``name`` logs to. A restart moves the former log to the same name with ``.1`` added."""
        return self._state.logs / f"{records.check_name(name)}.log"

    def on_exit(self, name: str, callback: ExitCallback) -> None:
        """Call ``callback(child)`` whenever ``name`` ends without having been stopped; until ``stop(name)``."""
        self._callbacks.setdefault(name, []).append(callback)

    async def start(
        self,
        name: str,
        argv: Sequence[str | os.PathLike[str]],
        *,
        env: Mapping[str, str],
        cwd: Path | None = None,
        healthy: HealthCheck | None = None,
        deadline_seconds: float = 30.0,
    ) -> Child:
        """Start ``argv`` and return once ``healthy`` says so (at once without it).

        ``env`` is the whole environment but for PATH, LANG, a HOME of the sandbox's own, and the mark: nothing of the
        user's (an AWS profile, say) leaks into a child. A child of this name that ended is replaced.
        Raises ComponentFailedError (a RuntimeError) naming the component and the end of its log.
        """
        former = self._children.get(name)
        if former is not None and former.running:
            raise RuntimeError(f"{name} already runs as process {former.pid}")
        child = await self._spawn(name, [os.fspath(part) for part in argv], env, cwd)
        child.healthy = healthy
        self._children[name] = child
        records.write(self._state.processes, child.record())
        self._watchers[child] = asyncio.create_task(self._watch(child), name=f"watch {name}")
        try:
            await self._until_healthy(child, deadline_seconds)
        except BaseException as error:
            await self._end(child, grace_seconds=1.0)
            reason = error.reason if isinstance(error, ComponentFailedError) else "start was cancelled"
            records.write(self._state.processes, child.record(reason))
            raise
        child.started = True
        return child

    async def _spawn(self, name: str, argv: list[str], env: Mapping[str, str], cwd: Path | None) -> Child:
        log = self.log_path(name)
        log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if log.exists() and log.stat().st_size:
            log.replace(log.with_name(log.name + ".1"))
        home = self._state.root / "home"
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        base = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
        whole = {**base, "HOME": str(home), **env, MARK: str(self._state.root)}
        handle = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        try:
            # A session of its own: Ctrl-C in the user's terminal is for the command there, and on stop
            # the whole group can be ended.
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=handle,
                stderr=handle,
                env=whole,
                cwd=cwd or home,
                start_new_session=True,
            )
        except OSError as error:
            raise ComponentFailedError(name, f"cannot run {argv[0]}: {error.strerror}", log) from error
        finally:
            os.close(handle)
        ticks = procfs.start_time(process.pid) or 0
        return Child(name, process.pid, ticks, tuple(argv), log, time.time(), process)

    async def _watch(self, child: Child) -> None:
        child.exit_code = await child.process.wait()
        child.exited.set()
        del self._watchers[child]
        if child.stopping or not child.started:
            return  # asked for, or told by the exception that start() raises
        failure = f"ended by itself with exit code {child.exit_code}"
        _LOG.warning("%s (process %d) %s", child.name, child.pid, failure)
        records.write(self._state.processes, child.record(failure))
        for callback in list(self._callbacks.get(child.name, ())):
            outcome = callback(child)
            if outcome is not None:
                await outcome

    async def _until_healthy(self, child: Child, deadline_seconds: float) -> None:
        if child.healthy is None:
            return
        deadline = time.monotonic() + deadline_seconds
        while (reason := await self._unhealthy(child)) is not None:
            if child.exit_code is not None:
                break
            if time.monotonic() >= deadline:
                raise ComponentFailedError(
                    child.name, f"not healthy after {deadline_seconds:.0f} s: {reason}", child.log
                )
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(child.exited.wait(), _POLL_SECONDS)
        if child.exit_code is not None:
            raise ComponentFailedError(child.name, f"ended with exit code {child.exit_code}", child.log)

    @staticmethod
    async def _unhealthy(child: Child) -> str | None:
        """Why the child is not healthy, None when it is. Any exception of a check is an answer, not an accident."""
        if child.exit_code is not None:
            return f"ended with exit code {child.exit_code}"
        if child.healthy is None:
            return None
        try:
            answer = await asyncio.wait_for(child.healthy(), _CHECK_SECONDS)
        except TimeoutError:
            return f"its health check took more than {_CHECK_SECONDS:.0f} s"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return "its health check says no" if answer is False else None

    async def check(self, name: str) -> str | None:
        """Why ``name`` is not healthy now, None when it is. Raises KeyError for a name that was never started."""
        return await self._unhealthy(self._children[name])

    async def _end(self, child: Child, *, grace_seconds: float) -> None:
        child.stopping = True
        if child.running:
            with contextlib.suppress(ProcessLookupError):
                child.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(child.exited.wait(), grace_seconds)
        if child.running:
            with contextlib.suppress(ProcessLookupError):
                child.process.kill()
        await child.exited.wait()
        end_group(child.pid, self._state.root)

    async def stop(self, name: str, *, grace_seconds: float = 10.0) -> None:
        """End ``name``: SIGTERM, after ``grace_seconds`` SIGKILL, the same for what it started itself.

        Its record goes, its log stays.

        A name that does not run is not an error.
        """
        self._callbacks.pop(name, None)
        child = self._children.get(name)
        if child is not None:
            await self._end(child, grace_seconds=grace_seconds)
            if self._children.get(name) is child:
                del self._children[name]
        records.remove(self._state.processes, name)

    async def run(
        self,
        name: str,
        argv: Sequence[str | os.PathLike[str]],
        *,
        env: Mapping[str, str],
        cwd: Path | None = None,
    ) -> int:
        """Start ``argv``, which ends by itself, and return its exit code when it has ended; its log stays."""
        child = await self.start(name, argv, env=env, cwd=cwd)
        child.stopping = True  # that it ends is no failure
        try:
            await child.exited.wait()
        finally:
            await self.stop(name)
        return child.exit_code or 0

    async def succeed(self, name: str, successor: str, *, grace_seconds: float = 10.0) -> None:
        """End ``name``, and let ``successor`` go on under this name: its record and its log get it too.

        Raises KeyError for a successor that does not run.
        """
        child = self._children[successor]
        former = self._children.get(name)
        if former is not None:
            await self._end(former, grace_seconds=grace_seconds)
        log = self.log_path(name)
        if log.exists():
            log.replace(log.with_name(log.name + ".1"))
        child.log.replace(log)
        child.name, child.log = name, log
        self._children[name] = self._children.pop(successor)
        records.write(self._state.processes, child.record())
        records.remove(self._state.processes, successor)

    async def stop_all(self, *, grace_seconds: float = 10.0) -> None:
        """Stop every child at the same time."""
        await asyncio.gather(*(self.stop(name, grace_seconds=grace_seconds) for name in list(self._children)))
