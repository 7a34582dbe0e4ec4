"""What a node offers its pods at link-local addresses: the pod identity agent's credentials.

https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html
"""

from __future__ import annotations

from collections.abc import Callable

import aiohttp
from aiohttp import web

_TIMEOUT = aiohttp.ClientTimeout(total=10)
_FORWARDED = ("authorization", "user-agent")


class LinkLocal:
    """One listener for all nodes of a cluster; ``url(node)`` is where the node's pods ask.

    :param agent_ready: whether the pod identity agent runs on a node.
    :param target: URL that checks the pod's token and answers with credentials.
    """

    def __init__(self, session: aiohttp.ClientSession, agent_ready: Callable[[str], bool], target: str) -> None:
        self._session, self._agent_ready, self._target = session, agent_ready, target
        self._runner: web.AppRunner | None = None
        self._port = 0

    def url(self, node: str) -> str:
        """The stand-in for http://169.254.170.23/v1/credentials on a node."""
        return f"http://127.0.0.1:{self._port}/nodes/{node}/v1/credentials"

    async def start(self) -> None:
        """Listen on a free port of 127.0.0.1."""
        app = web.Application()
        app.router.add_get("/nodes/{node}/v1/credentials", self._credentials)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _credentials(self, request: web.Request) -> web.StreamResponse:
        if not self._agent_ready(request.match_info["node"]):
            # Nobody listens at that address on a node without the agent: the connection ends without an answer.
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=503)
        headers = {name: request.headers[name] for name in _FORWARDED if name in request.headers}
        try:
            async with self._session.get(self._target, headers=headers, timeout=_TIMEOUT) as answer:
                return web.Response(status=answer.status, body=await answer.read(), content_type=answer.content_type)
        except (aiohttp.ClientError, TimeoutError) as error:
            return web.json_response({"message": f"EKS Auth cannot be reached: {error}"}, status=502)
