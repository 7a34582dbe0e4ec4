"""The admission webhook of pod identity: an https server on loopback that all API servers of the sandbox ask.

EKS has it inside its control plane, with the same effect; the sandbox registers it in the cluster.
https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html
https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
"""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

from aiohttp import web

from sandbox import admission
from sandbox.eks import certificates, injection, podidentity
from sandbox.eks.model import Cluster
from sandbox.eks.store import Store
from sandbox.eks.webhooks import cluster_of_path

_CONFIGURATION = "pod-identity-webhook"


class AdmissionServer:
    """Serves ``https://127.0.0.1:<port>/pod-identity/<account>/<region>/<cluster>/<secret>``."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store = store
        self._folder = folder
        self._runner: web.AppRunner | None = None
        self._port = 0
        self._ca_pem = b""

    @property
    def ca_pem(self) -> bytes:
        """The certificate of the CA that API servers have to trust."""
        return self._ca_pem

    def url(self, cluster: Cluster) -> str:
        """Where the cluster's API server sends its reviews."""
        place = f"{cluster.account}/{cluster.region}/{cluster.name}/{cluster.secret}"
        return f"https://127.0.0.1:{self._port}/pod-identity/{place}"

    def configuration(self, cluster: Cluster) -> dict[str, Any]:
        """The object that registers the webhook; like EKS, a cluster works on when the webhook does not answer."""
        hook = admission.hook(
            "pod-identity.eks.amazonaws.com",
            self.url(cluster),
            self._ca_pem,
            operation="CREATE",
            resource="pods",
            failurePolicy="Ignore",
            reinvocationPolicy="IfNeeded",
        )
        return admission.configuration(_CONFIGURATION, [hook])

    async def start(self) -> None:
        """Listen, on the port of an earlier run when it is free (clusters that run on know it)."""
        files = certificates.ensure(self._folder)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(files.certificate, files.key)
        app = web.Application()
        app.router.add_post("/pod-identity/{account}/{region}/{cluster}/{secret}", self._review)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        self._ca_pem = files.ca_pem
        self._port = await self._listen(self._runner, context)
        (self._folder / "port").write_text(str(self._port))

    async def stop(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _listen(self, runner: web.AppRunner, context: ssl.SSLContext) -> int:
        remembered = self._folder / "port"
        ports = [int(remembered.read_text()), 0] if remembered.exists() else [0]
        for port in ports:
            try:
                await web.TCPSite(runner, "127.0.0.1", port, ssl_context=context).start()
            except OSError:
                if port == 0:
                    raise
                continue
            break
        number: int = runner.addresses[0][1]
        return number

    async def _review(self, request: web.Request) -> web.Response:
        cluster = cluster_of_path(self._store, request)
        review = await request.json()
        return web.json_response(answer(cluster, review))


def answer(cluster: Cluster, review: dict[str, Any]) -> dict[str, Any]:
    """The review's answer: allowed, with a patch when the pod's service account has an association now."""
    request = review["request"]
    pod = request["object"]
    account = pod["spec"].get("serviceAccountName") or "default"
    found = podidentity.find(cluster, request["namespace"], account)
    return admission.reviewed(review, None if found is None else injection.patch(pod, cluster.region))
