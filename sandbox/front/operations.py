"""From a call to what permissions see of it: the operation and its parameters, whatever the wire form."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from sandbox.contracts import Call, Principal
from sandbox.front.catalog import Api, json_body, parameters
from sandbox.iam.operation import Operation, tree


def operation_of(call: Call, api: Api, principal: Principal) -> Operation:
    """The operation that ``principal`` asks for with the call."""
    user = principal.arn.rpartition("/")[2] if ":user/" in principal.arn else None
    return Operation(call.service, call.action, call.principal.account, call.region, _parameters(call, api), user)


def _parameters(call: Call, api: Api) -> dict[str, Any]:
    wire = api.wire(call.request)
    if wire == "json":
        return json_body(call.request)
    if wire.startswith("rest"):
        # https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html
        query: dict[str, Any] = {}
        for name, value in parse_qsl(call.request.query, keep_blank_values=True):
            query.setdefault(name, []).append(value)
        single = {name: values[0] if len(values) == 1 else values for name, values in query.items()}
        return json_body(call.request) | single | api.path_parameters(call.request)
    return tree(parameters(call.request))
