"""An API server that answers as told, and what a node needs around it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aiohttp import web

from sandbox.agent.capacity import Shape
from sandbox.agent.ec2 import Account
from sandbox.agent.families import Image
from sandbox.agent.instance import Instance

NAME = "ip-10-0-0-7.us-west-2.compute.internal"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{NAME}"
INSTANCE = Instance("i-1", "running", "ami-1", "m5.large", "us-west-2a", "subnet-1", "10.0.0.7", NAME, None, 0.0, None)
IMAGE = Image.of("amazon-eks-node-al2023-x86_64-standard-1.36-v20261106")


class Server:
    """Keeps one node. ``refusals`` are the answers to the first attempts to register."""

    def __init__(self) -> None:
        self.node: dict[str, Any] | None = None
        self.lease: dict[str, Any] | None = None
        self.refusals: list[tuple[int, str]] = []
        self.writers: list[str] = []
        self.url = ""

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/api/v1/nodes", self._create)
        app.router.add_get(f"/api/v1/nodes/{NAME}", self._get)
        app.router.add_patch(f"/api/v1/nodes/{NAME}", self._patch)
        app.router.add_patch(f"/api/v1/nodes/{NAME}/status", self._patch)
        app.router.add_delete(f"/api/v1/nodes/{NAME}", self._delete)
        app.router.add_get(LEASE, self._get_lease)
        app.router.add_patch(LEASE, self._patch_lease)
        return app

    async def _create(self, request: web.Request) -> web.Response:
        if self.refusals:
            status, message = self.refusals.pop(0)
            return web.json_response({"message": message, "reason": message.split()[0]}, status=status)
        if self.node is not None:
            return web.json_response({"message": "exists", "reason": "AlreadyExists"}, status=409)
        self.writers.append(request.headers["Authorization"])
        self.node = await request.json()
        self.node["metadata"]["resourceVersion"] = "1"
        return web.json_response(self.node, status=201)

    async def _get(self, _: web.Request) -> web.Response:
        return web.json_response(self.node, status=404 if self.node is None else 200)

    async def _get_lease(self, _: web.Request) -> web.Response:
        return web.json_response(self.lease, status=404 if self.lease is None else 200)

    async def _patch_lease(self, request: web.Request) -> web.Response:
        assert self.lease is not None
        self.lease["spec"].update((await request.json())["spec"])
        return web.json_response(self.lease)

    async def _patch(self, request: web.Request) -> web.Response:
        assert self.node is not None
        change = await request.json()
        self.writers.append(request.headers["Authorization"])
        self.node["metadata"]["labels"].update((change.get("metadata") or {}).get("labels") or {})
        for part in ("spec", "status"):
            self.node[part].update(change.get(part) or {})
        return web.json_response(self.node)

    async def _delete(self, _: web.Request) -> web.Response:
        self.node = None
        return web.json_response({})


class Facts(Account):
    """An account that knows what one instance needs."""

    def shape(self, instance_type: str) -> Shape:
        return Shape(2, 8192, "amd64", 3, 10)

    def disk_gib(self, volume_id: str | None) -> int:
        return 20

    def zone_id(self, zone: str) -> str | None:
        return "usw2-az1"


class Identity:
    """A node that has a role, or not."""

    def __init__(self) -> None:
        self.missing = 0

    async def token(self, cluster: str) -> str:
        if self.missing:
            self.missing -= 1
            raise LookupError("the instance has no instance profile")
        return f"node-of-{cluster}"


async def admin_token() -> str:
    return "admin"


async def recovered(node: str) -> None:
    """There are no pods."""


def logged(tmp_path: Path) -> str:
    log = tmp_path / "i-1.log"
    return log.read_text(encoding="utf-8") if log.exists() else ""
