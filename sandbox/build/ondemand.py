"""Builds second versions while the sandbox runs: when a cluster of that version, or a pod of that image, is asked for."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from sandbox.build.binaries import Binaries
from sandbox.build.tools import PACKAGE_DIR, SECOND
from sandbox.process import Processes, records


class OnDemand:
    """Runs ``python -m sandbox build VERSION`` as a child, once for everybody who waits for it."""

    def __init__(self, processes: Processes, binaries: Binaries) -> None:
        self._processes, self._binaries = processes, binaries
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._started: dict[str, float] = {}

    async def provide(self, second: str) -> None:
        """Return when a second version is built. Raises RuntimeError with the end of the build's log."""
        if second in SECOND and self._binaries.missing(second):
            await asyncio.shield(self._task(second))

    def begin(self, second: str) -> str:
        """Build a second version without waiting for it; how that goes, in one sentence."""
        task = self._task(second)
        if not task.done():
            return f"the sandbox builds {second}, for {time.monotonic() - self._started[second]:.0f} s now"
        del self._tasks[second]
        error = task.exception()
        return f"the sandbox could not build {second}: {error}" if error else f"the sandbox has built {second}"

    def _task(self, second: str) -> asyncio.Task[None]:
        task = self._tasks.get(second)
        if task is None or (task.done() and self._binaries.missing(second)):
            self._started[second] = time.monotonic()
            task = self._tasks[second] = asyncio.create_task(self._build(second), name=f"build {second}")
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    async def _build(self, second: str) -> None:
        name = f"build/{second}"
        argv = [sys.executable, "-m", "sandbox", "build", second]
        # Go finds its caches and its proxy by the user's environment.
        code = await self._processes.run(name, argv, env=dict(os.environ), cwd=PACKAGE_DIR.parent)
        if code:
            tail = records.log_tail(self._processes.log_path(name))
            raise RuntimeError(f"building {second} failed with exit code {code}:\n{tail}")


class Programs(Mapping[str, Path]):
    """Every binary by ``<name>-<version>``, those of second versions once they are built."""

    def __init__(self, binaries: Binaries, on_demand: OnDemand) -> None:
        self._binaries, self._on_demand = binaries, on_demand
        self._second = {f"{tool.name}-{tool.version}": name for name, tools in SECOND.items() for tool in tools}

    def __getitem__(self, name: str) -> Path:
        for key in (*self._binaries.tools, *self._binaries.later):
            if "-".join(key) == name:
                try:
                    return self._binaries.path(*key)
                except LookupError:
                    break
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        keys = ["-".join(key) for key in (*self._binaries.tools, *self._binaries.later)]
        return (name for name in keys if name in self)

    def __contains__(self, name: object) -> bool:
        try:
            self[str(name)]
        except KeyError:
            return False
        return True

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def coming(self, name: str) -> str | None:
        """Begin to build what ``name`` is of; how far that is, or None for what no second version has."""
        return self._on_demand.begin(self._second[name]) if name in self._second else None
