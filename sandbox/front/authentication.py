"""From a request to the principal who signed it, or to AWS's refusal."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from sandbox.contracts import HttpRequest, Principal
from sandbox.front.errors import Refusal
from sandbox.front.principals import Key, Principals
from sandbox.front.signature import Claim, MalformedSignatureError, claim_of, matches

#: "Requests must reach AWS within five minutes of the time stamp in the request":
#: https://docs.aws.amazon.com/IAM/latest/UserGuide/signing-elements.html
CLOCK_SKEW_SECONDS = 300.0
#: STS takes a presigned GetCallerIdentity for fifteen minutes, and so does EKS with the token made of it:
#: https://github.com/kubernetes-sigs/aws-iam-authenticator#api-authorization-from-outside-a-cluster
PRESIGNED_SECONDS = 900.0


class RefusedError(Exception):
    """The credentials of a request are not good, and why."""

    def __init__(self, reason: Refusal) -> None:
        super().__init__(reason)
        self.reason: Refusal = reason


@dataclass(frozen=True)
class Caller:
    """A request whose signature is good."""

    key: Key
    claim: Claim

    @property
    def principal(self) -> Principal:
        """Who signed."""
        return self.key.principal


class Authenticator:
    """Checks signatures against the known keys."""

    def __init__(self, principals: Principals, clock: Callable[[], float] = time.time) -> None:
        self._principals = principals
        self._clock = clock

    def authenticate(self, request: HttpRequest) -> Caller:
        """The caller of a signed request. Raises RefusedError."""
        try:
            claim = claim_of(request)
        except MalformedSignatureError as error:
            raise RefusedError("incomplete") from error
        if claim is None:
            raise RefusedError("missing")
        key = self._principals.find(claim.access_key_id)
        if key is None:
            raise RefusedError("unknown")
        if not hmac.compare_digest(key.credentials.token or "", claim.token or ""):
            raise RefusedError("token")
        if not matches(request, claim, key.credentials.secret_access_key):
            raise RefusedError("signature")
        now = self._clock()
        if key.expired(now):
            raise RefusedError("expired")
        late = PRESIGNED_SECONDS if claim.presigned else CLOCK_SKEW_SECONDS
        if not -CLOCK_SKEW_SECONDS <= now - claim.date <= late:
            raise RefusedError("skewed")
        return Caller(key, claim)

    def presigned(self, url: str, headers: Mapping[str, str]) -> Principal:
        """The signer of a presigned STS GetCallerIdentity URL. Raises PermissionError with the reason."""
        parts = urlsplit(url)
        query = parse_qs(parts.query)
        if query.get("Action") != ["GetCallerIdentity"]:
            raise PermissionError("not a presigned GetCallerIdentity")
        lower = {name.lower(): value for name, value in headers.items()} | {"host": parts.netloc}
        lower.pop("authorization", None)
        request = HttpRequest("GET", parts.path or "/", parts.query, lower, b"")
        try:
            caller = self.authenticate(request)
        except RefusedError as error:
            raise PermissionError(f"presigned request refused: {error.reason}") from error
        if caller.claim.service != "sts":
            raise PermissionError("not signed for STS")
        unsigned = set(lower) - set(caller.claim.signed_headers)
        if unsigned:
            raise PermissionError(f"headers are not part of the signature: {', '.join(sorted(unsigned))}")
        return caller.principal
