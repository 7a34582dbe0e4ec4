"""The sandbox's one daemon: the front, the EKS service, the node agents and the registry, put together.

Started by ``python -m sandbox up``; runs until SIGTERM.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import os
import signal
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from aiohttp import web

from sandbox import accountfiles, report
from sandbox.agent.nodes import NodeAgents
from sandbox.build import Binaries, resolve
from sandbox.controlplane import LocalControlPlanes
from sandbox.eks.service import EksService
from sandbox.front.admin import account_view
from sandbox.front.server import Front
from sandbox.process import Processes, procfs
from sandbox.registry import ChartRegistry
from sandbox.state import State, write_json

_LOG = logging.getLogger("sandbox.daemon")
DEFAULT_ACCOUNT = "default"


class Sandbox:
    """All parts of one running sandbox."""

    def __init__(self, state: State, binaries: Binaries) -> None:
        self._state, self._binaries = state, binaries
        self._started = time.time()
        self.processes = Processes(state.root)
        self.front = Front(state.root)
        self.control_planes = LocalControlPlanes(self.processes, binaries, state.root)
        self.agents = NodeAgents(self.front, self.control_planes, self.processes, binaries.by_folder(), state.root)
        minors = frozenset(self.control_planes.minors)
        self.eks = EksService(self.front, self.control_planes, self.agents, state.root, startable_minors=minors)
        self.registry = ChartRegistry(self.processes, binaries, state.root)
        self.front.register("eks", self.eks)
        self.front.register("eks-auth", self.eks.auth)
        self.front.add_routes([*self.eks.routes(), web.get("/_sandbox/status", self._status)])

    async def start(self) -> None:
        """Start everything, then write the files that tell others where it is. Raises RuntimeError."""
        await asyncio.gather(self._start_aws(), self.registry.start())
        self._binaries.link(self._state.binaries)
        view = account_view(await self.front.create_account(DEFAULT_ACCOUNT))
        keys = view["access_key_id"], view["secret_access_key"]
        accountfiles.write(self._state.aws, self._state.environment, self.front.url, *keys)
        write_json(self._state.description, self._describe(view["account_id"]))

    async def _start_aws(self) -> None:
        await self.front.start()
        await self.eks.start()

    def _describe(self, account_id: str) -> dict[str, Any]:
        return {
            "pid": os.getpid(),
            "start_ticks": procfs.start_time(os.getpid()),
            "started_at": self._started,
            "front_url": self.front.url,
            "admin_token": self.front.token,
            "account_id": account_id,
            "registry": self.registry.address,
            "charts_url": self.registry.charts_url,
            "binary_dir": str(self._state.binaries),
            "kubernetes_minors": list(self.control_planes.minors),
        }

    async def _status(self, _: web.Request) -> web.Response:
        reasons = await self._reasons()
        clusters = [
            {"account": key.account, "region": key.region, "name": key.name, "url": url}
            for key, url in sorted(self.control_planes.endpoints.items())
        ]
        components = report.components(self._state, reasons)
        return web.json_response({"clusters": clusters, "components": components})

    async def _reasons(self) -> dict[str, str | None]:
        """Why each running child is not healthy, None for those that are; those that nobody can ask are left out."""
        names = [name for name, child in self.processes.children.items() if child.running and child.healthy]
        answers = await asyncio.gather(*map(self.processes.check, names))
        return dict(zip(names, answers, strict=True))

    async def stop(self) -> None:
        """Stop everything, clients before servers. A part that fails to stop does not keep the others."""
        clusters = list(self.control_planes.endpoints)
        await _quietly("node agents", asyncio.gather(*map(self.agents.stop, clusters)))
        await _quietly("EKS service", self.eks.stop())
        await _quietly("control planes", self.control_planes.stop_all())
        await _quietly("processes", self.processes.stop_all(grace_seconds=3.0))
        await _quietly("front", self.front.stop())


async def _quietly(what: str, work: Awaitable[Any]) -> None:
    try:
        await work
    except Exception:
        _LOG.exception("stopping the %s failed; what it leaves is ended by `down`", what)


async def _run(state: State, ready: Path | None) -> None:
    asked = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, asked.set)
    sandbox = Sandbox(state, resolve())
    try:
        await _until(sandbox.start(), asked)
        if not asked.is_set():
            _LOG.info("ready at %s", sandbox.front.url)
            _tell(ready, {"ready": True})
            await asked.wait()
    finally:
        _LOG.info("stopping")
        await sandbox.stop()


async def _until(work: Any, asked: asyncio.Event) -> None:
    """Do ``work``, but give it up when the daemon is asked to end."""
    task, waiter = asyncio.ensure_future(work), asyncio.ensure_future(asked.wait())
    await asyncio.wait({task, waiter}, return_when=asyncio.FIRST_COMPLETED)
    waiter.cancel()
    if not task.done():
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        return
    task.result()


def _tell(ready: Path | None, message: dict[str, Any]) -> None:
    if ready is not None:
        with contextlib.suppress(OSError), ready.open("w", encoding="utf-8") as pipe:  # nobody listens any more
            pipe.write(json.dumps(message))


def main() -> int:
    """Run the daemon; ``--ready`` names a pipe that is told once how the start went."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.daemon", description=__doc__)
    parser.add_argument("--state-dir", type=Path, required=True)
    parser.add_argument("--ready", type=Path)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        asyncio.run(_run(State(options.state_dir), options.ready))
    except Exception as error:
        _LOG.exception("the daemon ends")
        _tell(options.ready, {"ready": False, "reason": str(error)})
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
