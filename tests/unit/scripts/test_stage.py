"""Stages: counts from pytest's closing line, time limits, nothing left running."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scripts import stage
from tests.unit.waiting import HANGS_SECONDS, until


@pytest.mark.parametrize(
    ("output", "ok", "expected"),
    [
        ("===== 3 passed in 0.12s =====", True, (3, 0)),
        ("=== 1 failed, 2 passed in 4.00s ===", False, (2, 1)),
        ("=== 2 passed, 1 error in 4.00s ===", False, (2, 1)),
        ("12 passed in 61.20s (0:01:01)", True, (12, 0)),
        ("=== 2 passed in 4.00s ===\nand then it died", False, (2, 1)),
        ("All checks passed!", True, (1, 0)),
        ("error", False, (0, 1)),
    ],
)
def test_counts(output: str, ok: bool, expected: tuple[int, int]) -> None:
    assert stage.counts(output, ok=ok) == expected


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(stage, "LOGS", tmp_path)
    return tmp_path


def test_failure_keeps_the_log(logs: Path) -> None:
    outcome = stage.run(stage.Stage("a test", ["sh", "-c", "echo reason; exit 3"], 10))
    assert not outcome.ok
    assert outcome.log == logs / "a-test.log"
    assert "reason" in stage.tail(outcome.log)


def test_a_process_with_many_files_open_waits_for_its_stages(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def high(pid: int) -> int:
        handle = pidfd_open(pid)
        try:
            return fcntl.fcntl(handle, fcntl.F_DUPFD, 1024)
        finally:
            os.close(handle)

    pidfd_open = os.pidfd_open
    monkeypatch.setattr(os, "pidfd_open", high)
    assert stage.run(stage.Stage("many", ["true"])).ok


def test_limit_ends_the_stage_and_its_children(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends_within = stage._ends_within

    def started(process: subprocess.Popen[bytes], seconds: float) -> bool:
        _pid_in(logs / "slow.log")
        return ends_within(process, seconds)

    monkeypatch.setattr(stage, "_ends_within", started)
    outcome = stage.run(stage.Stage("slow", ["sh", "-c", "sleep 300 & echo $!; wait"], 0.01))
    assert not outcome.ok
    child = int(outcome.log.read_text(encoding="utf-8").split()[0])
    assert not _runs(child)
    assert "ended after its limit" in outcome.log.read_text(encoding="utf-8")


def test_an_interruption_ends_what_runs_and_starts_nothing_more(logs: Path) -> None:
    script = (
        "import pathlib; from scripts import stage; stage.interruptible(); "
        f"stage.LOGS = pathlib.Path({str(logs)!r}); "
        "stage.together([stage.Stage(name, ['sh', '-c', 'sleep 300 & echo $!; wait']) for name in 'abc'])"
    )
    # As a shell starts background jobs: without SIGINT.
    command = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, "-c", script]
    process = subprocess.Popen(command, cwd=stage.ROOT, stderr=subprocess.PIPE)
    started = [_pid_in(logs / f"{name}.log") for name in "ab"]
    process.send_signal(signal.SIGTERM)
    _, error = process.communicate(timeout=HANGS_SECONDS)
    assert b"KeyboardInterrupt" in error
    assert not any(_runs(pid) for pid in started)
    assert not (logs / "c.log").exists()


def test_an_interruption_finds_what_is_starting_and_lets_nothing_else_start(
    logs: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    request.addfinalizer(partial(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM)))
    stage.interruptible()
    popen, started = subprocess.Popen, []
    begun, go_on = threading.Event(), threading.Event()

    def slowly(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(popen(*arguments, **options))
        begun.set()
        assert go_on.wait(HANGS_SECONDS)
        return started[-1]

    def interrupt() -> None:
        begun.wait(HANGS_SECONDS)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)
        until(stage._interrupted.is_set, "the interruption")
        go_on.set()

    monkeypatch.setattr(subprocess, "Popen", slowly)
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        stage.together([stage.Stage(name, ["sleep", "300"], 20) for name in "ab"])
    assert len(started) == 1
    assert not any("limit" in log.read_text(encoding="utf-8") for log in logs.iterdir())
    assert stage.run(stage.Stage("clean up", ["true"])).ok


def test_what_an_interruption_ends_has_no_outcome(logs: Path, request: pytest.FixtureRequest) -> None:
    """Who does something with each outcome would take it for one of the stage's own."""
    request.addfinalizer(partial(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM)))
    stage.interruptible()
    outcomes: list[stage.Outcome] = []

    def interrupt() -> None:
        _pid_in(logs / "b.log")
        signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)

    threading.Thread(target=interrupt).start()
    stages = [
        stage.Stage("a", ["true"]),
        stage.Stage("b", ["sh", "-c", "trap 'exit 1' TERM; echo $$; while :; do sleep 1; done"]),
    ]
    with pytest.raises(KeyboardInterrupt):
        stage.side_by_side(lambda one: outcomes.append(stage.run(one)), stages, 1)
    assert [outcome.stage.name for outcome in outcomes] == ["a"]


def _pid_in(log: Path) -> int:
    until(lambda: log.exists() and "\n" in log.read_text(encoding="utf-8"), f"a line in {log}")
    return int(log.read_text(encoding="utf-8").split()[0])


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] != "Z" and os.kill(pid, 0) is None
    except (FileNotFoundError, ProcessLookupError):
        return False
