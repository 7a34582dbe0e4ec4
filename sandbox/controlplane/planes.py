"""Starts and stops the control planes of a sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from sandbox.build import Binaries
from sandbox.build.ondemand import OnDemand
from sandbox.build.tools import KUBERNETES_VERSIONS
from sandbox.contracts import ClusterKey, ControlPlaneEndpoint, ControlPlaneLimitError, ControlPlaneSpec
from sandbox.controlplane import bootstrap, components, folders
from sandbox.controlplane.attempts import together, with_free_port
from sandbox.controlplane.components import LOOPBACK, Plane
from sandbox.controlplane.egress import EgressProxy
from sandbox.controlplane.health import answers, answers_as, client_context
from sandbox.controlplane.running import Running
from sandbox.process import Child, Processes, free_port, kept_port
from sandbox.state import State

_LOG = logging.getLogger(__name__)
STAGES = Path(__file__).resolve().parent.parent / "agent" / "stages"
#: An API server that takes over from the present one, and then has its name.
NEXT = "kube-apiserver-next"
#: In the order of stopping: clients first, the store last.
COMPONENTS = ("kwok", "kube-scheduler", "kube-controller-manager", NEXT, "kube-apiserver", "etcd")
#: Nothing of a cluster outlives it, so nobody waits for a long goodbye.
_GRACE_SECONDS = 3.0


class LocalControlPlanes:
    """Implements ``ControlPlanes`` with local processes.

    :param stages: folder of the kwok stages that the node agent brings; read at once, since the daemon runs on while
        its checkout changes.
    """

    def __init__(
        self,
        processes: Processes,
        binaries: Binaries,
        state_dir: Path,
        stages: Path = STAGES,
        *,
        most: int | None = None,
        on_demand: OnDemand | None = None,
    ) -> None:
        """``most`` control planes run at once; ``on_demand`` builds a version that is not built yet."""
        self._most, self._on_demand = most, on_demand
        self._processes, self._binaries, self._state = processes, binaries, State(state_dir)
        self._stages = [path.read_text(encoding="utf-8") for path in sorted(stages.glob("*.y*ml"))]
        self._running: dict[ClusterKey, Running] = {}
        self._places: set[ClusterKey] = set()
        self._locks: dict[ClusterKey, asyncio.Lock] = {}

    @property
    def minors(self) -> tuple[str, ...]:
        """The Kubernetes minors that can be started."""
        return tuple(KUBERNETES_VERSIONS)

    @property
    def endpoints(self) -> dict[ClusterKey, str]:
        """The URL of each control plane there is; empty while it starts."""
        return {key: running.url for key, running in self._running.items()}

    def title(self, key: ClusterKey) -> str:
        """What a cluster runs, for people; empty for one that does not run."""
        running = self._running.get(key)
        return running.title if running else ""

    def component(self, key: ClusterKey, name: str) -> str:
        """The name by which a component's process is known to ``status`` and ``logs``."""
        return f"{key.slug}/{name}"

    async def start(self, spec: ControlPlaneSpec) -> ControlPlaneEndpoint:
        """Return when /readyz answers and the cluster's first objects are there; see ``ControlPlanes.start``."""
        return await self._guarded(spec, None)

    async def resume(self, spec: ControlPlaneSpec, url: str) -> ControlPlaneEndpoint:
        """See ``ControlPlanes.resume``. Without its data or its port a cluster does not come back."""
        return await self._guarded(spec, url)

    async def _guarded(self, spec: ControlPlaneSpec, former_url: str | None) -> ControlPlaneEndpoint:
        await self._provide(spec.kubernetes_minor)
        async with self._locks.setdefault(spec.key, asyncio.Lock()):
            if spec.key in self._running:
                raise RuntimeError(f"the control plane of {spec.key.slug} is there already")
            self._take_place(spec.key)
            started = time.monotonic()
            try:
                endpoint = await self._start(spec, former_url)
            except BaseException:
                # The processes end, their logs and the record of what failed stay for `status`.
                await self._tear_down(spec.key, keep=former_url is not None)
                raise
            _LOG.info("%s: control plane up in %.1f s", spec.key.slug, time.monotonic() - started)
            return endpoint

    async def _provide(self, minor: str) -> None:
        if minor not in self.minors:
            raise RuntimeError(f"Kubernetes {minor} cannot be started: the sandbox has {', '.join(self.minors)}")
        if self._on_demand is not None:
            await self._on_demand.provide(f"kubernetes-{KUBERNETES_VERSIONS[minor]}")

    def _take_place(self, key: ClusterKey) -> None:
        if self._most is not None and len(self._places) >= self._most:
            raise ControlPlaneLimitError(
                f"{self._most} control planes run, and no more may run in this sandbox; delete a cluster, or start the "
                "sandbox with a larger --max-clusters"
            )
        self._places.add(key)

    async def _start(self, spec: ControlPlaneSpec, former_url: str | None) -> ControlPlaneEndpoint:
        folder = self._state.clusters / spec.key.slug
        keys = await asyncio.to_thread(folders.keys, folder, spec, renew=former_url is None)
        plane = Plane(spec, folder, keys, 0 if former_url is None else folders.count_return(folder))
        running = self._running[spec.key] = Running(plane, EgressProxy(plane.egress_folder))
        await running.proxy.start()
        await self._start_etcd(running)
        await self._start_api_server(running, former_url)
        plane.write_kubeconfigs(running.url)
        admin = client_context(keys.ca.pem, keys.admin)
        if former_url is not None:
            await bootstrap.release_leases(running.url, admin, components.LEASE_SECONDS)
        await together(
            bootstrap.apply(running.url, admin),
            self._start_controller_manager(running),
            self._start_scheduler(running),
            self._start_kwok(running),
        )
        return ControlPlaneEndpoint(running.url, keys.ca.pem, plane.kubeconfig("admin"))

    async def update(self, spec: ControlPlaneSpec) -> None:
        """See ``ControlPlanes.update``. The next API server listens beside the present one before that one ends."""
        await self._provide(spec.kubernetes_minor)
        async with self._locks.setdefault(spec.key, asyncio.Lock()):
            running = self._running.get(spec.key)
            if running is None or running.stopped:
                raise RuntimeError(f"the API server of {spec.key.slug} does not run")
            former, running.plane = running.plane, replace(running.plane, spec=spec)
            successor = self.component(spec.key, NEXT)
            try:
                await self._launch_api_server(running, running.ports["kube-apiserver"], NEXT)
                await self._restart_managers(running)
            except BaseException:
                running.plane = former
                await self._processes.stop(successor, grace_seconds=_GRACE_SECONDS)
                await self._restart_managers(running)
                raise
            await self._processes.succeed(self.component(spec.key, "kube-apiserver"), successor)

    async def _restart_managers(self, running: Running) -> None:
        for name in ("kube-controller-manager", "kube-scheduler"):
            await self._processes.stop(self.component(running.plane.spec.key, name), grace_seconds=_GRACE_SECONDS)
        await together(self._start_controller_manager(running), self._start_scheduler(running))

    async def _start_etcd(self, running: Running) -> None:
        async def attempt(port: int) -> Child:
            argv = components.etcd(self._binaries.path("etcd"), running.plane, port, free_port())
            return await self._launch(running, "etcd", argv, answers(f"http://{LOOPBACK}:{port}/health"), 20)

        running.ports["etcd"] = await with_free_port(attempt)

    async def _start_api_server(self, running: Running, former_url: str | None) -> None:
        """At the port of an earlier run: kubeconfigs, nodes' user data and EKS' answers name it."""
        if former_url is None:
            port = await with_free_port(lambda port: self._launch_api_server(running, port))
        else:
            port = int(former_url.rpartition(":")[2])
            await self._launch_api_server(running, port)
        running.ports["kube-apiserver"] = port
        running.url = f"https://{LOOPBACK}:{port}"

    async def _launch_api_server(self, running: Running, port: int, name: str = "kube-apiserver") -> Child:
        plane, binary = running.plane, self._binaries.path("kube-apiserver", running.version)
        argv = components.api_server(binary, plane, port, running.ports["etcd"])
        context = client_context(plane.pki.ca.pem, plane.pki.admin)
        check = answers_as(f"https://{LOOPBACK}:{port}", context, f"v{running.version}")
        return await self._launch(running, name, argv, check, 90, cwd=plane.egress_folder)

    async def stop_api_server(self, key: ClusterKey) -> None:
        """End the API server of a cluster; its port stays its own, and nobody listens there. Raises KeyError."""
        async with self._locks.setdefault(key, asyncio.Lock()):
            running = self._running[key]
            await self._processes.stop(self.component(key, "kube-apiserver"), grace_seconds=_GRACE_SECONDS)
            running.stopped = True
            with contextlib.suppress(OSError):  # somebody was quicker, and the next start says so
                running.kept_port = kept_port(running.ports["kube-apiserver"])

    async def start_api_server(self, key: ClusterKey) -> None:
        """Start it again, and return when it answers. A cluster that has gone is no error."""
        async with self._locks.setdefault(key, asyncio.Lock()):
            running = self._running.get(key)
            if running is None or not running.stopped:
                return
            running.give_port_up()
            running.stopped = False
            await self._launch_api_server(running, running.ports["kube-apiserver"])

    async def _start_controller_manager(self, running: Running) -> None:
        name = "kube-controller-manager"
        await self._start_manager(running, name, components.controller_manager)

    async def _start_scheduler(self, running: Running) -> None:
        await self._start_manager(running, "kube-scheduler", components.scheduler)

    async def _start_manager(
        self, running: Running, name: str, arguments: Callable[[Path, Plane, int], list[str]]
    ) -> None:
        context = client_context(running.plane.pki.ca.pem)

        async def attempt(port: int) -> Child:
            argv = arguments(self._binaries.path(name, running.version), running.plane, port)
            check = answers(f"https://{LOOPBACK}:{port}/healthz", context)
            return await self._launch(running, name, argv, check, 60)

        running.ports[name] = await with_free_port(attempt)

    async def _start_kwok(self, running: Running) -> None:
        async def attempt(port: int) -> Child:
            argv = components.kwok(self._binaries.path("kwok"), running.plane, port, self._stages)
            return await self._launch(running, "kwok", argv, answers(f"http://{LOOPBACK}:{port}/healthz"), 30)

        running.ports["kwok"] = await with_free_port(attempt)

    async def _launch(
        self,
        running: Running,
        name: str,
        argv: list[str],
        healthy: Callable[[], Awaitable[bool | None]],
        deadline_seconds: float,
        *,
        cwd: Path | None = None,
    ) -> Child:
        return await self._processes.start(
            self.component(running.plane.spec.key, name),
            argv,
            env={},
            cwd=cwd or running.plane.folder,
            healthy=healthy,
            deadline_seconds=deadline_seconds,
        )

    async def stop(self, key: ClusterKey) -> None:
        """Stop every process of the cluster and remove its data; nothing to stop is not an error."""
        async with self._locks.setdefault(key, asyncio.Lock()):
            await self._tear_down(key, keep=False)
            for name in COMPONENTS:  # also the records of those that failed to start
                await self._processes.stop(self.component(key, name))

    async def _tear_down(self, key: ClusterKey, *, keep: bool) -> None:
        running = self._running.pop(key, None)
        self._places.discard(key)
        if running is not None:
            running.give_port_up()
            children = self._processes.children
            for name in COMPONENTS:
                full = self.component(key, name)
                child = children.get(full)
                if child is not None and child.running:
                    await self._processes.stop(full, grace_seconds=_GRACE_SECONDS)
            await running.proxy.stop()
        if not keep:
            await asyncio.to_thread(shutil.rmtree, self._state.clusters / key.slug, ignore_errors=True)

    async def suspend_all(self) -> None:
        """Stop the processes of every cluster at the same time; ``resume`` goes on with their data."""
        await asyncio.gather(*(self._tear_down(key, keep=True) for key in list(self._running)))

    def route(self, key: ClusterKey, host: str, port: int, target: tuple[str, int] | None) -> None:
        """See ``ControlPlanes.route``. A cluster that is not there has no routes: taking one away is no error.

        Raises LookupError when a route is added to a cluster that does not run.
        """
        running = self._running.get(key)
        if running is not None:
            running.proxy.route(host, port, target)
        elif target is not None:
            raise LookupError(f"cluster {key.slug} does not run, so {host}:{port} cannot be reached from it")
