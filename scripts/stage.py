"""One step of a test run: a command with a time limit, whose output goes to a log and whose end is told."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / ".cache" / "logs"
TAIL_LINES = 60

_print_lock = threading.Lock()
_running: set[subprocess.Popen[bytes]] = set()
# Held while a command starts, so that an interruption finds each one that has started, and none starts after it.
_starting = threading.Lock()
_interrupted = threading.Event()


@dataclass(frozen=True)
class Stage:
    """A command with a name; ``limit_seconds`` ends it, ``environment`` is added to the caller's.

    ``log``: where its output goes; by default a file of its name, which its next run overwrites.
    """

    name: str
    command: Sequence[str]
    limit_seconds: float = 600
    environment: Mapping[str, str] = field(default_factory=dict)
    log: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """How a stage went. ``passed`` and ``failed`` count what it tested: its tests, or itself.

    ``cpu_seconds``: user and system time of the command and of what it waited for.
    """

    stage: Stage
    ok: bool
    seconds: float
    cpu_seconds: float
    log: Path
    passed: int
    failed: int


def say(line: str) -> None:
    """Print a line at once, whole, from any thread."""
    with _print_lock:
        print(line, flush=True)


def slug(name: str) -> str:
    """A name as part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


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


def together(stages: Sequence[Stage], workers: int = 2) -> list[Outcome]:
    """Run stages, ``workers`` at a time, and report each when it ends. An interruption ends those that run."""
    return side_by_side(run_and_report, stages, workers)


def side_by_side[Item, Result](work: Callable[[Item], Result], items: Sequence[Item], workers: int) -> list[Result]:
    """Do ``work``, which runs stages, for each item, ``workers`` at a time. An interruption ends those that run."""
    pool = ThreadPoolExecutor(max_workers=workers)
    try:
        return list(pool.map(work, items))
    except BaseException:
        _interrupted.set()
        pool.shutdown(wait=False, cancel_futures=True)
        with _starting:
            for process in list(_running):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
        raise
    finally:
        pool.shutdown()
        _interrupted.clear()  # what cleans up is a stage, too


def interruptible() -> None:
    """Let SIGTERM interrupt as ^C does, so that what was started is stopped in both cases."""
    # Not what SIGINT has now: a shell lets background jobs ignore it, and what is ignored is inherited by children.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def run_and_report(stage: Stage) -> Outcome:
    """Run a stage and tell how it went."""
    outcome = run(stage)
    report(outcome)
    return outcome


def run(stage: Stage) -> Outcome:
    """Run a stage to its end or its limit; everything that it started goes with it.

    Raises InterruptedError when an interruption of those beside it has ended it: that is no outcome of its own.
    """
    log = stage.log or LOGS / f"{slug(stage.name)}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with log.open("wb") as output:
        process = _start(stage, output)
        try:
            ended = _ends_within(process, stage.limit_seconds)
            if not ended:
                output.write(f"\nended after its limit of {stage.limit_seconds:.0f} s\n".encode())
        finally:
            _running.discard(process)
            cpu_seconds = _end(process)
    ok = ended and process.returncode == 0
    if _interrupted.is_set() and not ok:
        raise InterruptedError(stage.name)
    text = log.read_text(encoding="utf-8", errors="replace")
    return Outcome(stage, ok, time.monotonic() - started, cpu_seconds, log, *counts(text, ok=ok))


def _start(stage: Stage, output: IO[bytes]) -> subprocess.Popen[bytes]:
    """The stage's command, running. Raises InterruptedError after an interruption of those beside it."""
    with _starting:
        if _interrupted.is_set():
            raise InterruptedError(stage.name)
        process = subprocess.Popen(
            stage.command,
            cwd=ROOT,
            env={**os.environ, **stage.environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        _running.add(process)
        return process


def _ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a process ends in time. It is not reaped, so that its use of CPU can still be asked for."""
    handle = os.pidfd_open(process.pid)
    poll = select.poll()  # select() takes no descriptor above 1,023
    poll.register(handle, select.POLLIN)
    try:
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(handle)


def _end(process: subprocess.Popen[bytes]) -> float:
    """End what is left of the stage's process group, kindly first; the CPU-seconds that the command used."""
    for number, grace in ((signal.SIGTERM, 20), (signal.SIGKILL, 5)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        _ends_within(process, grace)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    with contextlib.suppress(ProcessLookupError):
        while True:  # What the command left behind was killed, and is gone in a moment.
            os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.01)
    return usage.ru_utime + usage.ru_stime


def report(outcome: Outcome) -> None:
    """Print how a stage went; the end of its log when it failed."""
    word = "ok    " if outcome.ok else "FAILED"
    tested = "" if (outcome.passed, outcome.failed) in {(1, 0), (0, 1)} else f"  {outcome.passed} passed"
    say(f"{word} {outcome.seconds:6.1f} s  {outcome.cpu_seconds:6.1f} CPU-s  {outcome.stage.name}{tested}")
    if not outcome.ok:
        say(f"{tail(outcome.log)}\n    whole log: {outcome.log.relative_to(ROOT)}")


def python(*arguments: str) -> list[str]:
    """A command line of the environment's own Python."""
    return [sys.executable, *arguments]
