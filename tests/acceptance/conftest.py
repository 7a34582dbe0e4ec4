"""Accounts of the running sandbox; each test module has its own, and leaves it empty."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.state import State
from tests.acceptance.job import Account

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def new_account(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Account]:
    """Makes a new, empty account; the name says what for."""
    started = int(time.time())

    def make(purpose: str) -> Account:
        folder: Path = tmp_path_factory.mktemp(purpose)
        return Account(f"{purpose}-{started}-{next(_numbers)}", State.locate(), folder)

    return make


@pytest.fixture(scope="module")
def account(request: pytest.FixtureRequest, new_account: Callable[[str], Account]) -> Iterator[Account]:
    """The account of a test module. What a failed test leaves of its cluster is deleted, to give the memory back."""
    made = new_account(request.module.__name__.rsplit("test_", 1)[-1].replace("_", "-"))
    yield made
    if any("eks:cluster" in kinds for kinds in made.listing().values()):
        made.run("playbooks/delete_cluster.yml")
