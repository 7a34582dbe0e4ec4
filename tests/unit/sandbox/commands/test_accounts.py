"""``account``: what the running front says of an id reaches the user."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox import cli
from sandbox.process import procfs
from sandbox.state import State, write_json
from tests.unit.sandbox.sleeper import sleeping


@pytest.fixture
def state(aws: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[State]:
    """A state folder whose front is in this process, and whose daemon seems to run."""
    monkeypatch.setenv("EKSOPS_SANDBOX_DIR", str(tmp_path / "state"))
    found = State.locate()
    found.create()
    place = {"front_url": aws.front.url, "admin_token": aws.front.token}
    with sleeping(found.root) as pid:
        write_json(found.description, {"pid": pid, "start_ticks": procfs.start_time(pid), **place})
        yield found


def test_an_account_with_an_id_of_its_own(state: State, capsys: pytest.CaptureFixture[str]) -> None:
    path = state.accounts / "shop" / "environment.json"
    for _ in range(2):
        assert cli.main(["account", "shop", "--id", "210987654321"]) == 0
        assert capsys.readouterr().out == f"account 210987654321: {path}\n"
    assert json.loads(path.read_text())["AWS_ENDPOINT_URL"].startswith("http://127.0.0.1:")
    assert cli.main(["account", "shop", "--id", "210987654322"]) == 1
    assert "account shop is there already with the id 210987654321" in capsys.readouterr().err
