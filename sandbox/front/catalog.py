"""Which API operation a request names, by the service models that botocore ships.

Protocols: https://smithy.io/2.0/aws/protocols/index.html
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, unquote

import botocore.loaders
from botocore.model import OperationModel, OperationNotFoundError, ServiceModel

from sandbox.contracts import HttpRequest

#: Signing name -> botocore's name of the service, for every service that exists in the sandbox.
SERVICES = {
    "ec2": "ec2",
    "ssm": "ssm",
    "pricing": "pricing",
    "iam": "iam",
    "sts": "sts",
    "cloudformation": "cloudformation",
    "sqs": "sqs",
    "events": "events",
    "eks": "eks",
    "eks-auth": "eks-auth",
    "elasticloadbalancing": "elbv2",
    "logs": "logs",
}
#: Second APIs under a signing name, by the version that their requests name: the classic load balancers.
VERSIONS = {("elasticloadbalancing", "2012-06-01"): "elb"}

#: Actions that change nothing although their names do not start like a read. AssumeRole and its like are
#: ``readOnly`` in CloudTrail: https://docs.aws.amazon.com/IAM/latest/UserGuide/cloudtrail-integration.html
_READ_ONLY = frozenset(
    {
        "AssumeRole",
        "AssumeRoleForPodIdentity",
        "AssumeRoleWithWebIdentity",
        "ReceiveMessage",
        "EstimateTemplateCost",
        "TestEventPattern",
    }
)
_READ_ONLY_PREFIXES = re.compile(r"(Describe|List|Get|BatchGet|Lookup|Head|Validate|Search|Simulate|Preview)(?=[A-Z])")


def is_mutating(action: str) -> bool:
    """Whether the operation can change something, from its name."""
    return action not in _READ_ONLY and not _READ_ONLY_PREFIXES.match(action)


@dataclass(frozen=True)
class Route:
    """One operation of a REST service: its method, the pattern of its path, how specific that is, what is in it."""

    name: str
    method: str
    pattern: re.Pattern[str]
    literals: int
    names: tuple[str, ...]


class Api:
    """One service's model: its wire protocol and the operation that a request names."""

    def __init__(self, signing_name: str, version: str | None = None) -> None:
        self.signing_name = signing_name
        loader = botocore.loaders.create_loader()
        name = VERSIONS.get((signing_name, version or ""), SERVICES[signing_name])
        self.model = ServiceModel(loader.load_service_model(name, "service-2"), name)
        self.protocol: str = self.model.metadata["protocol"]
        self.operations = frozenset(self.model.operation_names)

    def operation(self, action: str) -> OperationModel | None:
        """The operation's model, None when the service has no such operation."""
        try:
            return self.model.operation_model(action)
        except OperationNotFoundError:
            return None

    def action(self, request: HttpRequest) -> str | None:
        """The name that the request gives its operation, known to the model or not; None when it names none."""
        target = request.headers.get("x-amz-target")
        if target:
            return target.rpartition(".")[2]
        if self.protocol.startswith("rest"):
            return self._rest_action(request)
        return parameters(request).get("Action")

    def wire(self, request: HttpRequest) -> str:
        """The protocol of this very request: SQS, for one, speaks JSON and still understands its query form.

        https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-json-faqs.html
        """
        if self.protocol == "json" and not request.headers.get("x-amz-target"):
            form = request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
            if form or request.method == "GET":
                return "query"
        return self.protocol

    @cached_property
    def _routes(self) -> list[Route]:
        routes = [self._route(self.model.operation_model(name)) for name in self.operations]
        return sorted(routes, key=lambda route: -route.literals)

    @staticmethod
    def _route(operation: OperationModel) -> Route:
        path = operation.http["requestUri"].partition("?")[0]
        parts = re.split(r"(\{[^}]+\})", path.rstrip("/") or "/")
        pattern = "".join(
            ("(.+)" if part.endswith("+}") else "([^/]+)") if part.startswith("{") else re.escape(part)
            for part in parts
        )
        literals = sum(len(part) for part in parts if not part.startswith("{"))
        names = tuple(part.strip("{+}") for part in parts if part.startswith("{"))
        return Route(operation.name, operation.http["method"], re.compile(pattern + "/?$"), literals, names)

    def _rest_action(self, request: HttpRequest) -> str | None:
        found = self._find(request)
        return found[0].name if found else None

    def path_parameters(self, request: HttpRequest) -> dict[str, str]:
        """The parameters in the path of a REST request, decoded."""
        found = self._find(request)
        return (
            {name: unquote(value) for name, value in zip(found[0].names, found[1].groups(), strict=True)}
            if found
            else {}
        )

    def _find(self, request: HttpRequest) -> tuple[Route, re.Match[str]] | None:
        for route in self._routes:
            if route.method == request.method and (match := route.pattern.match(request.path)):
                return route, match
        return None


class Catalog:
    """The services' models, loaded on first use (EC2's takes a quarter of a second)."""

    def __init__(self) -> None:
        self._apis: dict[tuple[str, str | None], Api] = {}
        self._lock = threading.Lock()

    def api(self, signing_name: str, version: str | None = None) -> Api | None:
        """The service's model, None for a service that the sandbox does not have.

        ``version`` is the API version that the request names; most services have but one.
        """
        if signing_name not in SERVICES:
            return None
        key = (signing_name, version if (signing_name, version or "") in VERSIONS else None)
        with self._lock:
            if key not in self._apis:
                self._apis[key] = Api(*key)
            return self._apis[key]

    def guess(self, request: HttpRequest) -> Api | None:
        """The service of an unsigned request, by its target header or its API version, as far as these tell."""
        prefix = request.headers.get("x-amz-target", "").partition(".")[0]
        version = parameters(request).get("Version")
        for name, of in [*((name, None) for name in SERVICES), *VERSIONS]:
            api = self.api(name, of)
            assert api is not None
            if prefix and prefix == api.model.metadata.get("targetPrefix"):
                return api
            if version and version == api.model.api_version and not api.protocol.startswith("rest"):
                return api
        return None


def parameters(request: HttpRequest) -> dict[str, str]:
    """The flat parameters of a query-protocol request, from the query string and a form body."""
    values = parse_qs(request.query, keep_blank_values=True)
    if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        values |= parse_qs(request.body.decode("utf-8", "replace"), keep_blank_values=True)
    return {key: value[0] for key, value in values.items()}


def json_body(request: HttpRequest) -> dict[str, Any]:
    """The JSON object in the body, empty when there is none or it is no object."""
    try:
        body = json.loads(request.body or b"{}")
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
