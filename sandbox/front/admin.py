"""The sandbox's own routes below /_sandbox: accounts, the call log, what is missing, health."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from aiohttp import web

from sandbox.front.accounts import Account, AccountTakenError
from sandbox.front.calllog import Entry, present
from sandbox.front.token import authorize

if TYPE_CHECKING:
    from sandbox.front.server import Front


def account_view(account: Account) -> dict[str, str]:
    """What a caller who may make accounts gets to know of one."""
    return {
        "name": account.name,
        "account_id": account.account_id,
        "principal_arn": account.principal_arn,
        "access_key_id": account.credentials.access_key_id,
        "secret_access_key": account.credentials.secret_access_key,
    }


def entry_filter(query: dict[str, str]) -> Callable[[Entry], bool]:
    """A filter from the query: account, service, since (seconds since the epoch or ISO 8601), action, mutating."""
    unknown = set(query) - {"account", "service", "since", "action", "mutating"}
    if unknown:
        raise ValueError(f"unknown filter: {', '.join(sorted(unknown))}")
    since = _moment(query["since"]) if "since" in query else 0.0
    exact = {key: query[key] for key in ("account", "service", "action") if key in query}
    mutating = {"true": True, "false": False}[query["mutating"]] if "mutating" in query else None

    def wanted(entry: Entry) -> bool:
        return (
            entry.time >= since
            and all(getattr(entry, key) == value for key, value in exact.items())
            and mutating in (None, entry.mutating)
        )

    return wanted


def _moment(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()


class Admin:
    """Handlers of the routes."""

    def __init__(self, front: Front) -> None:
        self._front = front

    def routes(self) -> list[web.RouteDef]:
        """The routes to add to the front."""
        return [
            web.get("/_sandbox/health", self.health),
            web.post("/_sandbox/accounts", self.create_account),
            web.get("/_sandbox/accounts", self.list_accounts),
            web.get("/_sandbox/calls", self.calls),
            web.get("/_sandbox/unimplemented", self.unimplemented),
            web.get("/_sandbox/listing", self.listing),
        ]

    async def health(self, _: web.Request) -> web.Response:
        """Whether the front answers, and which services it has."""
        return web.json_response({"status": "ok", "services": sorted(self._front.gateway.services)})

    async def create_account(self, request: web.Request) -> web.Response:
        """Make the account that the JSON body names, with the ``account_id`` it gives, or find it. Needs the token."""
        authorize(request, self._front.token)
        try:
            body = await request.json()
            unknown = sorted(set(body) - {"name", "account_id"})
            if unknown:
                raise ValueError(f"unknown: {', '.join(unknown)}")
            wanted = body.get("account_id")
            account = await self._front.create_account(str(body["name"]), None if wanted is None else str(wanted))
        except AccountTakenError as error:
            raise web.HTTPConflict(text=str(error)) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise web.HTTPBadRequest(text=f'give {{"name": "…", "account_id": "12 digits"}}: {error}') from error
        return web.json_response(account_view(account))

    async def list_accounts(self, request: web.Request) -> web.Response:
        """The accounts made so far, with keys. Needs the sandbox's token."""
        authorize(request, self._front.token)
        return web.json_response([account_view(account) for account in self._front.accounts.all()])

    async def calls(self, request: web.Request) -> web.Response:
        """The call log: ?account=&service=&action=&mutating=&since="""
        try:
            wanted = entry_filter(dict(request.query))
        except (ValueError, KeyError) as error:
            raise web.HTTPBadRequest(text=str(error)) from error
        return web.json_response([present(entry) for entry in self._front.log.select(wanted)])

    async def unimplemented(self, _: web.Request) -> web.Response:
        """Operations that were asked for and that nothing here implements."""
        return web.json_response(self._front.log.unimplemented())

    async def listing(self, request: web.Request) -> web.Response:
        """Everything the account has: ?account=<id>[&region=…, repeated]; regions default to those in use."""
        account = self._front.accounts.by_id(request.query.get("account", ""))
        if account is None:
            raise web.HTTPNotFound(text="no such account; give ?account=<12 digits>")
        regions = request.query.getall("region", []) or None
        return web.json_response(await self._front.listing(account, regions))
