"""Pods that never become ready on demand: an admission webhook takes the readiness out of what is written of them.

So nobody sees them ready for a moment, whoever plays them. The webhook is registered while such a fault is set.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import secrets
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from sandbox import admission
from sandbox.contracts import ClusterKey
from sandbox.eks import certificates
from sandbox.faults import labels
from sandbox.faults.model import Fault
from sandbox.faults.store import Faults

from . import readiness
from .instance import Instance
from .kube import STRATEGIC, KubeApi, KubeError
from .node import timestamp
from .nodefaults import subject

KIND = "pods-never-ready"
_NAME = "sandbox-faults"
_WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


class UnreadyPods:
    """The pods of one cluster. ``instance(node)`` is the machine of a node, ``report(namespace, name)`` lets a pod that
    runs as processes tell its status itself, and says whether it is one."""

    def __init__(
        self,
        key: ClusterKey,
        admin: KubeApi,
        faults: Faults,
        folder: Path,
        instance: Callable[[str], Instance | None],
        report: Callable[[str, str], bool],
    ) -> None:
        self._key, self._admin, self._faults, self._folder = key, admin, faults, folder
        self._instance, self._report = instance, report
        self._secret = secrets.token_urlsafe(16)
        self._runner: web.AppRunner | None = None
        self._url, self._ca_pem = "", b""
        self._lock = asyncio.Lock()

    def concerned(self, fault: Fault) -> bool:
        """Whether the fault can concern pods of this cluster."""
        return fault.kind == KIND and fault.limited("region", "cluster").concerns(self._place())

    def _place(self) -> dict[str, str]:
        return {"region": self._key.region, "cluster": self._key.name}

    async def synchronise(self) -> None:
        """Register the webhooks of the faults that are set now. Raises KubeError."""
        async with self._lock:
            wanted = [one for one in self._faults.all(self._key.account) if self.concerned(one)]
            if wanted and self._runner is None:
                await self._start()
            # Replaced as a whole: there is one writer.
            await self._admin.delete(f"{_WEBHOOKS}/{_NAME}")
            if wanted:
                await self._admin.create(_WEBHOOKS, admission.configuration(_NAME, [self._hook(one) for one in wanted]))

    def _hook(self, fault: Fault) -> dict[str, Any]:
        return admission.hook(
            f"{fault.id}.faults.sandbox.internal",
            f"{self._url}/{self._secret}/{fault.id}",
            self._ca_pem,
            operation="UPDATE",
            resource="pods/status",
            objectSelector=labels.parse(fault.text("pods")),
            # A status that cannot be looked at is written later.
            failurePolicy="Fail",
        )

    async def _start(self) -> None:
        files = await asyncio.to_thread(certificates.ensure, self._folder)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(files.certificate, files.key)
        app = web.Application()
        app.router.add_post("/{secret}/{fault}", self._review)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=context).start()
        self._url, self._ca_pem = f"https://127.0.0.1:{self._runner.addresses[0][1]}", files.ca_pem

    async def _review(self, request: web.Request) -> web.Response:
        if not hmac.compare_digest(request.match_info["secret"].encode(), self._secret.encode()):
            raise web.HTTPNotFound
        review = await request.json()
        pod = review["request"]["object"]
        fault = next(
            (one for one in self._faults.all(self._key.account) if one.id == request.match_info["fault"]), None
        )
        held = fault is not None and self._holds(fault, pod)
        return web.json_response(admission.reviewed(review, readiness.taken(pod) if held else None))

    def _holds(self, fault: Fault, pod: dict[str, Any]) -> bool:
        instance = self._instance(pod["spec"].get("nodeName", ""))
        if instance is None:
            return False
        return fault.concerns(subject(instance) | self._place() | {"namespace": pod["metadata"]["namespace"]})

    async def release(self, fault: Fault) -> None:
        """The fault is cleared: what it kept from being ready becomes so. Raises KubeError."""
        for pod in await self._pods(labelSelector=fault.text("pods")):
            if self._holds(fault, pod):
                await self._make_ready(pod)

    async def recover(self, node: str) -> None:
        """A node is ready again: its kubelet reports its pods. Raises KubeError."""
        for pod in await self._pods(fieldSelector=f"spec.nodeName={node}"):
            await self._make_ready(pod)

    async def _pods(self, **query: str) -> list[dict[str, Any]]:
        listed = await self._admin.get(f"/api/v1/pods?{urlencode(query)}")
        return [*(listed.get("items") or ())]

    async def _make_ready(self, pod: dict[str, Any]) -> None:
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        patch = readiness.given(pod, timestamp())
        if patch is None or self._report(namespace, name):
            return
        try:
            await self._admin.patch(f"/api/v1/namespaces/{namespace}/pods/{name}/status", patch, STRATEGIC)
        except KubeError as error:
            if error.status not in (404, 409):
                raise

    async def stop(self) -> None:
        """Serve no more."""
        if self._runner is not None:
            with contextlib.suppress(OSError):
                await self._runner.cleanup()
            self._runner = None
