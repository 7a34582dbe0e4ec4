"""Children are started, watched, told about and stopped."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from sandbox.process import Child, ComponentFailedError, Processes, procfs, records, supervisor
from sandbox.state import MARK
from tests.unit.waiting import HANGS_SECONDS, eventually

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)",
]


@pytest.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    found = Processes(tmp_path)
    yield found
    await found.stop_all(grace_seconds=0.5)


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


async def _until_logged(processes: Processes, name: str, text: str) -> None:
    await eventually(lambda: text in records.log_tail(processes.log_path(name)))


async def test_a_child_runs_logs_and_is_recorded(processes: Processes, tmp_path: Path) -> None:
    child = await processes.start("a/b", _python("print('hello', flush=True); import time; time.sleep(60)"), env={})
    await _until_logged(processes, "a/b", "hello")
    [record] = records.read_all(tmp_path / "processes")
    assert (record.name, record.pid, record.running) == ("a/b", child.pid, True)
    assert record.start_ticks == procfs.start_time(child.pid)
    assert record.argv[0] == sys.executable
    await processes.stop("a/b")
    assert not procfs.is_running(child.pid)
    assert records.read_all(tmp_path / "processes") == []
    assert "hello" in processes.log_path("a/b").read_text()


async def test_nothing_of_the_users_environment_leaks_into_a_child(
    processes: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    child = await processes.start("env", SLEEP, env={"GIVEN": "yes"})
    found = procfs.environment(child.pid)
    assert found["GIVEN"] == "yes"
    assert found[MARK] == str(tmp_path)
    assert found["HOME"] == str(tmp_path / "home")
    assert "AWS_PROFILE" not in found


async def test_start_returns_once_the_check_agrees(processes: Processes) -> None:
    asked = 0

    async def healthy() -> bool:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise ConnectionError("refused")
        return asked >= 3

    await processes.start("slow", SLEEP, env={}, healthy=healthy)
    assert asked == 3
    assert await processes.check("slow") is None


async def test_a_child_that_never_gets_healthy_is_ended_and_named(
    processes: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def healthy() -> bool:
        raise ConnectionError("nobody listens")

    def clock() -> float:
        """The time is up once the child has said why."""
        return 31.0 if "cannot open" in records.log_tail(processes.log_path("sick")) else 0.0

    monkeypatch.setattr(supervisor, "time", SimpleNamespace(monotonic=clock, time=time.time))

    code = "print('cannot open the store', flush=True); import time; time.sleep(60)"
    with pytest.raises(
        ComponentFailedError, match=r"(?s)sick: not healthy after 30 s: ConnectionError: nobody"
    ) as caught:
        await processes.start("sick", _python(code), env={}, healthy=healthy, deadline_seconds=30)
    assert "cannot open the store" in str(caught.value)
    [record] = records.read_all(tmp_path / "processes")
    assert record.failure is not None
    assert not procfs.is_running(record.pid)


async def test_a_child_that_dies_while_starting_is_told_at_once(processes: Processes) -> None:
    async def healthy() -> bool:
        return False

    told: list[Child] = []
    processes.on_exit("short", told.append)
    with pytest.raises(ComponentFailedError, match=r"(?s)short: ended with exit code 3.*no such flag"):
        await processes.start(
            "short",
            _python("print('no such flag'); raise SystemExit(3)"),
            env={},
            healthy=healthy,
            deadline_seconds=HANGS_SECONDS,
        )
    assert told == [], "the exception told it already"


async def test_a_program_that_is_not_there_is_named(processes: Processes) -> None:
    with pytest.raises(ComponentFailedError, match="gone: cannot run /no/such/program"):
        await processes.start("gone", ["/no/such/program"], env={})


async def test_an_unexpected_death_is_recorded_and_called_back(processes: Processes, tmp_path: Path) -> None:
    told: asyncio.Queue[Child] = asyncio.Queue()
    processes.on_exit("worker", told.put)
    child = await processes.start("worker", SLEEP, env={})
    child.process.send_signal(signal.SIGKILL)
    dead = await asyncio.wait_for(told.get(), HANGS_SECONDS)
    assert (dead.name, dead.exit_code) == ("worker", -signal.SIGKILL)
    [record] = records.read_all(tmp_path / "processes")
    assert record.failure == "ended by itself with exit code -9"
    assert await processes.check("worker") == "ended with exit code -9"


async def test_a_stop_that_was_asked_for_calls_nobody(processes: Processes) -> None:
    told: list[Child] = []
    processes.on_exit("worker", told.append)
    await processes.start("worker", SLEEP, env={})
    await processes.stop("worker")
    await processes.stop("worker")
    assert told == []


async def test_stop_kills_what_does_not_listen(processes: Processes) -> None:
    child = await processes.start("deaf", STUBBORN, env={})
    await _until_logged(processes, "deaf", "deaf")
    await processes.stop("deaf", grace_seconds=0.3)
    assert child.exit_code == -signal.SIGKILL


async def test_stop_ends_what_the_child_started(processes: Processes) -> None:
    code = (
        "import subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print('grandchild', p.pid, flush=True); time.sleep(60)"
    )
    await processes.start("family", _python(code), env={})
    await _until_logged(processes, "family", "grandchild")
    grandchild = int(processes.log_path("family").read_text().split()[1])
    await processes.stop("family")
    await eventually(lambda: not procfs.is_running(grandchild))


async def test_a_restart_keeps_the_former_log(processes: Processes) -> None:
    await processes.start("again", _python("print('first')"), env={})
    await eventually(lambda: not processes.children["again"].running)
    await processes.start("again", SLEEP, env={})
    log = processes.log_path("again")
    assert log.with_name(log.name + ".1").read_text() == "first\n"
    with pytest.raises(RuntimeError, match="again already runs as process"):
        await processes.start("again", SLEEP, env={})


async def test_a_child_that_is_meant_to_end_is_waited_for(processes: Processes, tmp_path: Path) -> None:
    code = await processes.run("job", _python("print('done'); raise SystemExit(3)"), env={})
    assert code == 3
    assert records.log_tail(processes.log_path("job")).strip() == "done"
    assert "job" not in processes.children
    assert records.read_all(tmp_path / "processes") == []


async def test_a_successor_goes_on_under_the_name_of_the_one_before(processes: Processes, tmp_path: Path) -> None:
    former = await processes.start("server", _python("print('old', flush=True); import time; time.sleep(60)"), env={})
    await _until_logged(processes, "server", "old")
    next_ = await processes.start("next", _python("print('new', flush=True); import time; time.sleep(60)"), env={})
    await _until_logged(processes, "next", "new")
    died: list[str] = []
    processes.on_exit("server", lambda child: died.append(child.name))
    await processes.succeed("server", "next")
    assert (former.running, next_.running) == (False, True)
    assert list(processes.children) == ["server"]
    [record] = records.read_all(tmp_path / "processes")
    assert (record.name, record.pid) == ("server", next_.pid)
    assert "new" in processes.log_path("server").read_text()
    assert "old" in processes.log_path("server").with_name("server.log.1").read_text()
    assert died == []
    with pytest.raises(KeyError):
        await processes.succeed("server", "next")
    next_.process.kill()
    await eventually(lambda: died == ["server"])


async def test_a_cancelled_start_leaves_no_process(processes: Processes, tmp_path: Path) -> None:
    async def never() -> bool:
        return False

    task = asyncio.create_task(processes.start("slow", SLEEP, env={}, healthy=never))
    await eventually(lambda: bool(records.read_all(tmp_path / "processes")))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    [record] = records.read_all(tmp_path / "processes")
    assert not procfs.is_running(record.pid)


@pytest.mark.parametrize("name", ["", "../up", "a//b", "/etc", "a b"])
async def test_a_name_that_is_no_file_name_is_refused(processes: Processes, name: str) -> None:
    with pytest.raises(ValueError, match="component name"):
        await processes.start(name, SLEEP, env={})
