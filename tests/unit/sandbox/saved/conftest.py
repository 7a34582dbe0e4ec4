"""What saves an account."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.saved.saver import Saver
from tests.unit.sandbox.saved.account import Records


@pytest.fixture
def run(front_loop: asyncio.AbstractEventLoop) -> Callable[[Awaitable[Any]], Any]:
    """Run a coroutine on the front's loop."""

    async def work(awaitable: Awaitable[Any]) -> Any:
        return await awaitable

    return lambda awaitable: asyncio.run_coroutine_threadsafe(work(awaitable), front_loop).result(60)


@pytest.fixture
def saver(aws: Any, run: Any, tmp_path: Path) -> Iterator[Saver]:
    """What saves the account, not started."""

    async def make() -> Saver:
        parts = {"clusters": Records(), "faults": aws.front.faults}
        return Saver(tmp_path, aws.front.accounts, aws.front.principals, parts, within_seconds=0.4)

    made = run(make())
    yield made
    run(made.stop())
