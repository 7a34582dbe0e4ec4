"""A description may name a pid that is of another process by now: nobody ends that one, or calls it the sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import cli
from sandbox.build import builder
from sandbox.commands import up
from sandbox.commands.common import CommandError
from sandbox.process import procfs, records
from sandbox.state import State, write_json
from tests.unit.sandbox.sleeper import sleeping


@pytest.fixture(params=[None, "other"], ids=["no mark", "the mark of another sandbox"])
def stranger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[int]:
    """A process that is none of this sandbox's."""
    with sleeping(tmp_path / request.param if request.param else None) as pid:
        yield pid


@pytest.fixture
def stale(stranger: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> State:
    """A state folder whose files name the stranger, to the tick."""
    state = State(tmp_path / "box")
    state.create()
    ticks = procfs.start_time(stranger) or 0
    told = {"pid": stranger, "start_ticks": ticks, "started_at": 1.0, "front_url": "http://127.0.0.1:9"}
    write_json(state.description, {**told, "admin_token": "x"})
    record = records.Record("registry", stranger, ticks, ("sleep",), str(state.logs / "registry.log"), 1.0)
    records.write(state.processes, record)
    monkeypatch.setenv("EKSOPS_SANDBOX_DIR", str(state.root))
    return state


def test_down_leaves_it_alone(stale: State, stranger: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["down"]) == 0
    assert capsys.readouterr().out == "no sandbox runs\n"
    assert procfs.is_running(stranger)
    assert not stale.description.exists()


def test_status_does_not_call_it_running(stale: State, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status"]) == 1
    rows = [
        line.split()[:3] for line in capsys.readouterr().out.splitlines() if line.startswith(("daemon ", "registry "))
    ]
    assert [row[:2] for row in rows] == [["daemon", "dead"], ["registry", "dead"]]


def test_up_starts_a_sandbox_all_the_same(stale: State, stranger: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(state: State, settings: up.Settings) -> None:
        raise CommandError(f"starts {state.root}")

    monkeypatch.setattr(builder, "ensure", lambda: None)
    monkeypatch.setattr(up, "_require_memory", lambda: None)
    monkeypatch.setattr(up, "_start", start)
    with pytest.raises(CommandError, match="starts"):
        up.run(stale)
    assert procfs.is_running(stranger)


@pytest.mark.parametrize("command", ["env", "account"])
def test_others_say_that_no_sandbox_runs(
    stale: State, stranger: int, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([command, *(["second"] if command == "account" else [])]) == 1
    assert "the sandbox does not run" in capsys.readouterr().err
