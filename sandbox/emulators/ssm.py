"""Systems Manager's parameters by moto."""

from __future__ import annotations

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import moto


def answer(call: Call) -> HttpResponse:
    """Answer an SSM call; blocks. Raises moto.NotInMotoError."""
    moto.load()
    from moto.ssm.responses import SimpleSystemManagerResponse

    return moto.dispatch(SimpleSystemManagerResponse, call)
