"""The routes below /_sandbox/faults: set, list and clear the faults of an account. All need the sandbox's token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from sandbox.faults.model import FaultError
from sandbox.front.accounts import Account
from sandbox.front.token import authorize

if TYPE_CHECKING:
    from sandbox.front.server import Front

_BODY = 'give {"account": "id or name", "kind": "…", "values": {"name": "value"}}'


class FaultRoutes:
    """Handlers of the routes."""

    def __init__(self, front: Front) -> None:
        self._front = front

    def routes(self) -> list[web.RouteDef]:
        """The routes to add to the front."""
        return [
            web.post("/_sandbox/faults", self.set),
            web.get("/_sandbox/faults", self.list),
            web.delete("/_sandbox/faults", self.clear_all),
            web.delete("/_sandbox/faults/{id}", self.clear),
        ]

    async def set(self, request: web.Request) -> web.Response:
        """Set the fault that the JSON body describes."""
        authorize(request, self._front.token)
        try:
            body = await request.json()
            account = self._account(str(body["account"]))
            kind, values = str(body["kind"]), {str(key): str(value) for key, value in body.get("values", {}).items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise web.HTTPBadRequest(text=_BODY) from error
        try:
            fault = await self._front.faults.set(account.account_id, kind, values)
        except FaultError as error:
            raise web.HTTPBadRequest(text=str(error)) from error
        return web.json_response(fault.view() | {"holds": self._front.faults.holds(fault)})

    async def list(self, request: web.Request) -> web.Response:
        """The faults that are set, of ``?account=`` or of all."""
        authorize(request, self._front.token)
        account = self._account(request.query["account"]).account_id if "account" in request.query else None
        return web.json_response([fault.view() for fault in self._front.faults.all(account)])

    async def clear(self, request: web.Request) -> web.Response:
        """Clear one fault."""
        authorize(request, self._front.token)
        try:
            fault = await self._front.faults.clear(request.match_info["id"])
        except FaultError as error:
            raise web.HTTPNotFound(text=str(error)) from error
        return web.json_response([fault.view()])

    async def clear_all(self, request: web.Request) -> web.Response:
        """Clear the faults of ``?account=``."""
        authorize(request, self._front.token)
        account = self._account(request.query.get("account", ""))
        return web.json_response([fault.view() for fault in await self._front.faults.clear_all(account.account_id)])

    def _account(self, named: str) -> Account:
        accounts = self._front.accounts
        account = accounts.by_id(named) or next((one for one in accounts.all() if one.name == named), None)
        if account is None:
            known = ", ".join(one.name for one in accounts.all())
            raise web.HTTPNotFound(text=f"there is no account {named!r}; there are {known}")
        return account
