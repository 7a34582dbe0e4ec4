"""The kubelet's API, for all nodes of one cluster: the API server finds it at each node's address, port 10250.

Only the API server may ask, as on EKS, where anonymous requests are off and client certificates are checked:
https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import socket
import ssl
import tempfile
import time

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from . import logs
from .podrunner import PodRunner
from .pods import Known, Pods


def server_context(ca_pem: bytes) -> ssl.SSLContext:
    """TLS with a certificate made for this run, and with client certificates of the cluster's authority only."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "system:node")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=5))
        .not_valid_after(now + dt.timedelta(days=365))
        .sign(key, hashes.SHA256())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(cadata=ca_pem.decode())
    with tempfile.NamedTemporaryFile() as pair:  # Python's ssl module takes certificates from files only
        pair.write(certificate.public_bytes(serialization.Encoding.PEM))
        pair.write(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        pair.flush()
        context.load_cert_chain(pair.name)
    return context


class Kubelet:
    """Answers for the nodes of one cluster, each at a port of its own: a request does not tell whom it is for."""

    def __init__(self, pods: Pods, ca_pem: bytes) -> None:
        self._pods, self._tls = pods, server_context(ca_pem)
        self._runner: web.AppRunner | None = None
        self._sites: dict[str, web.SockSite] = {}
        self._nodes: dict[int, str] = {}

    async def start(self) -> None:
        """Get ready; nobody is answered for yet."""
        app = web.Application()
        app.router.add_get("/containerLogs/{namespace}/{pod}/{container}", self._logs)
        app.router.add_get("/pods", self._list)
        app.router.add_get("/healthz", self._healthy)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()

    async def add(self, node: str) -> int:
        """Answer for a node; the port of 127.0.0.1 at which."""
        assert self._runner is not None
        listener = socket.create_server(("127.0.0.1", 0))
        port = int(listener.getsockname()[1])
        site = self._sites[node] = web.SockSite(self._runner, listener, ssl_context=self._tls)
        self._nodes[port] = node
        await site.start()
        return port

    async def remove(self, node: str) -> None:
        """Answer for a node no more."""
        site = self._sites.pop(node, None)
        if site is not None:
            self._nodes = {port: name for port, name in self._nodes.items() if name != node}
            await site.stop()

    async def stop(self) -> None:
        """Stop listening; open log streams end."""
        if self._runner is not None:
            await self._runner.cleanup()

    def _node(self, request: web.Request) -> str:
        transport = request.transport
        port = transport.get_extra_info("sockname")[1] if transport is not None else 0
        if port not in self._nodes:
            raise web.HTTPServiceUnavailable(text="the node is shutting down\n")
        return self._nodes[port]

    async def _healthy(self, _: web.Request) -> web.Response:
        return web.Response(text="ok")

    async def _list(self, request: web.Request) -> web.Response:
        items = [
            {"metadata": {"name": pod.name, "namespace": pod.namespace, "uid": pod.uid}}
            for pod in self._pods.on(self._node(request))
        ]
        return web.Response(
            text=json.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": items}),
            content_type="application/json",
        )

    def _pod(self, request: web.Request) -> tuple[Known, PodRunner | None]:
        node, match = self._node(request), request.match_info
        found = self._pods.find(match["namespace"], match["pod"])
        if found is None or found[0].node != node:
            raise web.HTTPNotFound(text=f'pod "{match["pod"]}" not found\n')
        if match["container"] not in found[0].containers:
            raise web.HTTPNotFound(text=f'container "{match["container"]}" not found in pod "{match["pod"]}"\n')
        return found

    async def _logs(self, request: web.Request) -> web.StreamResponse:
        known, runner = self._pod(request)
        try:
            options = logs.LogOptions.of(request.query, time.time())
        except ValueError as error:
            raise web.HTTPBadRequest(text=f"{error}\n") from error
        name = request.match_info["container"]
        container = next((c for c in runner.containers if c.spec["name"] == name), None) if runner else None
        if container is None:  # a pod that is only played: it never wrote anything
            return web.Response(text="")
        path = container.log_path(previous=options.previous)
        if path is None:
            what = "previous terminated container" if options.previous else "container"
            state = "not found" if options.previous else "is waiting to start"
            raise web.HTTPBadRequest(text=f'{what} "{name}" in pod "{known.name}" {state}\n')
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await response.prepare(request)
        number = container.state.restarts

        def ended() -> bool:
            return options.previous or not container.state.running or container.state.restarts != number

        with contextlib.suppress(ConnectionResetError):  # the reader has gone
            async for piece in logs.read(path, options, ended):
                await response.write(piece)
            await response.write_eof()
        return response
