"""moto's services as the front sees them: in a thread, seeded on first use, honest about what is missing."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import cache

from botocore.session import Session

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import moto
from sandbox.front import errors
from sandbox.front.errors import AwsError
from sandbox.threads import Threads

#: Answers a call, blocking. Raises moto.NotInMotoError.
Answer = Callable[[Call], HttpResponse]


class MotoService:
    """One service that moto answers. ``prepare(account, region)`` runs before the first call of a region."""

    def __init__(self, protocol: str, answer: Answer, prepare: Callable[[str, str], None], threads: Threads) -> None:
        self._protocol = protocol
        self._answer = answer
        self._prepare = prepare
        self._threads = threads

    async def handle(self, call: Call) -> HttpResponse:
        """Answer the call."""
        return await self._threads.run(self._handle, call)

    def _handle(self, call: Call) -> HttpResponse:
        request_id = str(uuid.uuid4())
        if call.region not in _regions():
            return errors.render(unknown_region(call.region), self._protocol, request_id)
        self._prepare(call.principal.account, call.region)
        try:
            return self._answer(call)
        except moto.NotInMotoError:
            error = errors.not_implemented(call.service, call.action, self._protocol)
            return errors.render(error, self._protocol, request_id)


@cache
def _regions() -> frozenset[str]:
    return frozenset(Session().get_available_regions("ec2"))


def unknown_region(region: str) -> AwsError:
    """A region that AWS does not have has no address either; this is the nearest that an endpoint can say."""
    return AwsError("AuthFailure", f"There is no region {region}.", 401)
