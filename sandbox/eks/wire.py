"""The REST-JSON wire form of EKS and EKS Auth: routes, requests and answers, all from botocore's service models.

https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html
"""

from __future__ import annotations

import json
import re
import uuid
from typing import Any
from urllib.parse import parse_qs, unquote

import botocore.session
from botocore.model import OperationModel

from sandbox.contracts import HttpRequest, HttpResponse
from sandbox.eks import shapes
from sandbox.eks.errors import EksError


class Protocol:
    """Reads requests and writes answers of one service (``eks`` or ``eks-auth``)."""

    def __init__(self, service: str) -> None:
        model = botocore.session.get_session().get_service_model(service)
        operations = [model.operation_model(name) for name in model.operation_names]
        self._routes = sorted(((_pattern(one), one) for one in operations), key=lambda route: -_literals(route[1]))

    def route(self, request: HttpRequest) -> tuple[OperationModel, dict[str, str]]:
        """The operation that ``request`` calls, and the values in its path, decoded.

        Raises EksError (UnknownOperationException).
        """
        path = request.path.partition("?")[0]
        path = path.rstrip("/") or "/"
        for pattern, operation in self._routes:
            match = pattern.fullmatch(path)
            if match and operation.http["method"] == request.method:
                return operation, {name: unquote(value) for name, value in match.groupdict().items()}
        raise EksError("UnknownOperationException", f"No operation answers {request.method} {path}.")

    def parse(self, operation: OperationModel, in_path: dict[str, str], request: HttpRequest) -> dict[str, Any]:
        """The operation's parameters, checked against the model. Raises EksError."""
        shape = operation.input_shape
        members = dict(shape.members) if shape else {}
        query = parse_qs(request.query, keep_blank_values=True)
        params: dict[str, Any] = _read_json(request.body, operation)
        for name, member in members.items():
            location, wire_name = member.serialization.get("location"), member.serialization.get("name", name)
            if location == "uri":
                params[name] = shapes.read_text(in_path[wire_name], member, name)
            elif location == "querystring" and wire_name in query:
                if member.type_name == "list":
                    params[name] = query[wire_name]
                else:
                    params[name] = shapes.read_text(query[wire_name][0], member, name)
        if shape:
            shapes.check(params, shape)
        return params

    def answer(self, operation: OperationModel, result: dict[str, Any]) -> HttpResponse:
        """``result`` in wire form; times are seconds since the epoch."""
        shape = operation.output_shape
        body = shapes.write_body(result, shape, operation.name) if shape else {}
        headers = {"Content-Type": "application/json", "x-amzn-requestid": str(uuid.uuid4())}
        return HttpResponse(operation.http.get("responseCode", 200), headers, json.dumps(body).encode())


def _read_json(body: bytes, operation: OperationModel) -> dict[str, Any]:
    shape = operation.input_shape
    if not body.strip() or shape is None:
        return {}
    try:
        value = json.loads(body)
    except ValueError as error:
        raise EksError("SerializationException", f"The body is not JSON: {error}.") from error
    in_body: dict[str, Any] = shapes.read_body(value, shape)
    return {name: child for name, child in in_body.items() if "location" not in shape.members[name].serialization}


def _pattern(operation: OperationModel) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", operation.http["requestUri"])
    text = "".join(f"(?P<{part}>[^/]+)" if index % 2 else re.escape(part) for index, part in enumerate(parts))
    return re.compile(text)


def _literals(operation: OperationModel) -> int:
    return sum(1 for part in operation.http["requestUri"].split("/") if part and not part.startswith("{"))
