"""EC2's answers: moto's, our repairs, and a cache for the large ones that never change."""

from __future__ import annotations

from functools import cache
from typing import Any

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import moto


def answer(call: Call) -> HttpResponse:
    """Answer an EC2 call; blocks. Raises moto.NotInMotoError."""
    return moto.dispatch(responses(), call)


@cache
def responses() -> Any:
    """moto's class of EC2 answers with our repairs mixed in."""
    moto.load()
    from moto.ec2.responses import EC2Response

    return EC2Response
