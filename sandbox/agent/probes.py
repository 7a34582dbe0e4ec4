"""Probes: what a spec asks for, and what a row of answers means. Pure but for the request itself.

https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import aiohttp

from .kube import failure

Kind = Literal["startup", "liveness", "readiness"]


@dataclass(frozen=True)
class ProbeSpec:
    """An HTTP probe with the defaults of the API filled in; ``port`` is the container's."""

    kind: Kind
    port: int
    path: str
    headers: Mapping[str, str]
    initial_delay_seconds: float
    period_seconds: float
    timeout_seconds: float
    success_threshold: int
    failure_threshold: int
    grace_seconds: float | None

    @classmethod
    def of(cls, kind: Kind, container: Mapping[str, Any]) -> ProbeSpec | None:
        """The container's probe of this kind; None when it has none, or none that HTTP can ask."""
        probe = container.get(f"{kind}Probe")
        if not probe or "httpGet" not in probe:
            return None
        get = probe["httpGet"]
        return cls(
            kind=kind,
            port=container_port(container, get["port"]),
            path="/" + str(get.get("path") or "/").lstrip("/"),
            headers={header["name"]: header["value"] for header in get.get("httpHeaders") or ()},
            initial_delay_seconds=float(probe.get("initialDelaySeconds") or 0),
            period_seconds=float(probe.get("periodSeconds") or 10),
            timeout_seconds=float(probe.get("timeoutSeconds") or 1),
            success_threshold=int(probe.get("successThreshold") or 1),
            failure_threshold=int(probe.get("failureThreshold") or 3),
            grace_seconds=probe.get("terminationGracePeriodSeconds"),
        )


def container_port(container: Mapping[str, Any], port: int | str) -> int:
    """A port by number or by its name in the container's spec. Raises ValueError for an unknown name."""
    if isinstance(port, int) or str(port).isdigit():
        return int(port)
    for entry in container.get("ports") or ():
        if entry.get("name") == port:
            return int(entry["containerPort"])
    raise ValueError(f"container {container['name']} has no port named {port}")


@dataclass
class Verdict:
    """What the answers so far amount to. Readiness and startup begin as failed, liveness as passed."""

    spec: ProbeSpec
    passed: bool = False
    _row: int = 0
    _last: bool | None = None

    def __post_init__(self) -> None:
        self.passed = self.spec.kind == "liveness"

    def answer(self, success: bool) -> bool:
        """Count one answer; True when the verdict has been reached (again) by this one."""
        self._row = self._row + 1 if success is self._last else 1
        self._last = success
        needed = self.spec.success_threshold if success else self.spec.failure_threshold
        if self._row < needed:
            return False
        self.passed = success
        return True


async def ask(session: aiohttp.ClientSession, spec: ProbeSpec, host_port: int, address: str) -> str | None:
    """One request to the process; None for a success, or why not, in the words of a kubelet that asks ``address``."""
    url, shown = f"http://127.0.0.1:{host_port}{spec.path}", f"http://{address}:{spec.port}{spec.path}"
    timeout = aiohttp.ClientTimeout(total=spec.timeout_seconds)
    headers = {"User-Agent": "kube-probe/1.36", "Accept": "*/*"} | dict(spec.headers)
    try:
        async with session.get(url, headers=headers, timeout=timeout, allow_redirects=False) as response:
            if 200 <= response.status < 400:
                return None
            return f"HTTP probe failed with statuscode: {response.status}"
    except TimeoutError:
        return f'Get "{shown}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
    except aiohttp.ClientConnectorError as error:
        return f'Get "{shown}": dial tcp {address}:{spec.port}: connect: {failure(error)}'
    except (aiohttp.ClientError, OSError) as error:
        return f'Get "{shown}": {error or "EOF"}'
