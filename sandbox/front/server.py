"""The front: the only AWS address of the sandbox, on loopback."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
from aiohttp import web
from botocore.config import Config

from sandbox.contracts import Credentials, HttpRequest, Principal, Service, SessionTag
from sandbox.emulators import cloudformation, iam, identities, ministack
from sandbox.emulators.announcer import Announcer
from sandbox.emulators.cloudformation import calls, permissions
from sandbox.emulators.ec2 import hooks, states
from sandbox.emulators.lookups import Resources
from sandbox.faults.store import Faults
from sandbox.front.accounts import Account, Accounts, sandbox_token
from sandbox.front.admin import Admin
from sandbox.front.authentication import Authenticator
from sandbox.front.authorization import Authorizer
from sandbox.front.calllog import CallLog
from sandbox.front.catalog import Catalog
from sandbox.front.ec2faults import Ec2Faults, Later, Messages
from sandbox.front.faultroutes import FaultRoutes
from sandbox.front.faulty import ApiFaults, KnownCalls
from sandbox.front.gateway import Gateway
from sandbox.front.listing import listing
from sandbox.front.principals import Principals
from sandbox.front.sts import Sts
from sandbox.front.wiring import emulators
from sandbox.seed import policies
from sandbox.threads import Threads

_log = logging.getLogger(__name__)
#: The regions that a listing always covers.
HOME_REGIONS = ("us-west-2",)
#: EC2 user data is at most 16 KB, a CloudFormation template in a body 51,200 bytes; SQS batches are 1 MiB.
_MAX_BODY_BYTES = 4 << 20
#: moto holds one lock for each account, so more threads than a sandbox has busy accounts would only wait for it.
_ANSWERING = 16


class Front:
    """The AWS endpoint. Implements ``sandbox.contracts.Aws``."""

    def __init__(self, state_dir: Path, changed: Callable[[str], None] = lambda _: None) -> None:
        """``changed`` is told the id of each account in which something may have changed."""
        self.state_dir = state_dir
        self._changed = changed
        self.token = sandbox_token(state_dir)
        self.log = CallLog(state_dir / "logs" / "calls.jsonl")
        users = iam.IamStore()
        self.principals = Principals(users, changed=changed)
        self.accounts = Accounts(self.token, self._seed)
        self._authenticator = Authenticator(self.principals)
        self._resources = Resources()
        self._authorizer = Authorizer(identities, self._resources)
        self.faults = Faults(changed=changed)
        self._api_faults = ApiFaults(self.faults)
        catalog = Catalog()
        self.gateway = Gateway(catalog, self._authenticator, self._authorizer, self.log, self._api_faults, changed)
        self.faults.perform(KnownCalls(catalog), "throttling", "server-error", "time-out", "expired-credentials")
        self._announcer, self._later = Announcer(changed), Later(changed)
        self._messages = Messages(self.faults, self._announcer, self._later)
        self.faults.perform(self._messages, "spot-interruption", "rebalance-recommendation", "scheduled-change")
        self._sts = Sts(self.principals, users, self._authorizer)
        # These never wait for anything that the front answers or ministack does; the other threads do.
        self._answering = Threads("front", _ANSWERING)
        # A new account waits for ministack, and ministack, when it makes a stack, for EC2. One is made at a time.
        self._accounting = Threads("accounts", 1)
        # A listing calls the front. Two: somebody looks at an account while another listing is under way.
        self._listing = Threads("listing", 2)
        self._preloading: asyncio.Future[None] | None = None
        self._clients: dict[tuple[str, str, str, str], Any] = {}
        self._clients_lock = threading.Lock()
        self._boto = boto3.session.Session()
        self._app = web.Application(client_max_size=_MAX_BODY_BYTES)
        self._app.add_routes([*Admin(self).routes(), *FaultRoutes(self).routes()])
        self._runner: web.AppRunner | None = None
        self._port = 0
        self.gateway.services |= {"sts": self._sts} | emulators(self._answering, self._authorizer)

    @property
    def url(self) -> str:
        """``http://127.0.0.1:<port>``, once started."""
        if not self._port:
            raise RuntimeError("the front has not been started")
        return f"http://127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        """The port of the endpoint; 0 before it is started."""
        return self._port

    def register(self, service: str, handler: Service) -> None:
        """Let ``handler`` answer the calls of a service, by its signing name (``eks``)."""
        self.gateway.services[service] = handler

    def register_tags(self, service: str, find: Callable[[str], Mapping[str, str]]) -> None:
        """Let ``find`` say which tags a resource of a service has, by its ARN, for policies that ask."""
        self._resources.sources[service] = find

    def add_routes(self, routes: list[web.RouteDef]) -> None:
        """Serve more paths; before ``start``. They are no AWS calls: not authenticated, not logged."""
        self._app.add_routes(routes)

    async def start(self, port: int = 0) -> None:
        """Listen on a free loopback port, or on the one given."""
        self._later.start()
        for account in self.accounts.all():
            await self._later.run(account.account_id, partial(states.go_on, account.account_id))
        self._app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(self._app, access_log=None, shutdown_timeout=2.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        # The first call of a service would wait for seconds while its emulator is imported.
        self._preloading = asyncio.ensure_future(ministack.imported(cloudformation.preload))

    async def stop(self) -> None:
        """Stop listening."""
        await self.faults.stop()
        await self._messages.stop()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        if self._preloading is not None:
            self._preloading.cancel()
        for account in self.accounts.all():
            calls.CLIENTS.pop(account.account_id, None)
            permissions.AUTHORIZERS.pop(account.account_id, None)
            ministack.FRONTS.pop(account.account_id, None)
            hooks.HOOKS.pop(account.account_id, None)
        for threads in (self._answering, self._accounting, self._listing, self._announcer, self._later):
            threads.close()
        self.log.close()

    def _seed(self, account: Account) -> None:
        self.connect(account)
        iam.seed_admin(account)

    def connect(self, account: Account) -> None:
        """Let the emulators find this front as that of the account, which is new or of an earlier run."""
        policies.install()
        ministack.FRONTS[account.account_id] = lambda: self.url
        hooks.HOOKS[account.account_id] = Ec2Faults(account.account_id, self.faults, self._announcer, self._later)
        permissions.AUTHORIZERS[account.account_id] = self._authorizer
        calls.CLIENTS[account.account_id] = lambda region: permissions.forwarding(
            self.client("ec2", account.account_id, region, principal=permissions.SERVICE)
        )

    async def create_account(self, name: str, account_id: str | None = None) -> Account:
        """Make the account of that name, or find it. Raises ValueError as ``Accounts.get_or_create`` does."""
        account = await self._accounting.run(self.accounts.get_or_create, name, account_id)
        self._changed(account.account_id)
        return account

    async def listing(self, account: Account, regions: list[str] | None = None) -> dict[str, dict[str, list[str]]]:
        """What the account has, by region and kind; regions that it never called are skipped unless named."""
        account_id = account.account_id
        entries = self.log.select(lambda entry: entry.account == account_id and bool(entry.region))
        used = regions or sorted({entry.region for entry in entries if entry.region} | set(HOME_REGIONS))

        def client(service: str, region: str) -> Any:
            return self.client(service, account_id, region, principal="listing.sandbox.internal")

        return await self._listing.run(listing, client, used)

    def client(self, service: str, account: str, region: str, *, principal: str = "eks.amazonaws.com") -> Any:
        """A boto3 client (blocking) that signs as the AWS service ``principal``."""
        wanted = (service, account, region, principal)
        with self._clients_lock:
            if wanted not in self._clients:
                keys = self.principals.service(account, principal)
                self._clients[wanted] = self._boto.client(
                    service,
                    region_name=region,
                    endpoint_url=self.url,
                    aws_access_key_id=keys.access_key_id,
                    aws_secret_access_key=keys.secret_access_key,
                    aws_session_token=keys.token,
                    config=Config(max_pool_connections=32, retries={"mode": "standard", "total_max_attempts": 2}),
                )
            return self._clients[wanted]

    def mint_session(
        self, role_arn: str, session_name: str, *, duration_seconds: int = 3600, tags: Sequence[SessionTag] = ()
    ) -> Credentials:
        """Credentials of an assumed role. Raises LookupError when the role does not exist."""
        return self._sts.session(role_arn, session_name, duration_seconds, tuple(tags))

    def verify_presigned(self, url: str, headers: Mapping[str, str]) -> Principal:
        """The signer of a presigned GetCallerIdentity URL. Raises PermissionError with the reason."""
        principal = self._authenticator.presigned(url, headers)
        if self._api_faults.expired(principal, _region_of(url), "sts", "GetCallerIdentity"):
            raise PermissionError("presigned request refused: expired")
        return principal

    async def _serve(self, request: web.Request) -> web.Response:
        path, _, query = request.raw_path.partition("?")
        headers = {name.lower(): value for name, value in request.headers.items()}
        answer = await self.gateway.answer(HttpRequest(request.method, path, query, headers, await request.read()))
        if answer is None:
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=504)  # nobody reads it
        headers = {name: value for name, value in answer.headers.items() if name.lower() != "content-length"}
        return web.Response(status=answer.status, headers=headers, body=answer.body)


def _region_of(url: str) -> str:
    """The region in the credential scope of a presigned URL.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
    """
    scope = parse_qs(urlsplit(url).query).get("X-Amz-Credential", [""])[0].split("/")
    return scope[2] if len(scope) > 2 else ""
