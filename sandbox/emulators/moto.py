"""moto's services in this process, called without a socket.

moto finds the account in the ``x-moto-account-id`` header and the region in the signature's scope.
Its stores are plain dictionaries: one lock per account keeps readers from meeting writers half-way.
"""

from __future__ import annotations

import os
import re
import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

from sandbox.contracts import Call, HttpResponse

_SETTINGS = {
    "MOTO_EC2_LOAD_DEFAULT_AMIS": "false",  # the images of an account come from sandbox.seed
    "MOTO_ENABLE_ISO_REGIONS": "false",
}

_REQUEST_ID = re.compile(rb"(<(?:requestId|RequestID|RequestId)>)[^<]*")

#: One lock for each account.
LOCKS: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)


class NotInMotoError(Exception):
    """moto has no such operation, or has it in name only."""


@cache
def load() -> None:
    """Import moto with the sandbox's settings, which it reads once."""
    os.environ.update(_SETTINGS)
    for name in ("ec2", "ssm"):
        __import__(f"moto.{name}.models")
        __import__(f"moto.{name}.responses")
    from moto.core import responses

    # moto asks a class of hundreds of methods for their names with each call.
    vars(responses)["method_names_from_class"] = cache(responses.method_names_from_class)


def ec2_backend(account: str, region: str) -> Any:
    """moto's EC2 store of an account and region."""
    load()
    from moto.ec2.models import ec2_backends

    return ec2_backends[account][region]


def ssm_backend(account: str, region: str) -> Any:
    """moto's Systems Manager store of an account and region."""
    load()
    from moto.ssm.models import ssm_backends

    return ssm_backends[account][region]


@cache
def methods(responses: Hashable) -> frozenset[str]:
    """The names of the methods that answer operations."""
    from moto.core.utils import method_names_from_class

    return frozenset(method_names_from_class(responses))


def implements(responses: Any, action: str) -> bool:
    """Whether the class of answers has a method for the operation."""
    from moto.core.utils import camelcase_to_underscores

    return camelcase_to_underscores(action) in methods(responses)


def method(responses: Any, action: str) -> Callable[..., Any]:
    """The method that answers an operation."""
    from moto.core.utils import camelcase_to_underscores

    found: Callable[..., Any] = getattr(responses, camelcase_to_underscores(action))
    return found


def dispatch(responses: Any, call: Call) -> HttpResponse:
    """moto's answer to the call, by its ``responses`` class (or ours made from it). Blocks.

    Raises NotInMotoError.
    """
    from moto.core.request import Request

    if not implements(responses, call.action):
        raise NotInMotoError(call.action)
    request = call.request
    headers = {
        name: value
        for name, value in request.headers.items()
        if name in ("content-type", "x-amz-target", "host", "accept")
    }
    headers["x-moto-account-id"] = call.principal.account
    scope = f"{call.principal.account}/20260101/{call.region}/{call.service}/aws4_request"
    headers["Authorization"] = f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"
    url = f"http://{request.headers.get('host', 'localhost')}{request.path}"
    made = Request.from_primitives(
        request.method, url + (f"?{request.query}" if request.query else ""), headers, request.body
    )
    try:
        with LOCKS[call.principal.account]:
            status, answer, body = responses.dispatch(made, url, made.headers)
    except NotImplementedError as error:
        raise NotInMotoError(str(error)) from error
    content = body.encode() if isinstance(body, str) else bytes(body or b"")
    kept = {name.lower(): str(value) for name, value in answer.items() if name.lower() not in ("status", "server")}
    # moto's id of a request is the same for all.
    request_id = str(uuid.uuid4())
    content = _REQUEST_ID.sub(rb"\g<1>" + request_id.encode(), content, count=1)
    kept["x-amzn-requestid"] = request_id
    return HttpResponse(int(status), kept, content)


def locked[T](account: str, function: Callable[[], T]) -> T:
    """Call ``function`` while no call of that account runs in moto."""
    with LOCKS[account]:
        return function()
