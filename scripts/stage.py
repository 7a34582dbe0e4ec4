"""One step of a test run: a command with a time limit, whose output goes to a log and whose end is told."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / ".cache" / "logs"
TAIL_LINES = 60

_print_lock = threading.Lock()


@dataclass(frozen=True)
class Stage:
    """A command with a name; ``limit_seconds`` ends it, ``environment`` is added to the caller's."""

    name: str
    command: Sequence[str]
    limit_seconds: float = 600
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """How a stage went. ``passed`` and ``failed`` count what it tested: its tests, or itself."""

    stage: Stage
    ok: bool
    seconds: float
    log: Path
    passed: int
    failed: int


def say(line: str) -> None:
    """Print a line at once, whole, from any thread."""
    with _print_lock:
        print(line, flush=True)


def tail(log: Path, lines: int = TAIL_LINES) -> str:
    """The end of a log, indented."""
    content = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(f"    {line}" for line in content[-lines:])


def counts(output: str, *, ok: bool) -> tuple[int, int]:
    """Tests that passed and failed by pytest's closing line; without one, the stage itself is the test."""
    closing = re.findall(r"^=*\s*(?=.*\d+ (?:passed|failed|error))(.*) in [\d.]+s.*$", output, re.MULTILINE)
    if not closing:
        return (1, 0) if ok else (0, 1)
    numbers = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", closing[-1])}
    failed = numbers.get("failed", 0) + numbers.get("error", 0)
    return numbers.get("passed", 0), failed or (0 if ok else 1)


def run(stage: Stage) -> Outcome:
    """Run a stage to its end or its limit; everything that it started goes with it."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{re.sub(r'[^a-z0-9]+', '-', stage.name.lower()).strip('-')}.log"
    started = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            stage.command,
            cwd=ROOT,
            env={**os.environ, **stage.environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            ok = process.wait(timeout=stage.limit_seconds) == 0
        except subprocess.TimeoutExpired:
            ok = False
            output.write(f"\nended after its limit of {stage.limit_seconds:.0f} s\n".encode())
        finally:
            _end(process)
    text = log.read_text(encoding="utf-8", errors="replace")
    return Outcome(stage, ok, time.monotonic() - started, log, *counts(text, ok=ok))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the stage's process group, kindly first."""
    for number, grace in ((signal.SIGTERM, 20), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=grace)
        except (ProcessLookupError, PermissionError):
            return
        except subprocess.TimeoutExpired:
            continue


def report(outcome: Outcome) -> None:
    """Print how a stage went; the end of its log when it failed."""
    word = "ok    " if outcome.ok else "FAILED"
    tested = "" if (outcome.passed, outcome.failed) in {(1, 0), (0, 1)} else f"  {outcome.passed} passed"
    say(f"{word} {outcome.seconds:6.1f} s  {outcome.stage.name}{tested}")
    if not outcome.ok:
        say(f"{tail(outcome.log)}\n    whole log: {outcome.log.relative_to(ROOT)}")


def python(*arguments: str) -> list[str]:
    """A command line of the environment's own Python."""
    return [sys.executable, *arguments]
