"""Waiting for what an event, a file or another process tells. How long that takes is no part of any test."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

#: When what is waited for counts as never coming: only a test that fails takes so long, however busy the machine.
HANGS_SECONDS = 120.0
_POLL_SECONDS = 0.02


def until(look: Callable[[], Any], what: str = "it") -> Any:
    """What ``look`` finds, as soon as it finds something. Raises AssertionError."""
    end = time.monotonic() + HANGS_SECONDS
    while not (found := look()):
        if time.monotonic() >= end:
            raise AssertionError(f"{what} did not come in {HANGS_SECONDS} s")
        time.sleep(_POLL_SECONDS)
    return found


async def eventually(look: Callable[[], Any], what: str = "it") -> Any:
    """As ``until``, while other tasks go on."""
    end = time.monotonic() + HANGS_SECONDS
    while not (found := look()):
        if time.monotonic() >= end:
            raise AssertionError(f"{what} did not come in {HANGS_SECONDS} s")
        await asyncio.sleep(_POLL_SECONDS)
    return found
