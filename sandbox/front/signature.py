"""Signature Version 4, checked with botocore's own signing code.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPMessage
from typing import Any
from urllib.parse import parse_qs

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotoCredentials

from sandbox.contracts import HttpRequest

_HEADER = re.compile(
    r"AWS4-HMAC-SHA256\s+Credential=(?P<credential>[^,\s]+)\s*,\s*"
    r"SignedHeaders=(?P<headers>[^,\s]+)\s*,\s*Signature=(?P<signature>[0-9a-f]{64})\s*$"
)


@dataclass(frozen=True)
class Claim:
    """What a request says about its signature, not yet checked. ``date`` in seconds since the epoch."""

    access_key_id: str
    timestamp: str
    date: float
    region: str
    service: str
    signed_headers: tuple[str, ...]
    signature: str
    token: str | None
    presigned: bool


class MalformedSignatureError(ValueError):
    """There is a signature, but parts of it are missing or make no sense."""


def claim_of(request: HttpRequest) -> Claim | None:
    """The signature that a request carries, in its header or its query; None for an unsigned request.

    Raises MalformedSignatureError.
    """
    authorization = request.headers.get("authorization")
    if authorization is not None:
        match = _HEADER.match(authorization)
        if not match:
            raise MalformedSignatureError("authorization header")
        timestamp = request.headers.get("x-amz-date", "")
        token = request.headers.get("x-amz-security-token")
        return _claim(match["credential"], timestamp, match["headers"], match["signature"], token, presigned=False)
    query = {key: values[0] for key, values in parse_qs(request.query).items()}
    if "X-Amz-Signature" not in query and "X-Amz-Credential" not in query:
        return None
    try:
        return _claim(
            query["X-Amz-Credential"],
            query["X-Amz-Date"],
            query["X-Amz-SignedHeaders"],
            query["X-Amz-Signature"],
            query.get("X-Amz-Security-Token"),
            presigned=True,
        )
    except KeyError as missing:
        raise MalformedSignatureError(f"no {missing}") from missing


def _claim(
    credential: str, timestamp: str, headers: str, signature: str, token: str | None, *, presigned: bool
) -> Claim:
    parts = credential.split("/")
    if len(parts) != 5 or parts[4] != "aws4_request" or not timestamp.startswith(parts[1]):
        raise MalformedSignatureError("credential scope")
    try:
        date = datetime.strptime(timestamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
    except ValueError as error:
        raise MalformedSignatureError("date") from error
    names = tuple(headers.lower().split(";"))
    if "host" not in names:
        raise MalformedSignatureError("host is not signed")
    return Claim(parts[0], timestamp, date, parts[2], parts[3], names, signature, token, presigned)


def _signer(secret: str, claim: Claim) -> Any:
    """Botocore's signer, made to sign exactly the headers that the client says it signed."""
    signer = SigV4Auth(BotoCredentials(claim.access_key_id, secret), claim.service, claim.region)

    def headers_to_sign(request: Any) -> HTTPMessage:
        message = HTTPMessage()
        for name in claim.signed_headers:
            message[name] = request.headers.get(name, "")
        return message

    signer.headers_to_sign = headers_to_sign
    return signer


def matches(request: HttpRequest, claim: Claim, secret: str) -> bool:
    """Whether the request was signed, as it came in, with ``secret``."""
    declared = request.headers.get("x-amz-content-sha256")
    actual = hashlib.sha256(request.body).hexdigest()
    if declared and declared not in (actual, "UNSIGNED-PAYLOAD"):
        return False
    query = "&".join(part for part in request.query.split("&") if not part.startswith("X-Amz-Signature="))
    host = request.headers.get("host", "")
    url = f"http://{host}{request.path}" + (f"?{query}" if query else "")
    signed = AWSRequest(method=request.method, url=url, headers=_wanted(request.headers, claim), data=request.body)
    if declared:
        signed.headers["X-Amz-Content-SHA256"] = declared
    signed.context["timestamp"] = claim.timestamp
    signer = _signer(secret, claim)
    text = signer.string_to_sign(signed, signer.canonical_request(signed))
    return hmac.compare_digest(signer.signature(text, signed), claim.signature)


def _wanted(headers: Mapping[str, str], claim: Claim) -> dict[str, str]:
    return {name: headers[name] for name in claim.signed_headers if name in headers}
