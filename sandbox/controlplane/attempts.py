"""Starting several things at a time, and things that need a port nobody else has."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from sandbox.process import Child, ComponentFailedError, free_port

_LOG = logging.getLogger(__name__)
_PORT_ATTEMPTS = 4


async def with_free_port(attempt: Callable[[int], Awaitable[Child]]) -> int:
    """Call ``attempt`` with a free port, again with another one when some program was quicker; the port it has."""
    for left in reversed(range(_PORT_ATTEMPTS)):
        port = free_port()
        try:
            await attempt(port)
        except ComponentFailedError as error:
            if not error.port_taken or not left:
                raise
            _LOG.warning("%s: port %d was taken meanwhile, trying another one", error.name, port)
        else:
            return port
    raise AssertionError("the last attempt returns or raises")


async def together(*work: Awaitable[None]) -> None:
    """Do everything side by side; when something fails, end the rest before the failure goes on."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
