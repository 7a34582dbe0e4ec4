"""The encoded message of a refusal by EC2, and what it says to those who may decode it.

https://docs.aws.amazon.com/STS/latest/APIReference/API_DecodeAuthorizationMessage.html
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping

from cryptography.fernet import Fernet, InvalidToken

from sandbox.iam.model import Decision, Value

_KEY = Fernet(Fernet.generate_key())


def encoded(principal_arn: str, action: str, resource: str, decision: Decision, context: Mapping[str, Value]) -> str:
    """The decision and what it was about, unreadable."""
    conditions = [
        {"key": key, "values": {"items": [{"value": one} for one in ([value] if isinstance(value, str) else value)]}}
        for key, value in sorted(context.items())
    ]
    matched = [{"statementId": decision.statement.sid, "effect": "DENY"}] if decision.statement else []
    content = {
        "allowed": decision.allowed,
        "explicitDeny": decision.explicit,
        "matchedStatements": {"items": matched},
        "failures": {"items": []},
        "context": {
            "principal": {"arn": principal_arn},
            "action": action,
            "resource": resource,
            "conditions": {"items": conditions},
        },
    }
    return _KEY.encrypt(zlib.compress(json.dumps(content).encode())).decode().rstrip("=")


def decoded(message: str) -> str | None:
    """The JSON text of an encoded message, None for anything else."""
    try:
        return zlib.decompress(_KEY.decrypt(message + "=" * (-len(message) % 4))).decode()
    except (InvalidToken, ValueError, TypeError):
        return None
