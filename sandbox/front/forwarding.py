"""Forward access sessions: an AWS service calls another one with the permissions of whoever called it.

https://docs.aws.amazon.com/IAM/latest/UserGuide/access_forward_access_sessions.html
A header of the service's signed request says for whom; the front heeds it from AWS services alone.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict

from sandbox.contracts import HttpRequest, Principal, SessionTag

HEADER = "x-sandbox-on-behalf-of"


def header(principal: Principal) -> str:
    """The value of the header for a principal."""
    return base64.urlsafe_b64encode(json.dumps(asdict(principal)).encode()).decode()


def on_behalf_of(request: HttpRequest, signer: Principal) -> Principal | None:
    """For whom an AWS service makes the request; None when for itself, and for any other signer."""
    value = request.headers.get(HEADER)
    if value is None or signer.service is None:
        return None
    data = json.loads(base64.urlsafe_b64decode(value))
    data["session_tags"] = tuple(SessionTag(**tag) for tag in data["session_tags"])
    limits = data["session_policies"]
    data["session_policies"] = None if limits is None else tuple(limits)
    return Principal(**data)
