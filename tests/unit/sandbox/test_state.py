"""The state folder: private, and emptied only when it is the sandbox's."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from sandbox.state import State, read_json, write_json, write_private


def test_the_folder_can_be_named() -> None:
    assert State.locate({"EKSOPS_SANDBOX_DIR": "/somewhere/else"}).root == Path("/somewhere/else")
    assert State.locate({}).root.name == ".sandbox"


def test_files_are_private_and_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    write_private(path, "one")
    write_private(path, "two")
    assert path.read_text() == "two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


def test_json_that_is_not_there_or_broken_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    assert read_json(path) is None
    path.write_text("{")
    assert read_json(path) is None
    path.write_text("[1]")
    assert read_json(path) is None
    write_json(path, {"a": 1})
    assert read_json(path) == {"a": 1}


def test_wipe_keeps_logs_charts_and_the_secret(tmp_path: Path) -> None:
    state = State(tmp_path / "state")
    state.create()
    for name in ("logs", "registry", "clusters", "processes", "accounts"):
        (state.root / name / "inner").mkdir(parents=True)
    for name in ("token", "sandbox.json", "environment.json"):
        (state.root / name).write_text("x")
    state.wipe()
    left = {entry.name for entry in state.root.iterdir()}
    assert {"logs", "registry", "token"} <= left
    assert left.isdisjoint({"clusters", "processes", "accounts", "sandbox.json", "environment.json"})
    assert stat.S_IMODE(state.root.stat().st_mode) == 0o700
    state.create()


def test_somebody_elses_folder_is_neither_taken_nor_emptied(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    state = State(tmp_path)
    with pytest.raises(RuntimeError, match="holds files that are not the sandbox's"):
        state.create()
    state.wipe()
    assert (tmp_path / "thesis.txt").exists()


def test_a_folder_that_only_has_what_stays_is_taken(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    State(tmp_path).create()
