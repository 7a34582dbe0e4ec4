"""Events as the kubelet writes them, for ``kubectl describe pod``."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Mapping
from typing import Any

from .kube import KubeApi, KubeError
from .node import timestamp


def event(pod: Mapping[str, Any], kind: str, reason: str, message: str) -> dict[str, Any]:
    """An Event about a pod; ``kind`` is Normal or Warning."""
    metadata, now = pod["metadata"], timestamp()
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{metadata['name']}.{uuid.uuid4().hex[:16]}", "namespace": metadata["namespace"]},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
        },
        "type": kind,
        "reason": reason,
        "message": message[:1024],
        "source": {"component": "kubelet", "host": pod["spec"].get("nodeName", "")},
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    }


class Recorder:
    """Writes events about one pod in the background; one that cannot be written is lost, as the kubelet's are."""

    def __init__(self, pod: Mapping[str, Any], api: KubeApi) -> None:
        self._pod, self._api = pod, api
        self._tasks: set[asyncio.Task[None]] = set()
        self._last: tuple[str, str] = ("", "")

    def record(self, kind: str, reason: str, message: str) -> None:
        """Write an event; the same one in a row only once."""
        if (reason, message) == self._last:
            return
        self._last = (reason, message)
        task = asyncio.create_task(self._write(event(self._pod, kind, reason, message)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _write(self, body: Mapping[str, Any]) -> None:
        with contextlib.suppress(KubeError):
            await self._api.create(f"/api/v1/namespaces/{body['metadata']['namespace']}/events", body)
