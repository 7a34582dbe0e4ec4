"""CloudWatch Logs' groups by moto."""

from __future__ import annotations

from functools import cache
from typing import Any

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import moto

#: Only groups are in the sandbox, as AWS makes one for a cluster whose control plane logs; nothing writes into them.
IMPLEMENTED = frozenset(
    {
        "CreateLogGroup",
        "DeleteLogGroup",
        "DescribeLogGroups",
        "ListTagsForResource",
        "ListTagsLogGroup",
        "PutRetentionPolicy",
        "TagResource",
        "UntagResource",
    }
)


def answer(call: Call) -> HttpResponse:
    """Answer a call; blocks. Raises moto.NotInMotoError."""
    if call.action not in IMPLEMENTED:
        raise moto.NotInMotoError(call.action)
    return moto.dispatch(_responses(), call)


@cache
def _responses() -> Any:
    moto.load()
    from moto.logs.responses import LogsResponse

    return LogsResponse
