"""One AWS request from its bytes to its answer: authenticate, name the operation, authorize, hand it on, log it."""

from __future__ import annotations

import json
import logging
import re
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from sandbox.contracts import Call, HttpRequest, HttpResponse, Service
from sandbox.front import errors
from sandbox.front.authentication import Authenticator, Caller, RefusedError
from sandbox.front.authorization import Authorizer
from sandbox.front.calllog import CallLog, Entry
from sandbox.front.catalog import Api, Catalog, is_mutating, parameters
from sandbox.front.errors import AwsError
from sandbox.front.faulty import ApiFaults, UnansweredError
from sandbox.front.forwarding import on_behalf_of
from sandbox.front.signature import MalformedSignatureError, claim_of

_log = logging.getLogger(__name__)
_XML_CODE = re.compile(rb"<Code>([^<]+)</Code>")


@dataclass
class _Exchange:
    """What is known so far of the request that is being answered."""

    request: HttpRequest
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    started: float = field(default_factory=time.time)
    service: str = "unknown"
    action: str = "unknown"
    region: str | None = None
    protocol: str = "query"
    caller: Caller | None = None
    kept_back: HttpResponse | None = None

    def error(self, error: AwsError) -> HttpResponse:
        return errors.render(error, self.protocol, self.request_id)


class Gateway:
    """Answers AWS requests; ``services`` maps signing names to what answers them."""

    def __init__(
        self,
        catalog: Catalog,
        authenticator: Authenticator,
        authorizer: Authorizer,
        log: CallLog,
        faults: ApiFaults,
        changed: Callable[[str], None] = lambda _: None,
    ) -> None:
        """``changed`` is told the account of each call that may have changed something, before it is answered."""
        self._changed = changed
        self._catalog = catalog
        self._authenticator = authenticator
        self._authorizer = authorizer
        self._call_log = log
        self._faults = faults
        self.services: dict[str, Service] = {}

    async def answer(self, request: HttpRequest) -> HttpResponse | None:
        """The answer, always in the wire form of the service that was asked; None when a fault keeps it back."""
        exchange = _Exchange(request)
        try:
            response = await self._answer(exchange)
        except UnansweredError as unanswered:
            exchange.kept_back = unanswered.kept_back
            self._record(exchange, HttpResponse(0, {}, b""))
            return None
        except Exception:
            _log.exception("%s:%s failed", exchange.service, exchange.action)
            message = f"The sandbox failed on {exchange.service}:{exchange.action}; see its log."
            response = exchange.error(AwsError("InternalFailure", message, 500))
        return self._record(exchange, response)

    async def _answer(self, exchange: _Exchange) -> HttpResponse:
        api = self._locate(exchange)
        try:
            exchange.caller = self._authenticator.authenticate(exchange.request)
        except RefusedError as refused:
            return exchange.error(errors.refused(refused.reason, exchange.protocol))
        if api is None:
            text = f"The sandbox has no service {exchange.service}."
            return exchange.error(AwsError("InvalidAction", text, 400, True))
        if exchange.action not in api.operations:
            return exchange.error(errors.unknown_action(exchange.service, exchange.action, exchange.protocol))
        claim, signer = exchange.caller.claim, exchange.caller.principal
        behalf = on_behalf_of(exchange.request, signer)
        call = Call(signer, claim.region, exchange.service, exchange.action, exchange.request, behalf)
        response = await self._faults.answer(call, exchange.protocol, partial(self._permitted, exchange, api))
        return exchange.error(response) if isinstance(response, AwsError) else response

    async def _permitted(self, exchange: _Exchange, api: Api, call: Call) -> HttpResponse:
        """The answer of the service, if the caller may have one: to somebody else AWS does not say what it has."""
        if refusal := self._authorizer.refusal(call, api):
            return exchange.error(refusal.error(exchange.protocol))
        handler = self.services.get(call.service)
        if handler is None:
            return exchange.error(errors.not_implemented(call.service, call.action, exchange.protocol))
        try:
            return await handler.handle(call)
        finally:
            # Receiving a message hides it from others for a while, so it is saved, too.
            if is_mutating(call.action) or call.action == "ReceiveMessage":
                self._changed(call.principal.account)

    def _locate(self, exchange: _Exchange) -> Api | None:
        try:
            claim = claim_of(exchange.request)
        except MalformedSignatureError:
            claim = None
        if claim is None:
            api = self._catalog.guess(exchange.request)
        else:
            exchange.service, exchange.region = claim.service, claim.region
            api = self._catalog.api(claim.service, parameters(exchange.request).get("Version"))
        if api is None:
            exchange.protocol = "json" if "x-amz-target" in exchange.request.headers else "query"
            return None
        exchange.service = api.signing_name
        exchange.protocol = api.wire(exchange.request)
        exchange.action = api.action(exchange.request) or "unknown"
        return api

    def _record(self, exchange: _Exchange, response: HttpResponse) -> HttpResponse:
        headers = {name.lower(): value for name, value in response.headers.items()}
        unimplemented = headers.pop(errors.UNIMPLEMENTED_HEADER, None) is not None or response.status == 501
        headers.setdefault("x-amzn-requestid", exchange.request_id)
        principal = exchange.caller.principal if exchange.caller else None
        code = error_code(response)
        self._call_log.add(
            Entry(
                time=exchange.started,
                request_id=headers["x-amzn-requestid"],
                account=principal.account if principal else None,
                principal_arn=principal.arn if principal else None,
                is_aws_service=bool(principal and principal.service),
                service=exchange.service,
                action=exchange.action,
                region=exchange.region,
                mutating=is_mutating(exchange.action),
                status=response.status,
                error=code,
                unimplemented=unimplemented,
                duration_seconds=round(time.time() - exchange.started, 4),
                done_unanswered=exchange.kept_back is not None and error_code(exchange.kept_back) is None,
            )
        )
        return HttpResponse(response.status, headers, response.body)


def error_code(response: HttpResponse) -> str | None:
    """AWS's code of an error answer, None for a success."""
    if response.status == 0:
        return "NoAnswer"
    if response.status < 300:
        return None
    headers = {name.lower(): value for name, value in response.headers.items()}
    if code := headers.get("x-amzn-errortype"):
        return code.partition(":")[0]
    if match := _XML_CODE.search(response.body):
        return match[1].decode()
    try:
        body = json.loads(response.body)
        code = body.get("__type") or body.get("code")
    except (ValueError, AttributeError):
        code = None
    return str(code).rpartition("#")[2] if code else str(response.status)
