"""Performs the faults that happen to pods: those that never become ready, and controllers that are killed."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable
from fnmatch import fnmatchcase
from functools import partial

from sandbox.contracts import ClusterKey
from sandbox.faults.model import Fault, FaultError
from sandbox.faults.store import Faults

from .cluster import ClusterAgent
from .kube import KubeError

Clusters = Callable[[], Iterable[tuple[ClusterKey, ClusterAgent]]]
_PATIENCE_SECONDS = 60.0
_PAUSE_SECONDS = 0.5


def _of(fault: Fault, clusters: Clusters) -> list[ClusterAgent]:
    """The clusters that a fault concerns."""
    where = fault.limited("region", "cluster")
    return [
        agent
        for key, agent in clusters()
        if key.account == fault.account and where.concerns({"region": key.region, "cluster": key.name})
    ]


class NeverReady:
    """Sets and clears ``pods-never-ready`` in the clusters that there are; new ones look by themselves."""

    def __init__(self, clusters: Clusters) -> None:
        self._clusters = clusters

    async def begin(self, fault: Fault) -> None:
        """Raises FaultError when an API server does not answer."""
        for agent in _of(fault, self._clusters):
            await _patiently(agent.unready.synchronise)

    async def resume(self, fault: Fault) -> None:
        """The agents of clusters that come back have looked by themselves."""

    async def end(self, fault: Fault) -> None:
        """What was kept from being ready becomes so. Raises FaultError."""
        for agent in _of(fault, self._clusters):
            await _patiently(agent.unready.synchronise)
            await _patiently(partial(agent.unready.release, fault))


async def _patiently(step: Callable[[], Awaitable[None]]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            await step()
            return
        except KubeError as error:
            if time.monotonic() >= deadline:
                raise FaultError(f"the cluster's API server does not do it: {error}") from error
        await asyncio.sleep(_PAUSE_SECONDS)


class ControllerKilled:
    """Kills the processes of Karpenter's pods, once or again and again."""

    def __init__(self, faults: Faults, clusters: Clusters) -> None:
        self._faults, self._clusters = faults, clusters
        self._repeating: dict[str, asyncio.Task[None]] = {}

    async def begin(self, fault: Fault) -> None:
        """Raises FaultError when no such pod runs."""
        if not self._kill(fault):
            raise FaultError(f"no pod of Karpenter runs that this concerns; there are {self._names(fault) or 'none'}")
        if fault.number("every_seconds"):
            await self.resume(fault)
        else:
            self._faults.spent(fault)

    async def resume(self, fault: Fault) -> None:
        """Kill again and again."""
        self._repeating[fault.id] = asyncio.create_task(self._repeat(fault))

    async def _repeat(self, fault: Fault) -> None:
        while True:
            await asyncio.sleep(fault.number("every_seconds"))
            self._kill(fault)

    async def end(self, fault: Fault) -> None:
        """Kill no more."""
        if task := self._repeating.pop(fault.id, None):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _kill(self, fault: Fault) -> list[str]:
        wanted = fault.selectors.get("pod", "*")
        runners = [runner for agent in _of(fault, self._clusters) for runner in agent.pods.runners]
        return [one.name for one in runners if fnmatchcase(one.name, wanted) and one.kill()]

    def _names(self, fault: Fault) -> str:
        found = [
            f"{runner.name} in {key.name} ({key.region})"
            for key, agent in self._clusters()
            if key.account == fault.account
            for runner in agent.pods.runners
        ]
        return ", ".join(sorted(found))
