"""ministack's services in this process: no listener, no start-up hooks, one event loop of their own.

ministack keeps its state in module globals, by account and region. Its handlers are coroutines that hardly ever
wait, so one loop in one thread serves all of them and makes each call atomic.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import cache
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs

from sandbox.contracts import Call, HttpResponse, Principal
from sandbox.threads import Threads

#: AWS's name of a service -> ministack's module.
MODULES = {"iam": "iam", "cloudformation": "cloudformation", "sqs": "sqs", "events": "eventbridge"}

#: Of EventBridge what the sandbox looks after: buses, rules, targets, events. The rest of ministack's is partly empty.
_EVENTS = frozenset(
    {
        "CreateEventBus",
        "DeleteEventBus",
        "DescribeEventBus",
        "ListEventBuses",
        "PutRule",
        "DeleteRule",
        "DescribeRule",
        "ListRules",
        "EnableRule",
        "DisableRule",
        "PutTargets",
        "RemoveTargets",
        "ListTargetsByRule",
        "ListRuleNamesByTarget",
        "TestEventPattern",
        "PutEvents",
        "PutPermission",
        "RemovePermission",
        "TagResource",
        "UntagResource",
        "ListTagsForResource",
    }
)

_SETTINGS = {
    "AUTH": "true",  # checks of capabilities, queue policies and boundaries, which it leaves out otherwise
    "LOG_LEVEL": "WARNING",
    "MINISTACK_TEST_NO_AUTOSTART": "1",  # no schedulers
    "SFTP_ENABLED": "0",
    "IOT_MTLS_ENABLED": "0",
    "PERSIST_STATE": "0",
}

_IMPORTING = threading.RLock()
#: For whom ministack works, also in what it goes on with after its answer: stacks.
CALLER: contextvars.ContextVar[Principal | None] = contextvars.ContextVar("caller", default=None)
#: One thread: imports wait for each other anyway.
_IMPORTER = Threads("ministack-import", 1)


async def imported[**P, R](function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
    """Call a function that needs ministack's modules, whose import takes seconds, off the event loop."""
    return await _IMPORTER.run(function, *arguments, **named)


@cache
def module(name: str) -> ModuleType:
    """ministack's module ``services.<name>`` or ``core.<name>``, imported with the sandbox's settings."""
    with _IMPORTING:
        return _import(name)


def _import(name: str) -> ModuleType:
    before = {key: os.environ.get(key) for key in _SETTINGS}
    handlers = list(logging.getLogger().handlers)
    level = logging.getLogger().level
    os.environ.update(_SETTINGS)
    try:
        __import__("ministack.app")
        found = __import__(f"ministack.{name}", fromlist=["*"])
    finally:
        for key, value in before.items():
            os.environ.pop(key, None) if value is None else os.environ.update({key: value})
        logging.getLogger().handlers[:] = handlers
        logging.getLogger().setLevel(level)
    assert isinstance(found, ModuleType)
    if name == "services.sqs":
        _find_at_fronts(found)
    return found


#: account -> the URL of the front that the account is one of; that front puts it here.
FRONTS: dict[str, Callable[[], str]] = {}


def _find_at_fronts(sqs: ModuleType) -> None:
    """Let the URL of a queue begin with the address of its account's front, in answers and in stacks alike.

    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-queue-message-identifiers.html
    """

    def queue_url(account: str, name: str) -> str:
        return f"{FRONTS[account]()}/{account}/{name}"

    vars(sqs)["_queue_url_for_account"] = queue_url


@cache
def operations(service: str) -> frozenset[str]:
    """The operations that ministack implements: the keys of the table by which it finds their handlers."""
    code = module(f"services.{MODULES[service]}")
    if service == "iam":
        return frozenset(code._IAM_HANDLERS)
    if service == "cloudformation":
        return frozenset(code._ACTION_HANDLERS)
    if service == "sqs":
        return frozenset(code._HANDLERS)
    return _dispatched(code.handle_request) & _EVENTS


def _dispatched(function: Callable[..., Any]) -> frozenset[str]:
    """The keys of a handler table that lives inside a function (EventBridge's): names that look like operations."""
    constants: list[object] = list(inspect.unwrap(function).__code__.co_consts)
    flat = [item for value in constants for item in (value if isinstance(value, tuple) else (value,))]
    module_names = {name for name in dir(inspect.getmodule(function)) if name.startswith("_")}
    found = {item for item in flat if isinstance(item, str) and _snake(item) in module_names}
    return frozenset(found)


def _snake(name: str) -> str:
    return "_" + "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


class Loop:
    """The event loop on which ministack runs, in a daemon thread; one per process, because its state is."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="ministack", daemon=True)
        self._thread.start()
        vars(module("app"))["_MAIN_LOOP"] = self.loop  # where its worker threads look for it

    def submit[T](self, work: Coroutine[Any, Any, T]) -> Awaitable[T]:
        """Run a coroutine there, awaited from another loop."""
        return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self.loop))

    def run[T](self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine there and block until it is done; not from that thread itself."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()


@cache
def loop() -> Loop:
    """The process's only ministack loop."""
    return Loop()


def scoped[T](account: str, region: str, function: Callable[[], T]) -> T:
    """Call ``function``, on ministack's loop, with that account and region in force."""

    async def work() -> T:
        with module("core.responses").request_scope(account, region):
            return function()

    return loop().run(work())


async def handle(call: Call) -> HttpResponse:
    """ministack's answer to a call of a service in MODULES whose operation it implements."""
    return await loop().submit(_handle(call))


async def _handle(call: Call) -> HttpResponse:
    CALLER.set(call.caller)
    code = module(f"services.{MODULES[call.service]}")
    region = "us-east-1" if call.service == "iam" else call.region
    headers = dict(call.request.headers) | {"authorization": _authorization(call)}
    headers.pop("x-amz-security-token", None)
    query = parse_qs(call.request.query, keep_blank_values=True)
    with module("core.responses").request_scope(call.principal.account, region):
        module("core.iam_evaluator")._request_caller_arn.set(call.principal.arn)
        # AWS is reached by TLS alone; the front's loopback hop must not look like plain HTTP to a DenyHTTP statement.
        module("core.iam_evaluator").pin_request_origin("127.0.0.1", True)
        status, answer, body = await code.handle_request(
            call.request.method, call.request.path, headers, call.request.body, query
        )
    return HttpResponse(status, _headers(answer), body.encode() if isinstance(body, str) else body)


def _headers(answer: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in answer.items()}


def _authorization(call: Call) -> str:
    """A header that makes ministack see the account as the caller: a key id of twelve digits is an account to it."""
    scope = f"{call.principal.account}/20260101/{call.region}/{call.service}/aws4_request"
    return f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature={'0' * 64}"
