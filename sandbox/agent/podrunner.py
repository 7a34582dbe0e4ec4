"""One pod that runs as processes: what a kubelet does between its assignment and its end."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from sandbox.process import Processes, free_port
from sandbox.state import write_private

from . import hostenv, images
from .backoff import Backoff
from .boot import Node
from .container import Container, Launch, NotYetError
from .events import Recorder
from .kube import STRATEGIC, KubeError
from .node import timestamp
from .podenv import ConfigError, Sources, decode_secret, environment, expand, named
from .podstatus import ContainerState, conditions, phase
from .settings import SettingsFile
from .volumes import Volumes

_RENEW_CHECK_SECONDS = 30.0


@dataclass(frozen=True)
class Site:
    """What all pods of a cluster share. ``route(ip, port, host_port)``; ``None`` takes the route away."""

    processes: Processes
    session: aiohttp.ClientSession
    binaries: Mapping[str, Path]
    settings: SettingsFile
    folder: Path
    process_prefix: str
    server: str
    ca_pem: bytes
    aws_url: str
    credentials_url: Callable[[str], str]
    route: Callable[[str, int, int | None], None]


class PodRunner:
    """Runs one pod. ``run`` returns when the pod has been removed from the API server, or ``abandon`` was called."""

    def __init__(self, pod: Mapping[str, Any], node: Node, pod_ip: str, site: Site) -> None:
        self.pod, self.node, self.pod_ip, self._site = pod, node, pod_ip, site
        spec, metadata = pod["spec"], pod["metadata"]
        self.uid: str = metadata["uid"]
        self.name: str = metadata["name"]
        self.policy: str = spec.get("restartPolicy") or "Always"
        self.grace_seconds = float(spec.get("terminationGracePeriodSeconds") or 0)
        self.title = f"{metadata['name']}_{metadata['namespace']}({self.uid})"
        self.path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        self._volumes = Volumes(pod, site.folder / self.uid / "volumes")
        self._recorder = Recorder(pod, node.api)
        self._ports: dict[int, int] = {}
        self._dirty, self._deleted = asyncio.Event(), asyncio.Event()
        self._started_at = (pod.get("status") or {}).get("startTime") or timestamp()
        self._conditions = list((pod.get("status") or {}).get("conditions") or ())
        self.containers = [self._container(entry) for entry in spec["containers"]]

    def _container(self, spec: Mapping[str, Any]) -> Container:
        known = (self.pod.get("status") or {}).get("containerStatuses") or ()
        former: Mapping[str, Any] = next((status for status in known if status["name"] == spec["name"]), {})
        state = ContainerState.restored(spec["name"], spec["image"], former)
        if state.running:  # the process of a former agent: it ended with it
            state = state.ended(timestamp(), 137)
        settings = self._site.settings.read()
        backoff = Backoff(settings.backoff_base_seconds, settings.backoff_cap_seconds)
        metadata = self.pod["metadata"]
        prefix = f"pods/{self._site.process_prefix}/{metadata['namespace']}_{metadata['name']}_{self.uid}"

        def process_name(number: int) -> str:
            return f"{prefix}/{re.sub('[^A-Za-z0-9._-]', '-', spec['name'])}/{number}"

        return Container(spec, state, self, self._site.processes, self._site.session, backoff, process_name)

    # --- what the containers ask of their pod

    def changed(self) -> None:
        """Report the status soon."""
        self._dirty.set()

    def record(self, kind: str, reason: str, message: str) -> None:
        """Write an event about the pod."""
        self._recorder.record(kind, reason, message)

    async def launch(self, container: Mapping[str, Any]) -> Launch:
        """The program of a container, its volumes written. Raises NotYetError."""
        try:
            sources = await self._sources(container)
            await self._volumes.prepare(self.node.api, sources)
            spec_env = environment(self.pod, container, sources)
            binary = images.binary(container["image"], self._site.binaries)
        except ConfigError as error:
            raise NotYetError("CreateContainerConfigError", str(error)) from error
        except KubeError as error:
            raise NotYetError("ContainerCreating", str(error)) from error
        except LookupError as error:
            raise NotYetError("ErrImagePull", str(error)) from error
        host = self._host(container, spec_env)
        arguments = [expand(str(part), spec_env) for part in container.get("args") or ()]
        argv = [str(binary), *(hostenv.host_path(part, host.mounts) for part in arguments)]
        return Launch(argv, hostenv.process_environment(spec_env, self.pod["metadata"]["name"], host), host.ports)

    async def _sources(self, container: Mapping[str, Any]) -> Sources:
        namespace = self.pod["metadata"]["namespace"]
        maps, secrets = named(self.pod, container)
        node_status = (await self.node.api.get(self.node.path))["status"]
        return Sources(
            config_maps={name: (m.get("data") or {}) for name, m in await self._read(namespace, "configmaps", maps)},
            secrets={name: decode_secret(m) for name, m in await self._read(namespace, "secrets", secrets)},
            allocatable=node_status["allocatable"],
            pod_ip=self.pod_ip,
            host_ip=self.node.machine.instance.private_ip,
        )

    async def _read(self, namespace: str, kind: str, names: set[str]) -> list[tuple[str, dict[str, Any]]]:
        """The objects that are there, read as the node: it may read what its own pods name."""
        found = []
        for name in sorted(names):
            try:
                found.append((name, await self.node.api.get(f"/api/v1/namespaces/{namespace}/{kind}/{name}")))
            except KubeError as error:
                if error.status != 404:
                    raise
        return found

    def _host(self, container: Mapping[str, Any], env: Mapping[str, str]) -> hostenv.Host:
        declared = {int(port["containerPort"]): port.get("name", "") for port in container.get("ports") or ()}
        for port in hostenv.needed_ports(env, declared):
            if port not in self._ports:
                self._ports[port] = free_port()
                self._site.route(self.pod_ip, port, self._ports[port])
        mounts = self._volumes.mounts(container)
        token = mounts.get(hostenv.SERVICE_ACCOUNT_FOLDER)
        kubeconfig = self._site.folder / self.uid / "kubeconfig"
        namespace = self.pod["metadata"]["namespace"]
        text = hostenv.kubeconfig(self._site.server, self._site.ca_pem, namespace, token / "token" if token else None)
        write_private(kubeconfig, text)
        return hostenv.Host(
            mounts=mounts,
            ports=dict(self._ports),
            kubeconfig=kubeconfig,
            namespace=namespace,
            server=self._site.server,
            aws_url=self._site.aws_url,
            credentials_url=self._site.credentials_url(self.node.name),
        )

    # --- the life of the pod

    async def run(self) -> None:
        """Run the pod to its end."""
        tasks = [asyncio.create_task(self._report()), asyncio.create_task(self._renew())]
        runs = [asyncio.create_task(container.run()) for container in self._processes()]
        self._pretend_others()
        self.changed()
        try:
            await self._deleted.wait()
            await self._finish()
        finally:
            for task in [*tasks, *runs]:
                task.cancel()
            await asyncio.gather(*tasks, *runs, return_exceptions=True)
            for port in self._ports:
                self._site.route(self.pod_ip, port, None)
            shutil.rmtree(self._site.folder / self.uid, ignore_errors=True)

    def _processes(self) -> list[Container]:
        return [container for container in self.containers if images.is_process(container.spec["image"])]

    def _pretend_others(self) -> None:
        """Containers of other images beside the process count as running, as in the pods that kwok plays."""
        for container in self.containers:
            if not images.is_process(container.spec["image"]):
                container.state = container.state.runs(timestamp(), first=True, probed=False)

    def delete(self, grace_seconds: float) -> None:
        """The API server has marked the pod for deletion."""
        self.grace_seconds = grace_seconds
        self._deleted.set()

    def kill(self) -> bool:
        """Kill the processes, as the kernel does when memory runs out; False when none runs."""
        killed = [container.kill() for container in self._processes()]
        return any(killed)

    async def abandon(self, grace_seconds: float) -> None:
        """Stop the processes and leave the pod's object alone: its node is gone, or the object already is."""
        await asyncio.gather(*(container.stop(grace_seconds) for container in self._processes()))

    async def _finish(self) -> None:
        for container in self._processes():
            self.record("Normal", "Killing", f"Stopping container {container.spec['name']}")
        await self.abandon(self.grace_seconds)
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": self.uid}}
        await self._until_done(lambda: self._patch_status(final=True))
        await self._until_done(lambda: self.node.api.delete(self.path, options))

    async def _until_done(self, step: Callable[[], Awaitable[None]]) -> None:
        """Repeat a last word to the API server until it was heard, or there is nobody left to say it about."""
        pause = 0.2
        while True:
            try:
                await step()
                return
            except KubeError as error:
                if error.status in (404, 409):
                    return
            await asyncio.sleep(pause)
            pause = min(pause * 2, 7.0)

    async def _report(self) -> None:
        pause = 0.2
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            try:
                await self._patch_status()
                pause = 0.2
            except KubeError as error:
                if error.status == 404:
                    return
                self.changed()
                await asyncio.sleep(pause)
                pause = min(pause * 2, 7.0)

    async def _patch_status(self, *, final: bool = False) -> None:
        states = [container.state for container in self.containers]
        now = timestamp()
        found = conditions(states, self._conditions, now)
        host_ip = self.node.machine.instance.private_ip
        status = {
            "phase": "Succeeded" if final and self._all_clean(states) else phase(states, self.policy),
            "conditions": found,
            "hostIP": host_ip,
            "hostIPs": [{"ip": host_ip}],
            "podIP": self.pod_ip,
            "podIPs": [{"ip": self.pod_ip}],
            "startTime": self._started_at,
            "containerStatuses": [c.state.reported(c.process_id) for c in self.containers],
        }
        body = {"metadata": {"uid": self.uid}, "status": status}
        await self.node.api.patch(f"{self.path}/status", body, STRATEGIC)
        self._conditions = found

    @staticmethod
    def _all_clean(states: list[ContainerState]) -> bool:
        return all((state.state.get("terminated") or {}).get("exitCode") == 0 for state in states)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_CHECK_SECONDS)
            with contextlib.suppress(KubeError):
                await self._volumes.renew(self.node.api)
