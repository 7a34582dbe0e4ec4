"""Stages: counts from pytest's closing line, time limits, nothing left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scripts import stage


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


def test_limit_ends_the_stage_and_its_children(logs: Path) -> None:
    outcome = stage.run(stage.Stage("slow", ["sh", "-c", "sleep 300 & echo $!; wait"], 0.5))
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
    _, error = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in error
    assert not any(_runs(pid) for pid in started)
    assert not (logs / "c.log").exists()


def _pid_in(log: Path) -> int:
    while not (log.exists() and log.read_text(encoding="utf-8").endswith("\n")):
        time.sleep(0.01)
    return int(log.read_text(encoding="utf-8"))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] != "Z" and os.kill(pid, 0) is None
    except (FileNotFoundError, ProcessLookupError):
        return False
