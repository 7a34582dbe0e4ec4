"""The check of an API server that has to be the one of a version."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from sandbox.controlplane.health import answers_as


class Server:
    """Says that it is of a version, and whether it is ready."""

    def __init__(self) -> None:
        self.version, self.ready, self.url = "v1.35.9", 500, ""

    async def start(self) -> web.AppRunner:
        app = web.Application()
        app.router.add_get("/version", self._version)
        app.router.add_get("/readyz", self._readyz)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        return runner

    async def _version(self, _: web.Request) -> web.Response:
        return web.json_response({"gitVersion": self.version})

    async def _readyz(self, _: web.Request) -> web.Response:
        return web.Response(status=self.ready, text="etcd failed")


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    found = Server()
    runner = await found.start()
    yield found
    await runner.cleanup()


async def test_another_version_is_not_the_one_that_is_waited_for(server: Server) -> None:
    server.ready = 200
    check = answers_as(server.url, ssl.create_default_context(), "v1.36.3")
    with pytest.raises(RuntimeError, match=r"is answered by v1\.35\.9"):
        await check()
    server.version = "v1.36.3"
    assert await check()


async def test_one_that_is_not_ready_says_why(server: Server) -> None:
    check = answers_as(server.url, ssl.create_default_context(), "v1.35.9")
    with pytest.raises(RuntimeError, match="/readyz says 500: etcd failed"):
        await check()
