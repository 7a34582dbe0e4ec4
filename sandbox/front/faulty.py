"""Faults of the AWS API: throttling, server errors, time-outs and expired credentials.

They strike who calls from outside; AWS services that act for themselves, the sandbox's own parts among them, go on.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
import time
from collections.abc import Awaitable, Callable
from fnmatch import fnmatchcase

from sandbox.contracts import Call, HttpResponse, Principal
from sandbox.faults.bucket import Bucket
from sandbox.faults.model import Fault, FaultError
from sandbox.faults.store import Faults
from sandbox.front import errors
from sandbox.front.catalog import SERVICES, Catalog
from sandbox.front.errors import AwsError


class UnansweredError(Exception):
    """The caller is not to get an answer; ``kept_back`` is the one of a call that was made all the same."""

    def __init__(self, kept_back: HttpResponse | None) -> None:
        super().__init__()
        self.kept_back = kept_back


class ApiFaults:
    """Asked by the gateway for each call that would be answered."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._buckets: dict[tuple[str, str, str, str], Bucket] = {}
        self._random: dict[str, random.Random] = {}
        self._lock = threading.Lock()

    def expired(self, principal: Principal, region: str, service: str, action: str) -> bool:
        """Whether the principal's credentials are to be taken as expired."""
        return self._find("expired-credentials", principal, region, service, action) is not None

    async def answer(
        self, call: Call, protocol: str, handle: Callable[[Call], Awaitable[HttpResponse]]
    ) -> AwsError | HttpResponse:
        """The call's answer, or the error that strikes it. Raises UnansweredError."""
        where = (call.principal, call.region, call.service, call.action)
        if self.expired(*where):
            return errors.refused("expired", protocol)
        if (fault := self._find("throttling", *where)) and not self._bucket(fault, call).take(time.monotonic()):
            return throttled(call.service, protocol)
        if (fault := self._find("server-error", *where)) and self._draw(fault):
            return server_error(call.service, int(fault.text("status")), protocol)
        if fault := self._find("time-out", *where):
            kept_back = await handle(call) if fault.parameters["done"] else None
            await self._hold(fault)
            raise UnansweredError(kept_back)
        return await handle(call)

    def _find(self, kind: str, principal: Principal, region: str, service: str, action: str) -> Fault | None:
        if principal.service is not None:
            return None
        subject = {"region": region, "service": service, "action": action, "principal": principal.arn}
        return self._faults.find(principal.account, kind, subject)

    def _bucket(self, fault: Fault, call: Call) -> Bucket:
        """Throttling is by region and operation: https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html"""
        rate = fault.number("rate")
        burst = fault.number("burst") if "burst" in fault.parameters else (max(1.0, rate) if rate else 0.0)
        key = (fault.id, call.region, call.service, call.action)
        with self._lock:
            return self._buckets.setdefault(key, Bucket(rate, burst))

    def _draw(self, fault: Fault) -> bool:
        with self._lock:
            source = self._random.setdefault(fault.id, random.Random(int(fault.number("seed"))))
            return source.random() * 100 < fault.number("percent")

    async def _hold(self, fault: Fault) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._faults.gone(fault), fault.number("held_seconds"))


class KnownCalls:
    """Refuses faults of operations that no service has: they would never strike."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    async def begin(self, fault: Fault) -> None:
        """Raises FaultError when no operation of the services is meant."""
        services = [name for name in SERVICES if fnmatchcase(name, fault.selectors.get("service", "*"))]
        if (action := fault.selectors.get("action", "*")) == "*":
            return
        known = await asyncio.to_thread(self._operations, services)
        if not any(fnmatchcase(one, action) for one in known):
            first = action[:4]
            near = sorted(one for one in known if one.startswith(first))[:12] or sorted(known)[:12]
            raise FaultError(
                f"action={action}: {', '.join(services)} has no such operation; it has {', '.join(near)} ..."
            )

    async def resume(self, fault: Fault) -> None:
        """Nothing is to be begun."""

    async def end(self, fault: Fault) -> None:
        """Nothing was begun."""

    def _operations(self, services: list[str]) -> set[str]:
        found: set[str] = set()
        for name in services:
            api = self._catalog.api(name)
            found |= api.operations if api else set()
        return found


def throttled(service: str, protocol: str) -> AwsError:
    """How a service throttles.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html (RequestLimitExceeded)
    https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html (Throttling)
    https://docs.aws.amazon.com/systems-manager/latest/APIReference/CommonErrors.html (ThrottlingException)
    https://docs.aws.amazon.com/eks/latest/APIReference/CommonErrors.html (ThrottlingException)
    """
    if protocol == "ec2":
        return AwsError("RequestLimitExceeded", "Request limit exceeded.", 503)
    if protocol == "query":
        return AwsError("Throttling", "Rate exceeded", 400)
    # By botocore's models of EKS and EKS Auth.
    return AwsError("ThrottlingException", "Rate exceeded", 429 if service.startswith("eks") else 400)


#: EKS names its errors itself: https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeCluster.html#API_DescribeCluster_Errors
_SERVER_ERRORS = {
    ("eks", 500): "ServerException",
    ("eks", 503): "ServiceUnavailableException",
    ("eks-auth", 500): "InternalServerException",
    ("eks-auth", 503): "ServiceUnavailableException",
}


def server_error(service: str, status: int, protocol: str) -> AwsError:
    """How a service fails.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html (InternalError, Unavailable)
    https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html (InternalFailure, ServiceUnavailable)
    """
    if protocol == "ec2":
        code = "InternalError" if status == 500 else "Unavailable"
    else:
        code = _SERVER_ERRORS.get((service, status)) or ("InternalFailure" if status == 500 else "ServiceUnavailable")
    unknown = "The request processing has failed because of an unknown error, exception or failure."
    return AwsError(code, unknown if status == 500 else "The request has failed due to a temporary failure.", status)
