"""The token that lets a caller use the sandbox's own routes."""

from __future__ import annotations

import hmac

from aiohttp import web

TOKEN_HEADER = "X-Sandbox-Token"


def authorize(request: web.Request, token: str) -> None:
    """Raise HTTPForbidden for a request without the sandbox's token."""
    given = request.headers.get(TOKEN_HEADER, "")
    if not hmac.compare_digest(given.encode(), token.encode()):
        raise web.HTTPForbidden(text=f"{TOKEN_HEADER} is missing or wrong; the token is in the state folder")
