"""The sandbox comes up, tells how it is, and goes away without a trace, also after it was killed.

The tests share one sandbox: each starts it if it does not run.
"""

from __future__ import annotations

import json
import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox.process import procfs
from tests.sandbox.twin import SAVED_SECONDS, Sandbox, wait_gone
from tests.unit.sandbox.sleeper import sleeping

pytestmark = pytest.mark.acceptance

#: On two idle cores these are 6 seconds; other tests run at the same time.
READY_SECONDS = 60
READY_CPU_SECONDS = 12


def test_up_is_ready_soon_and_status_says_how_it_is(own: Sandbox) -> None:
    assert own.up() < READY_SECONDS
    assert own.cpu_seconds < READY_CPU_SECONDS
    again = own.command("up")
    assert again.returncode == 0
    assert "the sandbox runs already" in again.stdout
    status = own.command("status")
    assert status.returncode == 0, status.stdout
    assert "healthy" in status.stdout
    assert len(own.pids) == 2, "the daemon and the registry"


def test_two_ups_at_once_start_one_sandbox(own: Sandbox) -> None:
    own.command("down")
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(own.command, ["up", "up"]))
    assert [one.returncode for one in done] == [0, 0], [one.stderr for one in done]
    told = sorted("the sandbox runs already" in one.stdout for one in done)
    assert told == [False, True]
    assert "another up or down works on this sandbox; waiting for it" in done[0].stdout + done[1].stdout
    assert len(own.pids) == 2, "the daemon and the registry"


def test_nobody_ends_a_process_that_got_the_pid_of_a_daemon_that_was_killed(own: Sandbox) -> None:
    own.up()
    daemon = own.description["pid"]
    os.kill(daemon, signal.SIGKILL)
    assert wait_gone([daemon]) == []
    with sleeping(None) as stranger:
        description = {**own.description, "pid": stranger, "start_ticks": procfs.start_time(stranger)}
        own.state.description.write_text(json.dumps(description), encoding="utf-8")
        assert own.command("status").returncode == 1
        assert re.search(r"^daemon +dead ", own.command("status").stdout, re.MULTILINE)
        assert own.command("down").returncode == 0
        assert own.pids == []
        assert procfs.is_running(stranger)


def test_accounts_are_separate(own: Sandbox) -> None:
    own.up()
    done = own.command("account", "second")
    assert done.returncode == 0
    environment = own.state.accounts / "second" / "environment.json"
    assert str(environment) in done.stdout
    lines = own.command("env", "--account", "second").stdout
    assert f"export AWS_CONFIG_FILE={environment.parent / 'config'}" in lines
    assert own.description["account_id"] not in done.stdout


def test_accounts_are_as_they_were_after_down_and_up(own: Sandbox) -> None:
    own.up()
    before = own.description
    own.client("sqs").create_queue(QueueName="left-over")
    queues = own.client("sqs").list_queues()["QueueUrls"]
    own.command("down")
    # As on a machine where the charts were pushed and the caches are warm.
    assert own.up() < READY_SECONDS
    assert own.cpu_seconds < READY_CPU_SECONDS
    same = ("account_id", "front_url", "charts_url")
    assert [own.description[name] for name in same] == [before[name] for name in same]
    assert own.client("sqs").list_queues()["QueueUrls"] == queues
    assert own.client("sts", "second").get_caller_identity()["Account"] != before["account_id"]


@pytest.mark.parametrize("way", [("down", "up --fresh"), ("down --forget", "up")])
def test_the_account_is_empty_when_that_is_asked_for(own: Sandbox, way: tuple[str, str]) -> None:
    own.up()
    number = own.description["account_id"]
    own.client("sqs").create_queue(QueueName="left-over")
    for command in way:
        assert own.command(*command.split()).returncode == 0
    assert own.description["account_id"] == number
    assert not own.client("sqs").list_queues().get("QueueUrls")
    assert not (own.state.accounts / "second").exists()


def test_what_was_acknowledged_a_second_ago_survives_a_kill_of_everything(own: Sandbox) -> None:
    own.up()
    sqs, names = own.client("sqs"), [f"q{number}" for number in range(20)]
    made: list[float] = []
    for name in names:
        sqs.create_queue(QueueName=name)
        made.append(time.monotonic())
        time.sleep(0.1)
    own.kill()
    killed = time.monotonic()
    own.up()
    found = {url.rpartition("/")[2] for url in own.client("sqs").list_queues()["QueueUrls"]}
    must = {name for name, at in zip(names, made, strict=True) if killed - at > SAVED_SECONDS}
    assert must, "the test took no time"
    assert must <= found


def test_a_torn_file_is_not_used(own: Sandbox) -> None:
    """The kill test's files: the newest is cut off, as by a full disk."""
    own.kill()
    [saved] = own.state.saved.glob("*.account")
    saved.write_bytes(saved.read_bytes()[:-1])
    assert own.up()
    assert "the state before the last is used" in own.command("logs", "daemon").stdout
    assert own.client("sts").get_caller_identity()["Account"] == own.description["account_id"]


def test_up_cleans_up_after_a_killed_daemon(own: Sandbox) -> None:
    own.up()
    former, daemon = own.pids, own.description["pid"]
    os.kill(daemon, signal.SIGKILL)
    assert wait_gone([daemon]) == []
    up = own.command("up")
    assert up.returncode == 0
    assert "cleaned up after a sandbox that was not stopped: 1 processes ended" in up.stdout
    assert wait_gone(former) == []


def test_down_leaves_logs_and_no_process(own: Sandbox) -> None:
    own.up()
    pids = own.pids
    assert own.command("down").returncode == 0
    assert wait_gone(pids) == []
    assert own.command("status").returncode == 3
    assert not own.state.environment.exists()
    assert "ready at" in own.command("logs", "daemon").stdout, "logs of the last run stay"
    assert own.command("down").returncode == 0
