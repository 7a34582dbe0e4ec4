"""What is done to a cluster before anybody uses it, and before kwok plays the nodes of one that comes back."""

from __future__ import annotations

import ssl
from typing import Any

import pytest
from aiohttp import web

from sandbox.controlplane import bootstrap

LEASES: dict[str, Any] = {"on": 40, "off": 315360000, "new": None}


async def test_leases_of_nodes_that_are_on_are_released() -> None:
    deleted: set[str] = set()

    async def listed(_: web.Request) -> web.Response:
        items = [{"metadata": {"name": name}, "spec": {"leaseDurationSeconds": each}} for name, each in LEASES.items()]
        return web.json_response({"items": items})

    async def delete(request: web.Request) -> web.Response:
        deleted.add(request.match_info["name"])
        return web.json_response({})

    path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
    app = web.Application()
    app.add_routes([web.get(path, listed), web.delete(path + "/{name}", delete)])
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        await bootstrap.release_leases(url, ssl.create_default_context(), 40)
        assert deleted == {"on", "new"}
        with pytest.raises(RuntimeError, match="cannot read the leases of nodes"):
            await bootstrap.release_leases(url + "/nowhere", ssl.create_default_context(), 40)
    finally:
        await runner.cleanup()
