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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from sandbox import accountfiles, report
from sandbox.agent.nodes import NodeAgents
from sandbox.build import Binaries, resolve
from sandbox.build.ondemand import OnDemand, Programs
from sandbox.controlplane import LocalControlPlanes
from sandbox.controlplane.outage import Outage
from sandbox.eks.service import EksService
from sandbox.front.accounts import Account
from sandbox.front.server import Front
from sandbox.process import Processes, free_port, procfs
from sandbox.registry import ChartRegistry
from sandbox.saved.saver import Saver
from sandbox.state import State, read_json, write_json

_LOG = logging.getLogger("sandbox.daemon")
DEFAULT_ACCOUNT = "default"


@dataclass(frozen=True)
class Settings:
    """How many control planes run at most (None: as many as are asked for), and how soon a change is saved."""

    max_clusters: int | None = None
    save_seconds: float = 1.0


class Sandbox:
    """All parts of one running sandbox."""

    def __init__(self, state: State, binaries: Binaries, settings: Settings = Settings()) -> None:
        self._state, self._binaries = state, binaries
        self._started = time.time()
        self.processes = Processes(state.root)
        self.front = Front(state.root, self._changed)
        on_demand = OnDemand(self.processes, binaries)
        self.control_planes = LocalControlPlanes(
            self.processes, binaries, state.root, most=settings.max_clusters, on_demand=on_demand
        )
        programs, faults = Programs(binaries, on_demand), self.front.faults
        self.agents = NodeAgents(self.front, self.control_planes, self.processes, programs, state.root, faults)
        faults.perform(Outage(self.control_planes), "api-server-stopped")
        minors = frozenset(self.control_planes.minors)
        self.eks = EksService(
            self.front, self.control_planes, self.agents, state.root, startable_minors=minors, changed=self._changed
        )
        self.saver = Saver(
            state.saved,
            self.front.accounts,
            self.front.principals,
            {"eks": self.eks.context.store, "faults": faults},
            within_seconds=settings.save_seconds,
        )
        self._restored: list[Account] = []
        self.registry = ChartRegistry(self.processes, binaries, state.root)
        self.front.register("eks", self.eks)
        self.front.register("eks-auth", self.eks.auth)
        self.front.register_tags("eks", self.eks.tags_of)
        self.front.add_routes([*self.eks.routes(), web.get("/_sandbox/status", self._status)])

    async def start(self) -> None:
        """Start everything, then write the files that tell others where it is. Raises RuntimeError."""
        self._restored = await self.saver.restore()
        former = (read_json(self._ports) or {}) if self._restored else {}
        await asyncio.gather(self._start_aws(former.get("front")), self.registry.start(former.get("registry")))
        write_json(self._ports, {"front": self.front.port, "registry": self.registry.port})
        self._binaries.link(self._state.binaries)
        default = await self.front.create_account(DEFAULT_ACCOUNT)
        for account in self._restored:
            if account != default:
                folder = self._state.accounts / account.name
                self._write_files(account, folder, folder / "environment.json")
        self._write_files(default, self._state.aws, self._state.environment)
        write_json(self._state.description, self._describe(default.account_id))

    @property
    def _ports(self) -> Path:
        return self._state.saved / "ports.json"

    def _changed(self, account_id: str) -> None:
        self.saver.touch(account_id)

    def _write_files(self, account: Account, folder: Path, environment: Path) -> None:
        keys = account.credentials.access_key_id, account.credentials.secret_access_key
        accountfiles.write(folder, environment, self.front.url, *keys)

    async def _start_aws(self, former_port: int | None) -> None:
        for account in self._restored:
            await asyncio.to_thread(self.front.connect, account)
        try:
            await self.front.start(former_port or free_port())
        except OSError as error:
            raise RuntimeError(
                f"the AWS endpoint cannot listen at port {former_port} again, which stacks, kubeconfigs and nodes of "
                f"the last run name: {error.strerror}. End what listens there, or forget the last run: up --fresh"
            ) from error
        self.saver.start()
        await self.eks.start()
        await self.front.faults.resume()

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
            "restored": {"accounts": len(self._restored), "clusters": len(self.control_planes.endpoints)},
        }

    async def _status(self, _: web.Request) -> web.Response:
        reasons = await self._reasons()
        clusters = [
            {"account": key.account, "region": key.region, "name": key.name, "url": url}
            | {"kubernetes": self.control_planes.title(key)}
            for key, url in sorted(self.control_planes.endpoints.items())
        ]
        components = report.components(self._state, reasons)
        return web.json_response({"clusters": clusters, "components": components, "problem": self.saver.problem})

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
        await _quietly("control planes", self.control_planes.suspend_all())
        await _quietly("processes", self.processes.stop_all(grace_seconds=3.0))
        await _quietly("front", self.front.stop())
        await _quietly("saving", self.saver.stop())


async def _quietly(what: str, work: Awaitable[Any]) -> None:
    try:
        await work
    except Exception:
        _LOG.exception("stopping the %s failed; what it leaves is ended by `down`", what)


async def _run(state: State, ready: Path | None, settings: Settings) -> None:
    asked = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, asked.set)
    sandbox = Sandbox(state, resolve(), settings)
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
    parser.add_argument("--max-clusters", type=int)
    parser.add_argument("--save-seconds", type=float, default=1.0)
    options = parser.parse_args()
    settings = Settings(options.max_clusters, options.save_seconds)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        asyncio.run(_run(State(options.state_dir), options.ready, settings))
    except Exception as error:
        _LOG.exception("the daemon ends")
        _tell(options.ready, {"ready": False, "reason": str(error)})
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
