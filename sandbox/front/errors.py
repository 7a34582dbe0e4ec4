"""Errors in AWS's own codes and wire forms, one form per protocol.

Query: https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html
EC2: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
JSON: https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html#operation-error-serialization
REST JSON: https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html#operation-error-serialization
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape

from sandbox.contracts import HttpResponse

#: On an answer of a service: what was asked for is not implemented. The front logs it and takes the header off.
UNIMPLEMENTED_HEADER = "x-sandbox-unimplemented"


@dataclass(frozen=True)
class AwsError:
    """An error as AWS answers it: code, message and HTTP status.

    ``query_code``: what the code was before the service spoke JSON, where it still says so.
    https://smithy.io/2.0/aws/protocols/aws-query-protocol.html#aws-protocols-awsquerycompatible-trait
    """

    code: str
    message: str
    status: int = 400
    unimplemented: bool = False
    query_code: str | None = None


def render(error: AwsError, protocol: str, request_id: str) -> HttpResponse:
    """The error in the form of ``protocol`` (botocore's name of it)."""
    headers = {"x-amzn-requestid": request_id}
    if error.unimplemented:
        headers[UNIMPLEMENTED_HEADER] = "1"
    if protocol == "ec2":
        body = (
            '<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error>'
            f"<Code>{escape(error.code)}</Code><Message>{escape(error.message)}</Message>"
            f"</Error></Errors><RequestID>{request_id}</RequestID></Response>"
        )
        return HttpResponse(error.status, headers | {"content-type": "text/xml;charset=UTF-8"}, body.encode())
    if protocol == "query":
        body = (
            "<ErrorResponse><Error>"
            f"<Type>{'Sender' if error.status < 500 else 'Receiver'}</Type>"
            f"<Code>{escape(error.code)}</Code><Message>{escape(error.message)}</Message>"
            f"</Error><RequestId>{request_id}</RequestId></ErrorResponse>"
        )
        return HttpResponse(error.status, headers | {"content-type": "text/xml"}, body.encode())
    if protocol == "json":
        headers["content-type"] = "application/x-amz-json-1.1"
        if error.query_code:
            headers["x-amzn-query-error"] = f"{error.query_code};Sender"
        return HttpResponse(
            error.status, headers, json.dumps({"__type": error.code, "message": error.message}).encode()
        )
    headers |= {"content-type": "application/json", "x-amzn-errortype": error.code}
    return HttpResponse(error.status, headers, json.dumps({"message": error.message}).encode())


Refusal = Literal["missing", "unknown", "signature", "expired", "skewed", "incomplete", "token"]

#: What EC2 calls a refusal: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
_EC2 = {
    "missing": ("MissingAuthenticationToken", 403),
    "unknown": ("AuthFailure", 401),
    "signature": ("AuthFailure", 401),
    "token": ("AuthFailure", 401),
    "expired": ("RequestExpired", 400),
    "skewed": ("RequestExpired", 400),
    "incomplete": ("IncompleteSignature", 400),
}
#: Query services: https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html
_QUERY = {
    "missing": ("MissingAuthenticationToken", 403),
    "unknown": ("InvalidClientTokenId", 403),
    "signature": ("SignatureDoesNotMatch", 403),
    "token": ("InvalidClientTokenId", 403),
    "expired": ("ExpiredToken", 403),
    "skewed": ("SignatureDoesNotMatch", 403),
    "incomplete": ("IncompleteSignature", 400),
}
#: JSON services: https://docs.aws.amazon.com/systems-manager/latest/APIReference/CommonErrors.html
_JSON = {
    "missing": ("MissingAuthenticationTokenException", 400),
    "unknown": ("UnrecognizedClientException", 400),
    "signature": ("InvalidSignatureException", 400),
    "token": ("UnrecognizedClientException", 400),
    "expired": ("ExpiredTokenException", 400),
    "skewed": ("InvalidSignatureException", 400),
    "incomplete": ("IncompleteSignatureException", 400),
}
_MESSAGES = {
    "missing": "Request is missing Authentication Token",
    "unknown": "The security token included in the request is invalid.",
    "signature": (
        "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
        "Access Key and signing method. Consult the service documentation for details."
    ),
    "token": "The security token included in the request is invalid.",
    "expired": "The security token included in the request is expired",
    "skewed": "Signature expired: the request is too old, or the clock is wrong.",
    "incomplete": "Request must contain a complete Authorization header of AWS4-HMAC-SHA256.",
}


def refused(reason: Refusal, protocol: str) -> AwsError:
    """The error that AWS answers, in a service of ``protocol``, to credentials that are not good for ``reason``."""
    if protocol == "ec2":
        code, status = _EC2[reason]
        if reason in ("expired", "skewed"):
            return AwsError(code, "Request has expired.", status)
        if code == "AuthFailure":
            return AwsError(code, "AWS was not able to validate the provided access credentials", status)
        return AwsError(code, _MESSAGES[reason], status)
    code, status = (_QUERY if protocol == "query" else _JSON)[reason]
    if protocol.startswith("rest"):
        status = 403
    return AwsError(code, _MESSAGES[reason], status)


def unknown_action(service: str, action: str, protocol: str) -> AwsError:
    """For an operation that the service's API does not have."""
    if protocol in ("query", "ec2"):
        return AwsError("InvalidAction", f"The action {action} is not valid for this web service.", 400, True)
    return AwsError("UnknownOperationException", f"Unknown operation {action} of {service}.", 400, True)


def not_implemented(service: str, action: str, protocol: str) -> AwsError:
    """For an operation that AWS has and the sandbox has not: never an empty success."""
    message = f"The sandbox does not implement {service}:{action}."
    # Neither botocore nor the SDK for Go repeats a call that was answered with 501.
    code = "NotImplemented" if protocol in ("query", "ec2") else "NotImplementedException"
    return AwsError(code, message, 501, True)


def denied(principal_arn: str, service: str, action: str, resource: str) -> AwsError:
    """AccessDenied, worded as AWS words it.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
    """
    text = f"User: {principal_arn} is not authorized to perform: {service}:{action} on resource: {resource}"
    return AwsError("AccessDenied", text, 403)
