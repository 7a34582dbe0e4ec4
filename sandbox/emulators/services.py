"""ministack's services as the front sees them: what it does not implement is refused before it is asked."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import ministack
from sandbox.front import errors

Handler = Callable[[Call], Awaitable[HttpResponse]]


class MinistackService:
    """One service of ministack, with operations of our own put in front of its own by name."""

    def __init__(self, service: str, protocol: str, repairs: Mapping[str, Handler] | None = None) -> None:
        self.service = service
        self.protocol = protocol
        self.repairs = dict(repairs or {})
        self._operations: frozenset[str] | None = None

    async def handle(self, call: Call) -> HttpResponse:
        """Answer the call."""
        if repair := self.repairs.get(call.action):
            return await repair(call)
        if self._operations is None:
            self._operations = await ministack.imported(ministack.operations, self.service)
        if call.action not in self._operations:
            protocol = self.protocol if call.request.headers.get("x-amz-target") else "query"
            error = errors.not_implemented(self.service, call.action, protocol)
            return errors.render(error, protocol, str(uuid.uuid4()))
        return await ministack.handle(call)
