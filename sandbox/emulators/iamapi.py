"""IAM's API where ministack differs from AWS: implicit users, service-linked roles, limits of length.

https://docs.aws.amazon.com/IAM/latest/APIReference/
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from botocore.model import Shape

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import ministack
from sandbox.emulators.iam import IamStore
from sandbox.emulators.services import MinistackService
from sandbox.front import errors, servicelinked
from sandbox.front.catalog import Api, parameters
from sandbox.front.errors import AwsError
from sandbox.front.principals import unique_id

#: "If you do not specify a user name, IAM determines the user name implicitly based on the access key":
#: https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetUser.html
_IMPLICIT_USER = ("GetUser", "CreateAccessKey", "ListAccessKeys", "DeleteAccessKey", "UpdateAccessKey")

#: "Only the service that depends on the service-linked role can modify or delete the role on your behalf"; the
#: operations that have this error: https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeleteRole.html#API_DeleteRole_Errors
_PROTECTING = frozenset(
    {
        "AddRoleToInstanceProfile",
        "AttachRolePolicy",
        "DeleteRole",
        "DeleteRolePermissionsBoundary",
        "DeleteRolePolicy",
        "DetachRolePolicy",
        "PutRolePermissionsBoundary",
        "PutRolePolicy",
        "UpdateAssumeRolePolicy",
    }
)
#: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html#reference_iam-quotas-entity-length
MAX_POLICY_CHARACTERS = 6144


class Iam:
    """IAM as the front sees it."""

    def __init__(self) -> None:
        self._api = Api("iam")
        repairs: dict[str, Callable[[Call], Awaitable[HttpResponse]]] = {
            "CreateServiceLinkedRole": self._create_service_linked_role
        }
        repairs |= dict.fromkeys(_IMPLICIT_USER, self._for_caller)
        self._ministack = MinistackService("iam", "query", repairs)

    async def handle(self, call: Call) -> HttpResponse:
        """Answer the call."""
        if problem := self._problem(call):
            return errors.render(problem, "query", str(uuid.uuid4()))
        return await self._ministack.handle(call)

    def _problem(self, call: Call) -> AwsError | None:
        """The first parameter that is too short, too long or missing."""
        operation = self._api.operation(call.action)
        shape = operation.input_shape if operation else None
        if shape is None:
            return None
        given = parameters(call.request)
        for name, member in shape.members.items():
            text = _violation(name, given[name], member) if name in given and member.type_name == "string" else None
            if text:
                return AwsError("ValidationError", f"1 validation error detected: {text}")
        if call.action in _PROTECTING and (refusal := _protected(call, given)):
            return refusal
        document = given.get("PolicyDocument", "")
        if call.action in ("CreatePolicy", "CreatePolicyVersion") and _size(document) > MAX_POLICY_CHARACTERS:
            return AwsError("LimitExceeded", f"Cannot exceed quota for PolicySize: {MAX_POLICY_CHARACTERS}", 409)
        return None

    async def _for_caller(self, call: Call) -> HttpResponse:
        """Name the calling user in a request that leaves the user out."""
        given = parameters(call.request)
        user = call.principal.arn.rpartition("/")[2]
        if given.get("UserName") is None and ":user/" in call.principal.arn:
            request = replace(call.request, body=urlencode(given | {"UserName": user}).encode(), query="")
            call = replace(call, request=request)
        elif given.get("UserName") is None and call.action != "DeleteAccessKey":
            text = "Must specify userName when calling with non-User credentials"
            return errors.render(AwsError("ValidationError", text), "query", str(uuid.uuid4()))
        return await ministack.handle(call)

    async def _create_service_linked_role(self, call: Call) -> HttpResponse:
        """https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateServiceLinkedRole.html"""
        service = parameters(call.request).get("AWSServiceName", "")
        name = servicelinked.NAMES.get(service)
        if name is None:
            text = f"Service role for {service} cannot be created: the service does not exist."
            return errors.render(AwsError("InvalidInput", text), "query", str(uuid.uuid4()))
        made = await ministack.loop().submit(_make_role(call.principal.account, service, name))
        if made is None:
            text = f"Service role name {name} has been taken in this account, please try a different suffix."
            return errors.render(AwsError("InvalidInput", text), "query", str(uuid.uuid4()))
        return HttpResponse(made[0], made[1], made[2])


async def _make_role(account: str, service: str, name: str) -> tuple[int, dict[str, str], bytes] | None:
    iam = ministack.module("services.iam")
    with ministack.module("core.responses").request_scope(account, "us-east-1"):
        if name in iam._roles:
            return None
        iam._roles[name] = _role(account, service, servicelinked.PATH.format(service), name)
        inner = f"<Role>{iam._role_xml(name)}</Role>"
        wrapped = f"<CreateServiceLinkedRoleResult>{inner}</CreateServiceLinkedRoleResult>"
        answer: tuple[int, dict[str, str], bytes] = iam._xml(200, "CreateServiceLinkedRoleResponse", wrapped)
        return answer


def _role(account: str, service: str, path: str, name: str) -> dict[str, Any]:
    trust = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return {
        "RoleName": name,
        "Arn": f"arn:aws:iam::{account}:role{path}{name}",
        "RoleId": unique_id("AROA"),
        "CreateDate": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "Path": path,
        "AssumeRolePolicyDocument": json.dumps({"Version": "2012-10-17", "Statement": [trust]}),
        "Description": "",
        "MaxSessionDuration": 3600,
        "AttachedPolicies": [],
        "InlinePolicies": {},
        "Tags": [],
    }


def _protected(call: Call, given: dict[str, str]) -> AwsError | None:
    """The refusal to change a service-linked role."""
    name = given.get("RoleName", "")
    role = IamStore().role(call.principal.account, name)
    if role is None or f":role{servicelinked.PATH.partition('{')[0]}" not in role.arn:
        return None
    text = f"Cannot perform the operation on the protected role '{name}' - this role is only modifiable by AWS"
    return AwsError("UnmodifiableEntity", text)


def _violation(name: str, value: str, shape: Shape) -> str | None:
    field = name[0].lower() + name[1:]
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if most is not None and len(value) > most:
        rule = f"less than or equal to {most}"
    elif least is not None and len(value) < least:
        rule = f"greater than or equal to {least}"
    else:
        return None
    return f"Value '{value[:200]}' at '{field}' failed to satisfy constraint: Member must have length {rule}"


def _size(document: str) -> int:
    """ "IAM does not count white space when calculating the size of a policy against these quotas."""
    return len("".join(document.split()))
