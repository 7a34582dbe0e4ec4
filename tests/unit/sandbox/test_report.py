"""What `status` says of healthy, unhealthy and dead parts, with and without the daemon."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox import report
from sandbox.process import procfs, records
from sandbox.state import State
from tests.unit.sandbox.sleeper import sleeping


@pytest.fixture
def state(tmp_path: Path) -> State:
    found = State(tmp_path)
    (found.logs).mkdir()
    return found


@pytest.fixture
def ours(state: State) -> Iterator[int]:
    """A process of this sandbox."""
    with sleeping(state.root) as pid:
        yield pid


def _record(state: State, name: str, pid: int, *, alive: bool, failure: str | None = None) -> None:
    log = state.logs / f"{name}.log"
    log.write_text(f"last words of {name}\n")
    ticks = procfs.start_time(pid) or 0
    exit_code = None if alive or failure is None else -9
    record = records.Record(
        name, pid, ticks if alive else ticks + 1, (name,), str(log), time.time(), exit_code, failure
    )
    records.write(state.processes, record)


def _description(pid: int, *, alive: bool = True) -> dict[str, Any]:
    ticks = procfs.start_time(pid) or 0
    return {
        "pid": pid,
        "start_ticks": ticks if alive else ticks + 1,
        "started_at": time.time(),
        "front_url": "http://127.0.0.1:1",
    }


def test_a_healthy_sandbox(state: State, ours: int) -> None:
    _record(state, "etcd", ours, alive=True)
    answer = {"clusters": [], "components": report.components(state, {"etcd": None})}
    status = report.whole(state, _description(ours), answer)
    assert [part["state"] for part in status["components"]] == ["healthy"]
    assert status["components"][0]["memory_bytes"] > 0
    assert not report.broken(status)
    assert "last words" not in report.text(status)


def test_a_dead_component_is_told_with_the_end_of_its_log(state: State, ours: int) -> None:
    _record(state, "etcd", ours, alive=False, failure="ended by itself with exit code -9")
    status = report.whole(state, _description(ours), {"clusters": [], "components": report.components(state, {})})
    assert report.broken(status)
    text = report.text(status)
    assert "etcd: ended by itself with exit code -9" in text
    assert "last words of etcd" in text


def test_a_component_that_fails_its_check_is_unhealthy(state: State, ours: int) -> None:
    _record(state, "etcd", ours, alive=True)
    [part] = report.components(state, {"etcd": "says 500"})
    assert (part["state"], part["reason"]) == ("unhealthy", "says 500")
    assert report.broken({"daemon": {"state": "healthy"}, "components": [part]})


def test_a_daemon_that_was_killed_is_dead_and_its_children_are_told_from_the_records(state: State, ours: int) -> None:
    state.daemon_log.write_text("last words of the daemon\n")
    _record(state, "etcd", ours, alive=True)
    _record(state, "kwok", ours, alive=False)
    status = report.whole(state, _description(ours, alive=False), None)
    assert status["daemon"]["state"] == "dead"
    assert {part["name"]: part["state"] for part in status["components"]} == {"etcd": "running", "kwok": "dead"}
    assert report.broken(status)
    assert "last words of the daemon" in report.text(status)


def test_a_daemon_that_does_not_answer_is_unhealthy(state: State, ours: int) -> None:
    status = report.whole(state, _description(ours), None)
    assert status["daemon"]["state"] == "unhealthy"
    assert "does not answer at http://127.0.0.1:1" in report.text(status)


def test_another_process_with_a_recorded_pid_is_not_taken_for_one_of_ours(state: State) -> None:
    with sleeping(None) as stranger:
        _record(state, "etcd", stranger, alive=True)
        status = report.whole(state, _description(stranger), None)
    assert status["daemon"]["state"] == "dead"
    assert status["daemon"]["memory_bytes"] == 0
    [part] = status["components"]
    assert (part["state"], part["memory_bytes"]) == ("dead", 0)


def test_no_sandbox_is_not_broken(state: State) -> None:
    status = report.whole(state, None, None)
    assert status["daemon"]["state"] == "stopped"
    assert not report.broken(status)
