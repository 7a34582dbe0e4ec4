"""Before the daemon starts: leftovers go, the user's own AWS settings stay outside, too little memory is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.build import builder
from sandbox.commands import up
from sandbox.commands.common import CommandError
from sandbox.process import procfs
from sandbox.state import MARK, State, write_json
from tests.unit.waiting import HANGS_SECONDS


def test_the_daemon_does_not_inherit_what_leads_out_of_the_sandbox(tmp_path: Path) -> None:
    given = {"AWS_PROFILE": "production", "HTTPS_PROXY": "x", "https_proxy": "x", "KUBECONFIG": "x", "PATH": "/bin"}
    found = up.daemon_environment(given, State(tmp_path))
    assert "AWS_PROFILE" not in found
    assert not {"HTTPS_PROXY", "https_proxy", "KUBECONFIG"} & set(found)
    assert found["PATH"] == "/bin"
    assert found[MARK] == str(tmp_path)
    assert not Path(found["AWS_CONFIG_FILE"]).exists()


def test_what_a_dead_daemon_left_is_ended_and_removed(tmp_path: Path) -> None:
    state = State(tmp_path / "state")
    state.create()
    orphan = subprocess.Popen(
        [sys.executable, "-c", "print('up', flush=True); import time; time.sleep(60)"],
        stdout=subprocess.PIPE,
        env={**os.environ, MARK: str(state.root)},
    )
    assert orphan.stdout is not None
    with orphan.stdout:
        orphan.stdout.readline()
        write_json(state.description, {"pid": orphan.pid, "start_ticks": 0})
        (state.logs / "old").mkdir(parents=True)
        up.clean_up_stale(state)
        assert orphan.wait(HANGS_SECONDS) != 0
    assert not procfs.is_running(orphan.pid)
    assert not state.description.exists()
    assert not state.logs.exists()


def test_too_little_memory_is_told_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.build.checks.available_memory_bytes", lambda: 2**30)
    monkeypatch.setattr(builder, "ensure", lambda: pytest.fail("nothing is to be built"))
    with pytest.raises(CommandError, match=r"1\.0 GiB of memory are free and a sandbox with one cluster needs 2 GiB"):
        up.run(State(tmp_path / "state"))


def test_another_system_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    with pytest.raises(CommandError, match="runs on Linux only, this is Darwin"):
        up.run(State(tmp_path / "state"))


def test_a_daemon_that_ends_at_once_is_told_with_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "ensure", lambda: None)
    # An interpreter that does not have the sandbox's libraries.
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho 'no module named aiohttp'\nexit 7\n")
    fake.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(fake))
    with pytest.raises(CommandError, match=r"(?s)the daemon did not start: it ended.*no module named aiohttp"):
        up.run(State(tmp_path / "state"))
