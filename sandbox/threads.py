"""Threads for calls that block: a named pool of its own for each kind of work.

The event loop's default pool is shared by everybody. A call that waits there for the front keeps a thread that the
front may need to answer it, and with enough of them at once nobody ever gets on. In a pool of its own a call can only
wait for its like.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


class Threads:
    """A pool of ``workers`` threads, ``name``_0 and so on; they are started when they are needed."""

    def __init__(self, name: str, workers: int) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix=name)

    async def run[**P, R](self, call: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Make a blocking call in one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(
            self._pool, functools.partial(call, *arguments, **named)
        )

    def submit[**P, R](self, call: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> None:
        """Make a blocking call in one of the threads without waiting for it."""
        with contextlib.suppress(RuntimeError):  # the pool is closed
            self._pool.submit(call, *arguments, **named)

    def close(self) -> None:
        """End the threads once their calls have returned; calls that still wait for a thread are not made."""
        self._pool.shutdown(wait=False, cancel_futures=True)
