"""Leftovers are found by their mark, also when the supervisor was killed; nobody else is touched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.process import procfs
from sandbox.process.sweep import marked_pids, sweep
from sandbox.state import MARK
from tests.unit.waiting import HANGS_SECONDS, until

ROOT = Path(__file__).resolve().parents[4]
SLEEP = [sys.executable, "-c", "print('up', flush=True); import time; time.sleep(60)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)",
]
SUPERVISOR = """
import asyncio, sys
from pathlib import Path
from sandbox.process import Processes
from tests.unit.waiting import HANGS_SECONDS, until

async def main():
    processes = Processes(Path(sys.argv[1]))
    child = await processes.start("orphan", [sys.executable, "-c", "import time; time.sleep(60)"], env={})
    print(child.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.fixture
def spawned() -> Iterator[list[subprocess.Popen[bytes]]]:
    found: list[subprocess.Popen[bytes]] = []
    yield found
    for process in found:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def _spawn(into: list[subprocess.Popen[bytes]], argv: list[str], mark: Path | None) -> subprocess.Popen[bytes]:
    """Start a process and wait for its first line, after which its environment and its handlers are in place."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)} | ({MARK: str(mark)} if mark else {})
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, env=environment, start_new_session=True)
    into.append(process)
    assert process.stdout is not None
    assert process.stdout.readline()
    return process


def test_only_what_carries_the_mark_is_ended(tmp_path: Path, spawned: list[subprocess.Popen[bytes]]) -> None:
    ours = _spawn(spawned, SLEEP, tmp_path)
    stranger = _spawn(spawned, SLEEP, None)
    neighbour = _spawn(spawned, SLEEP, tmp_path / "other")
    assert sweep(tmp_path) == [ours.pid]
    assert ours.wait(HANGS_SECONDS) == -signal.SIGTERM
    assert stranger.poll() is None
    assert neighbour.poll() is None


def test_what_ignores_sigterm_is_killed(tmp_path: Path, spawned: list[subprocess.Popen[bytes]]) -> None:
    process = _spawn(spawned, STUBBORN, tmp_path)
    sweep(tmp_path, grace_seconds=0.3)
    assert process.wait(HANGS_SECONDS) == -signal.SIGKILL


def test_the_command_itself_is_spared(tmp_path: Path, spawned: list[subprocess.Popen[bytes]]) -> None:
    code = "import sys, pathlib, sandbox.process.sweep as s; print(s.marked_pids(pathlib.Path(sys.argv[1])))"
    environment = {**os.environ, MARK: str(tmp_path), "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "[]\n"


def test_orphans_of_a_killed_supervisor_are_found(tmp_path: Path, spawned: list[subprocess.Popen[bytes]]) -> None:
    environment = {**os.environ, MARK: str(tmp_path), "PYTHONPATH": str(ROOT)}
    supervisor = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, str(tmp_path)], stdout=subprocess.PIPE, env=environment
    )
    spawned.append(supervisor)
    assert supervisor.stdout is not None
    orphan = int(supervisor.stdout.readline())
    supervisor.kill()
    supervisor.wait()
    assert procfs.is_running(orphan)
    assert sweep(tmp_path) == [orphan]
    until(lambda: not procfs.is_running(orphan), "the end of the orphan")
    assert marked_pids(tmp_path) == []
    assert sweep(tmp_path) == []
