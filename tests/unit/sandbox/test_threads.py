"""Pools of their own: named, bounded, and not the event loop's."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox.threads import Threads


async def test_calls_run_in_threads_of_that_name_and_no_more_than_that() -> None:
    threads, both = Threads("mine", 2), threading.Barrier(2)

    def name(suffix: str, *, end: str) -> str:
        both.wait(10)
        return threading.current_thread().name + suffix + end

    found = await asyncio.gather(*(threads.run(name, "-", end=str(number)) for number in range(4)))
    assert {one.partition("-")[0] for one in found} == {"mine_0", "mine_1"}
    assert {one.partition("-")[2] for one in found} == {"0", "1", "2", "3"}
    threads.close()


async def test_failures_come_back() -> None:
    threads = Threads("mine", 1)
    with pytest.raises(ValueError, match="invalid literal"):
        await threads.run(int, "x")
    threads.close()


async def test_they_do_not_wait_for_the_default_pool() -> None:
    loop, held, threads = asyncio.get_running_loop(), threading.Event(), Threads("mine", 1)
    loop.set_default_executor(ThreadPoolExecutor(1))
    blocked = loop.run_in_executor(None, held.wait)
    assert await asyncio.wait_for(threads.run(int, "7"), 10) == 7
    held.set()
    await blocked
    threads.close()


async def test_what_has_no_thread_at_the_end_is_not_called() -> None:
    threads, held, called = Threads("mine", 1), threading.Event(), threading.Event()
    first = asyncio.ensure_future(threads.run(held.wait))
    second = asyncio.ensure_future(threads.run(called.set))
    await asyncio.sleep(0.05)
    threads.close()
    held.set()
    assert await first
    with pytest.raises(asyncio.CancelledError):
        await second
    assert not called.is_set()
