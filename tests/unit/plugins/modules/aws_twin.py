"""What the tests of the modules for IAM, CloudFormation, images and leftovers share: options, and AWS saying no."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from ansible_collections.eksops.karpenter.plugins.module_utils._leftovers import run as leftovers
from sandbox.contracts import Call, HttpResponse, Service
from tests.unit.clients import REGION

from .conftest import Twin

LEGACY = "kubernetes.io/cluster/demo"
KARPENTERS = {LEGACY: "owned", "eks:eks-cluster-name": "demo", "karpenter.sh/nodepool": "default"}


class ModuleAws:
    """The clients of a module that runs in the twin's account."""

    region = REGION

    def __init__(self, twin: Twin) -> None:
        self._twin = twin

    def client(self, service: str) -> Any:
        """The modules' client of a service."""
        return self._twin.client(service)


def module_of(twin: Twin, **options: Any) -> Any:
    """Something like AnsibleAWSModule, with the connection options of the twin's account."""
    keys = twin.account.credentials
    connection = {
        "region": REGION,
        "endpoint_url": twin.front.url,
        "access_key": keys.access_key_id,
        "secret_key": keys.secret_access_key,
        "session_token": None,
        "profile": None,
        "validate_certs": True,
        "aws_ca_bundle": None,
        "aws_config": None,
        "debug_botocore_endpoint_logs": False,
    }
    return SimpleNamespace(params={**connection, **options})


def sweep(twin: Twin, *ignored: str, issuer: str | None = None) -> dict[str, Any]:
    """What eks_leftovers_info returns for cluster demo."""
    aws: Any = ModuleAws(twin)
    result: dict[str, Any] = leftovers.run(aws, "demo", ignored, issuer)
    return result


def kinds(found: dict[str, Any]) -> dict[str, int]:
    """How many leftovers there are of each kind."""
    counts: dict[str, int] = found["counts"]
    return counts


def listed(tags: dict[str, str]) -> list[dict[str, str]]:
    """Tags as AWS takes them."""
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def spec(kind: str, tags: dict[str, str]) -> dict[str, Any]:
    """A tag specification of EC2."""
    return {"ResourceType": kind, "Tags": listed(tags)}


class _Refusing:
    """A service of the front that answers some operations with an error of AWS's."""

    def __init__(self, service: Service, actions: set[str], code: str, status: int) -> None:
        self._service, self._actions, self._code, self._status = service, actions, code, status

    async def handle(self, call: Call) -> HttpResponse:
        if call.action not in self._actions:
            return await self._service.handle(call)
        message = f"{call.principal.arn} is not authorized to perform: {call.service}:{call.action}"
        if call.service in ("iam", "cloudformation", "sts", "elasticloadbalancing"):
            body = f"<ErrorResponse><Error><Type>Sender</Type><Code>{self._code}</Code><Message>{message}</Message>"
            xml = f"{body}</Error><RequestId>r-1</RequestId></ErrorResponse>"
            return HttpResponse(self._status, {"content-type": "text/xml"}, xml.encode())
        if call.service == "ec2":
            body = f"<Response><Errors><Error><Code>{self._code}</Code><Message>{message}</Message></Error></Errors>"
            xml = f"{body}<RequestID>r-1</RequestID></Response>"
            return HttpResponse(self._status, {"content-type": "text/xml"}, xml.encode())
        headers = {"content-type": "application/x-amz-json-1.1", "x-amzn-errortype": self._code}
        return HttpResponse(self._status, headers, json.dumps({"__type": self._code, "message": message}).encode())


@contextlib.contextmanager
def refused(twin: Twin, service: str, *actions: str, code: str = "AccessDenied", status: int = 403) -> Iterator[None]:
    """Let AWS refuse operations of a service, as a policy would."""
    services = twin.front.gateway.services
    kept = services[service]
    services[service] = _Refusing(kept, set(actions), code, status)
    try:
        yield
    finally:
        services[service] = kept
