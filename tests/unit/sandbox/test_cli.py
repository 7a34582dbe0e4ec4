"""The command line: every command, exit codes, and errors as one sentence on stderr."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import cli
from sandbox.faults.kinds import KINDS
from sandbox.process import procfs
from sandbox.state import State, write_json
from tests.unit.sandbox.sleeper import sleeping


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> State:
    monkeypatch.setenv("EKSOPS_SANDBOX_DIR", str(tmp_path / "state"))
    found = State.locate()
    found.create()
    found.logs.mkdir()
    return found


@pytest.fixture
def daemon(state: State) -> Iterator[int]:
    """The pid of what seems to be a daemon that runs. Nobody serves its front."""
    description = {
        "started_at": 0.0,
        "front_url": "http://127.0.0.1:1",
        "admin_token": "secret",
        "binary_dir": "/some where/bin",
        "registry": "127.0.0.1:2",
        "charts_url": "oci://127.0.0.1:2/karpenter",
    }
    with sleeping(state.root) as pid:
        write_json(state.description, {"pid": pid, "start_ticks": procfs.start_time(pid), **description})
        yield pid


def test_status_without_a_sandbox(state: State, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status"]) == 3
    assert "no sandbox runs" in capsys.readouterr().out


def test_status_of_a_daemon_that_does_not_answer(daemon: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status", "--json"]) == 1
    assert '"state": "unhealthy"' in capsys.readouterr().out


def test_down_without_a_sandbox_is_no_error(state: State, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["down"]) == 0
    assert cli.main(["down"]) == 0
    assert "no sandbox runs" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["env"], ["account", "second"], ["fault", "list"], ["fault", "clear"]])
def test_commands_that_need_a_sandbox_say_how_to_start_one(
    state: State, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    assert cli.main(command) == 1
    assert "the sandbox does not run; start it with: make sandbox-up" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["account", "a b"], "account name 'a b'"),
        (["account", "a", "--id", "123"], "account id '123': an AWS account id has 12 digits"),
        (["env", "--account", "second"], "there is no account second; make it with: python -m sandbox account second"),
    ],
)
def test_bad_accounts_are_refused(
    daemon: int, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert cli.main(arguments) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["broken-node"], "there is no fault 'broken-node'; there are node-never-registers, node-not-ready"),
        (["node-not-ready", "ami-1"], "'ami-1' is not NAME=VALUE; for example: image=ami-"),
        (["node-not-ready", "zone=a", "zone=b"], "zone is given twice"),
        (["launch-error", "code=Full"], "code=Full: code is an error of EC2: one of InsufficientInstanceCapacity"),
    ],
)
def test_bad_faults_are_refused_before_anybody_is_asked(
    state: State, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert cli.main(["fault", "set", *arguments]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_the_help_of_fault_set_lists_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["fault", "set", "--help"])
    text = capsys.readouterr().out
    assert all(f"  {kind}: " in text for kind in KINDS)
    assert "code*, for_seconds" in text


@pytest.mark.usefixtures("daemon")
def test_env_prints_lines_for_a_shell(state: State, capsys: pytest.CaptureFixture[str]) -> None:
    write_json(state.environment, {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "ODD": "it's $HOME"})
    assert cli.main(["env"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "export AWS_ENDPOINT_URL=http://127.0.0.1:1" in lines
    assert """export ODD='it'"'"'s $HOME'""" in lines
    assert """export PATH='/some where/bin':"$PATH\"""" in lines


def test_up_twice_is_refused_while_the_daemon_hangs(daemon: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["up"]) == 1
    assert f"the daemon (process {daemon}) runs, but the sandbox does not answer" in capsys.readouterr().err


def test_logs_are_listed_found_by_their_end_and_cut(state: State, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one/kube-apiserver", "two/kube-apiserver", "one/etcd"):
        path = state.logs / f"{name}.log"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{name} line {number}\n" for number in range(5)))
    assert cli.main(["logs"]) == 0
    assert capsys.readouterr().out.split() == ["one/etcd", "one/kube-apiserver", "two/kube-apiserver"]
    assert cli.main(["logs", "etcd", "-n", "2"]) == 0
    assert capsys.readouterr().out == "one/etcd line 3\none/etcd line 4\n"
    assert cli.main(["logs", "two/kube-apiserver", "-n", "1"]) == 0
    capsys.readouterr()
    assert cli.main(["logs", "kube-apiserver"]) == 1
    assert "'kube-apiserver' may be one/kube-apiserver, two/kube-apiserver" in capsys.readouterr().err
    assert cli.main(["logs", "kwok"]) == 1
    assert "there is no log of 'kwok'; there are logs of: one/etcd" in capsys.readouterr().err
