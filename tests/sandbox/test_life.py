"""The sandbox comes up, tells how it is, and goes away without a trace, also after it was killed."""

from __future__ import annotations

import os
import signal

import pytest

from tests.sandbox.twin import Sandbox, wait_gone

pytestmark = pytest.mark.acceptance


def test_up_status_down(stopped: Sandbox) -> None:
    # The second time, as on a machine where the charts were pushed and the caches are warm.
    for _ in range(2):
        seconds = stopped.up()
        assert seconds < 20
        again = stopped.command("up")
        assert again.returncode == 0
        assert "the sandbox runs already" in again.stdout
        status = stopped.command("status")
        assert status.returncode == 0, status.stdout
        assert "healthy" in status.stdout
        pids = stopped.pids
        assert len(pids) == 2, "the daemon and the registry"
        assert stopped.command("down").returncode == 0
        assert wait_gone(pids) == []
        assert stopped.command("status").returncode == 3
        assert not stopped.state.environment.exists()
        assert "ready at" in stopped.command("logs", "daemon").stdout, "logs of the last run stay"
    assert stopped.command("down").returncode == 0


def test_down_after_the_daemon_was_killed_leaves_no_process(stopped: Sandbox) -> None:
    stopped.up()
    stopped.create_cluster("demo")
    pids = stopped.pids
    assert len(pids) == 7
    daemon = stopped.description["pid"]
    os.kill(daemon, signal.SIGKILL)
    assert wait_gone([daemon]) == []
    status = stopped.command("status")
    assert status.returncode == 1
    assert "the process is gone without having stopped the sandbox" in status.stdout
    assert stopped.components()["etcd"]["state"] == "running"
    down = stopped.command("down")
    assert down.returncode == 0
    assert "ended 6 processes of a sandbox whose daemon was gone" in down.stdout
    assert wait_gone(pids) == []


def test_up_cleans_up_after_a_killed_daemon(stopped: Sandbox) -> None:
    stopped.up()
    former = stopped.pids
    os.kill(stopped.description["pid"], signal.SIGKILL)
    wait_gone([stopped.description["pid"]])
    up = stopped.command("up")
    assert up.returncode == 0
    assert "cleaned up after a sandbox that was not stopped: 1 processes ended" in up.stdout
    assert wait_gone(former) == []


def test_the_account_is_empty_again_after_down_and_up(stopped: Sandbox) -> None:
    stopped.up()
    number = stopped.description["account_id"]
    stopped.client("sqs").create_queue(QueueName="left-over")
    stopped.command("down")
    stopped.up()
    assert stopped.description["account_id"] == number
    assert not stopped.client("sqs").list_queues().get("QueueUrls")


def test_accounts_are_separate(stopped: Sandbox) -> None:
    stopped.up()
    done = stopped.command("account", "second")
    assert done.returncode == 0
    environment = stopped.state.accounts / "second" / "environment.json"
    assert str(environment) in done.stdout
    lines = stopped.command("env", "--account", "second").stdout
    assert f"export AWS_CONFIG_FILE={environment.parent / 'config'}" in lines
    assert stopped.description["account_id"] not in done.stdout
