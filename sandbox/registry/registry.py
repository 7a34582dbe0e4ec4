"""Runs the registry on loopback and sees to it that the charts are in it."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiohttp

from sandbox.build import Binaries
from sandbox.process import ComponentFailedError, Processes, free_port
from sandbox.state import State, read_json, write_json

NAME = "registry"
#: Below the registry's address: charts are at ``oci://<address>/karpenter/<chart>``, as in public.ecr.aws.
REPOSITORY = "karpenter"
_TIMEOUT = aiohttp.ClientTimeout(total=5)
_PORT_ATTEMPTS = 4
_PUSH_SECONDS = 60


def configuration(storage: Path, address: str) -> dict[str, Any]:
    """The registry's configuration file; https://distribution.github.io/distribution/about/configuration/"""
    return {
        "version": 0.1,
        "log": {"level": "warn", "accesslog": {"disabled": True}},
        "storage": {"filesystem": {"rootdirectory": str(storage)}, "delete": {"enabled": True}},
        "http": {"addr": address},
    }


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class ChartRegistry:
    """One registry per sandbox. What it stores stays from one run to the next, so that charts are pushed once."""

    def __init__(self, processes: Processes, binaries: Binaries, state_dir: Path) -> None:
        self._processes, self._binaries, self._state = processes, binaries, State(state_dir)
        self._address = ""

    @property
    def address(self) -> str:
        """``127.0.0.1:<port>``, once started."""
        return self._address

    @property
    def charts_url(self) -> str:
        """What a chart's name is put behind: ``oci://127.0.0.1:<port>/karpenter`` (plain HTTP)."""
        return f"oci://{self._address}/{REPOSITORY}"

    @property
    def port(self) -> int:
        """The port of the address."""
        return int(self._address.rpartition(":")[2])

    async def start(self, port: int | None = None) -> None:
        """Listen, on ``port`` when it is free, then push the charts that are not in the store.

        Raises RuntimeError with the reason.
        """
        for left in reversed(range(_PORT_ATTEMPTS)):
            self._address = f"127.0.0.1:{port or free_port()}"
            port = None
            try:
                await self._launch()
                break
            except ComponentFailedError as error:
                if not error.port_taken or not left:
                    raise
        await self._push_missing()

    async def _launch(self) -> None:
        config = self._state.registry / "config.json"
        write_json(config, configuration(self._state.registry / "storage", self._address))
        await self._processes.start(
            NAME,
            [self._binaries.path("registry"), "serve", config],
            # Without this it sends traces to a collector's usual port, where some other program may listen.
            env={"OTEL_TRACES_EXPORTER": "none"},
            healthy=self._healthy,
            deadline_seconds=20,
        )

    async def _healthy(self) -> bool:
        async with (
            aiohttp.ClientSession(timeout=_TIMEOUT) as session,
            session.get(f"http://{self._address}/v2/") as answer,
        ):
            return answer.status == 200

    async def _push_missing(self) -> None:
        """A chart is pushed again when its file changed, and when the store no longer has it."""
        note = self._state.registry / "pushed.json"
        pushed: Mapping[str, str] = read_json(note) or {}
        charts = {f"{name}:{version}": path for (name, version), path in self._binaries.charts.items()}
        wanted = {chart: await asyncio.to_thread(_digest, path) for chart, path in charts.items()}
        for chart, path in charts.items():
            if pushed.get(chart) != wanted[chart] or not await self._has(chart):
                await self._push(path)
        write_json(note, wanted)

    async def _has(self, chart: str) -> bool:
        name, _, version = chart.partition(":")
        url = f"http://{self._address}/v2/{REPOSITORY}/{name}/manifests/{version}"
        headers = {"Accept": "application/vnd.oci.image.manifest.v1+json"}
        async with aiohttp.ClientSession(timeout=_TIMEOUT) as session, session.head(url, headers=headers) as answer:
            return answer.status == 200

    async def _push(self, chart: Path) -> None:
        home = self._state.root / "home"
        process = await asyncio.create_subprocess_exec(
            self._binaries.path("helm"),
            "push",
            chart,
            self.charts_url,
            "--plain-http",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={"HOME": str(home)},
        )
        try:
            output, _ = await asyncio.wait_for(process.communicate(), _PUSH_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
            raise RuntimeError(f"pushing {chart.name} took more than {_PUSH_SECONDS} s") from None
        if process.returncode:
            raise RuntimeError(f"pushing {chart.name} failed: {output.decode(errors='replace').strip()}")

    async def versions(self) -> dict[str, list[str]]:
        """The charts that can be pulled now, with their versions."""
        found = {}
        async with aiohttp.ClientSession(timeout=_TIMEOUT) as session:
            for name in sorted({name for name, _ in self._binaries.charts}):
                async with session.get(f"http://{self._address}/v2/{REPOSITORY}/{name}/tags/list") as answer:
                    found[name] = json.loads(await answer.read()).get("tags") or []
        return found

    async def stop(self) -> None:
        """Stop listening; the store stays."""
        await self._processes.stop(NAME)
