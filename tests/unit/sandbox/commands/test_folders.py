"""EKSOPS_SANDBOX_DIR may name anything: a folder of others is left alone, and no command ends in a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox import cli
from sandbox.commands.common import daemon_pid
from sandbox.state import State


@pytest.mark.parametrize("command", ["up", "down"])
@pytest.mark.parametrize("name", ["mine", "logs", "lock"])
def test_leaves_a_foreign_folder_as_it_was(
    command: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / name).write_text("mine")
    monkeypatch.setenv("EKSOPS_SANDBOX_DIR", str(tmp_path))
    assert cli.main([command]) == 1
    assert "not the sandbox's" in capsys.readouterr().err
    assert (tmp_path / name).read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"other", name}


@pytest.mark.parametrize("command", ["up", "down", "status"])
@pytest.mark.parametrize("below", ["", "sub"])
def test_a_file_is_no_folder(
    command: str, below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv("EKSOPS_SANDBOX_DIR", str(tmp_path / "file" / below))
    code = cli.main([command])
    told = capsys.readouterr()
    assert (code, told.err[:7]) == (1, "error: ") or (code, told.out) == (0, "no sandbox runs\n")


@pytest.mark.parametrize(
    "description", [None, {}, {"pid": 1}, {"pid": "x", "start_ticks": 1}, {"pid": 1, "start_ticks": None}]
)
def test_a_broken_description_tells_of_no_daemon(description: dict[str, object] | None) -> None:
    assert daemon_pid(State(Path("/nowhere")), description) is None
