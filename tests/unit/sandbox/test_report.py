"""What `status` says of healthy, unhealthy and dead parts, with and without the daemon."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from sandbox import report
from sandbox.process import procfs, records
from sandbox.state import State


@pytest.fixture
def state(tmp_path: Path) -> State:
    found = State(tmp_path)
    (found.logs).mkdir()
    return found


def _record(state: State, name: str, *, alive: bool, failure: str | None = None) -> None:
    log = state.logs / f"{name}.log"
    log.write_text(f"last words of {name}\n")
    ticks = procfs.start_time(os.getpid()) or 0
    exit_code = None if alive or failure is None else -9
    record = records.Record(
        name, os.getpid(), ticks if alive else ticks + 1, (name,), str(log), time.time(), exit_code, failure
    )
    records.write(state.processes, record)


def _description(*, alive: bool = True) -> dict[str, Any]:
    ticks = procfs.start_time(os.getpid()) or 0
    return {
        "pid": os.getpid(),
        "start_ticks": ticks if alive else ticks + 1,
        "started_at": time.time(),
        "front_url": "http://127.0.0.1:1",
    }


def test_a_healthy_sandbox(state: State) -> None:
    _record(state, "etcd", alive=True)
    answer = {"clusters": [], "components": report.components(state, {"etcd": None})}
    status = report.whole(state, _description(), answer)
    assert [part["state"] for part in status["components"]] == ["healthy"]
    assert status["components"][0]["memory_bytes"] > 0
    assert not report.broken(status)
    assert "last words" not in report.text(status)


def test_a_dead_component_is_told_with_the_end_of_its_log(state: State) -> None:
    _record(state, "etcd", alive=False, failure="ended by itself with exit code -9")
    status = report.whole(state, _description(), {"clusters": [], "components": report.components(state, {})})
    assert report.broken(status)
    text = report.text(status)
    assert "etcd: ended by itself with exit code -9" in text
    assert "last words of etcd" in text


def test_a_component_that_fails_its_check_is_unhealthy(state: State) -> None:
    _record(state, "etcd", alive=True)
    [part] = report.components(state, {"etcd": "says 500"})
    assert (part["state"], part["reason"]) == ("unhealthy", "says 500")
    assert report.broken({"daemon": {"state": "healthy"}, "components": [part]})


def test_a_daemon_that_was_killed_is_dead_and_its_children_are_told_from_the_records(state: State) -> None:
    state.daemon_log.write_text("last words of the daemon\n")
    _record(state, "etcd", alive=True)
    _record(state, "kwok", alive=False)
    status = report.whole(state, _description(alive=False), None)
    assert status["daemon"]["state"] == "dead"
    assert {part["name"]: part["state"] for part in status["components"]} == {"etcd": "running", "kwok": "dead"}
    assert report.broken(status)
    assert "last words of the daemon" in report.text(status)


def test_a_daemon_that_does_not_answer_is_unhealthy(state: State) -> None:
    status = report.whole(state, _description(), None)
    assert status["daemon"]["state"] == "unhealthy"
    assert "does not answer at http://127.0.0.1:1" in report.text(status)


def test_no_sandbox_is_not_broken(state: State) -> None:
    status = report.whole(state, None, None)
    assert status["daemon"]["state"] == "stopped"
    assert not report.broken(status)
