"""A started front for all tests of the sandbox, and an account of its own for each test."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sandbox.contracts import Credentials
from sandbox.front.accounts import Account
from sandbox.front.server import Front
from tests.unit.clients import REGION, client

_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Aws:
    """An account to test in."""

    front: Front
    account: Account
    loop: asyncio.AbstractEventLoop

    @property
    def id(self) -> str:
        return self.account.account_id

    def client(
        self,
        service: str,
        region: str = REGION,
        credentials: Credentials | None = None,
        url: str | None = None,
    ) -> Any:
        """A boto3 client of the account's administrator, or of other credentials; ``url`` is a path of the front."""
        return client(url or self.front.url, service, credentials or self.account.credentials, region)


@pytest.fixture(scope="session")
def front_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop that runs in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="front", daemon=True)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


@pytest.fixture(scope="session")
def front(tmp_path_factory: pytest.TempPathFactory, front_loop: asyncio.AbstractEventLoop) -> Iterator[Front]:
    """A front that listens, in a thread of its own: boto3 blocks."""
    started = Front(tmp_path_factory.mktemp("front"))
    asyncio.run_coroutine_threadsafe(started.start(), front_loop).result(30)
    yield started
    asyncio.run_coroutine_threadsafe(started.stop(), front_loop).result(30)


@pytest.fixture
def aws(front: Front, front_loop: asyncio.AbstractEventLoop) -> Aws:
    """A fresh account."""
    return Aws(front, front.accounts.get_or_create(f"test-{next(_NUMBERS)}"), front_loop)


@pytest.fixture
def other_aws(front: Front, front_loop: asyncio.AbstractEventLoop) -> Aws:
    """Another fresh account."""
    return Aws(front, front.accounts.get_or_create(f"test-{next(_NUMBERS)}"), front_loop)


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    """A folder for a front that a test makes itself."""
    return tmp_path / "state"
