"""Sandboxes of these tests' own, started and stopped by their commands; nothing is built that is there already."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.state import State
from tests.sandbox.twin import Sandbox


@pytest.fixture
def stopped(tmp_path: Path) -> Iterator[Sandbox]:
    """A sandbox that was not started yet, and that is gone afterwards whatever happens."""
    found = Sandbox(State(tmp_path / "state"))
    yield found
    found.command("down")
    assert found.pids == []


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A sandbox with one EKS cluster, ``demo``."""
    found = Sandbox(State(tmp_path_factory.mktemp("sandbox") / "state"))
    try:
        found.up()
        found.create_cluster("demo")
        yield found
    finally:
        found.command("down")
    assert found.pids == []
