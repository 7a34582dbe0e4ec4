"""Errors of the EKS and EKS Auth APIs, in the codes and the wire form that AWS gives them.

https://docs.aws.amazon.com/eks/latest/APIReference/CommonErrors.html
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from sandbox.contracts import HttpResponse

UNIMPLEMENTED_HEADER = "x-sandbox-unimplemented"

STATUS = {
    "AccessDeniedException": 400,
    "BadRequestException": 400,
    "ExpiredTokenException": 400,
    "InvalidParameterException": 400,
    "InvalidRequestException": 400,
    "InvalidStateException": 400,
    "InvalidTokenException": 400,
    "NotFoundException": 404,
    "ResourceInUseException": 409,
    "ResourceLimitExceededException": 400,
    "ResourceNotFoundException": 404,
    "SerializationException": 400,
    "ServerException": 500,
    "UnknownOperationException": 404,
    "UnsupportedOperationException": 501,
}


class EksError(Exception):
    """An answer that is an error: ``code`` as AWS names it, a message, and the code's own members."""

    def __init__(self, code: str, message: str, **members: Any) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.members = members

    @property
    def status(self) -> int:
        """The HTTP status that goes with the code."""
        return STATUS[self.code]

    def response(self) -> HttpResponse:
        """The error as EKS sends it: the code in a header, the message and the members as JSON."""
        headers = {
            "Content-Type": "application/json",
            "x-amzn-errortype": self.code,
            "x-amzn-requestid": str(uuid.uuid4()),
        }
        if self.code == "UnsupportedOperationException":
            headers[UNIMPLEMENTED_HEADER] = "true"
        body = {"message": self.message, **{key: value for key, value in self.members.items() if value is not None}}
        return HttpResponse(self.status, headers, json.dumps(body).encode())


def invalid_parameter(message: str, **members: Any) -> EksError:
    """A parameter has a value that the operation does not accept."""
    return EksError("InvalidParameterException", message, **members)


def invalid_request(message: str, **members: Any) -> EksError:
    """The request does not fit the state that the resource is in."""
    return EksError("InvalidRequestException", message, **members)


def invalid_state(message: str, **members: Any) -> EksError:
    """Readiness checks stand in the way of the request."""
    return EksError("InvalidStateException", message, **members)


def not_found(message: str, **members: Any) -> EksError:
    """The named resource does not exist."""
    return EksError("ResourceNotFoundException", message, **members)


def in_use(message: str, **members: Any) -> EksError:
    """The resource exists already, or something still needs it."""
    return EksError("ResourceInUseException", message, **members)


def no_cluster(name: str) -> EksError:
    """The error for a cluster that this account and region do not have."""
    return not_found(f"No cluster found for name: {name}.", clusterName=name)


def not_supported(member: str, why: str = "the sandbox does not implement it") -> EksError:
    """A member of the request that the sandbox would have to ignore; refusing it is honest, ignoring it is not."""
    return invalid_parameter(f"{member} is not supported here: {why}.")


def unimplemented(operation: str) -> EksError:
    """An operation that the sandbox does not have."""
    return EksError("UnsupportedOperationException", f"The sandbox does not implement the operation {operation}.")
