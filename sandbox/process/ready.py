"""Waiting for file descriptors, whatever their numbers are: ``select`` takes none above 1,023."""

from __future__ import annotations

import select
from collections.abc import Iterable


def ready(handles: Iterable[int], seconds: float) -> list[int]:
    """Those of the descriptors that can be read, or whose process has ended; none when the time is over."""
    poll = select.poll()
    for handle in handles:
        poll.register(handle, select.POLLIN)
    return [handle for handle, _ in poll.poll(seconds * 1000)]
