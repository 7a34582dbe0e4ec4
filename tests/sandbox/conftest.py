"""Sandboxes of these tests' own, started and stopped by their commands; nothing is built that is there already."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.state import State
from tests.sandbox.twin import Sandbox


@dataclass(frozen=True)
class Created:
    """A sandbox with one EKS cluster, ``demo``; the seconds until that was ACTIVE, and of work on it."""

    sandbox: Sandbox
    seconds: float
    cpu_seconds: float


def _gone_at_the_end(folder: Path) -> Iterator[Sandbox]:
    found = Sandbox(State(folder / "state"))
    try:
        yield found
    finally:
        found.command("down")
    assert found.pids == []


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A sandbox for the tests of one file, not started yet; gone afterwards whatever happens."""
    yield from _gone_at_the_end(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="module")
def created(own: Sandbox) -> Created:
    """The file's sandbox with its cluster."""
    own.up()
    before = own.cpu_seconds
    return Created(own, own.create_cluster("demo"), own.cpu_seconds - before)


@pytest.fixture(scope="module")
def cluster(created: Created) -> Sandbox:
    """The file's sandbox, in which there is a cluster."""
    return created.sandbox
