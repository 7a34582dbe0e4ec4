"""What ``down`` leaves: what the next run goes on with, unless it is to be forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.commands import down, up
from sandbox.state import State, write_json


@pytest.fixture
def state(tmp_path: Path) -> State:
    """The folder of a sandbox that ran."""
    found = State(tmp_path / "state")
    found.create()
    for folder in ("saved", "clusters", "logs", "accounts", "agent", "processes", "start-abc"):
        (found.root / folder / "inner").mkdir(parents=True)
    write_json(found.description, {"pid": 1, "start_ticks": 0})
    write_json(found.environment, {})
    return found


def _left(state: State) -> set[str]:
    return {entry.name for entry in state.root.iterdir()} - {"lock", "this-is-a-sandbox"}


def test_state_and_logs_stay(state: State, capsys: pytest.CaptureFixture[str]) -> None:
    assert down.run(state) == 0
    assert _left(state) == {"saved", "clusters", "logs"}
    assert "no sandbox runs" in capsys.readouterr().out


def test_logs_alone_stay_when_the_rest_is_to_be_forgotten(state: State) -> None:
    assert down.run(state, forget=True) == 0
    assert _left(state) == {"logs"}


def test_up_goes_on_with_what_is_saved(state: State) -> None:
    up.clean_up_stale(state)
    assert _left(state) == {"saved", "clusters", "logs"}


@pytest.mark.parametrize("fresh", [True, False])
def test_up_forgets_when_it_is_told_to_or_nothing_is_saved(state: State, *, fresh: bool) -> None:
    if not fresh:
        (state.saved / "inner").rmdir()
        state.saved.rmdir()
    up.clean_up_stale(state, fresh=fresh)
    assert _left(state) == set()
