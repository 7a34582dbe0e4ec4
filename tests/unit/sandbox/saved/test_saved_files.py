"""A file of saved state is used when it is whole; otherwise the one before it is, with a word."""

from __future__ import annotations

import logging
import stat
from pathlib import Path

import pytest

from sandbox.saved import files


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a predecessor."""
    found = tmp_path / "saved" / "1.account"
    files.write(found, b"first")
    files.write(found, b"second")
    return found


def test_the_newest_is_read_and_private(path: Path) -> None:
    assert files.read(path) == b"second"
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.iterdir()} == {0o600}
    assert files.names(path.parent) == ["1.account"]


@pytest.mark.parametrize("left", [0, 1, 40, -1])
def test_a_torn_one_is_never_used(path: Path, left: int, caplog: pytest.LogCaptureFixture) -> None:
    path.write_bytes(path.read_bytes()[:left])
    with caplog.at_level(logging.WARNING):
        assert files.read(path) == b"first"
    assert "is not whole" in caplog.text
    assert "the state before the last is used" in caplog.text


def test_one_with_other_bytes_is_never_used(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"second", b"sEcond"))
    assert files.read(path) == b"first"


def test_a_kill_between_the_two_renames_leaves_the_one_before(path: Path) -> None:
    path.replace(path.with_name(path.name + files.PREVIOUS))
    assert files.names(path.parent) == ["1.account"]
    assert files.read(path) == b"second"


def test_without_a_whole_one_nothing_is_made_up(path: Path) -> None:
    for entry in path.parent.iterdir():
        entry.write_bytes(b"")
    with pytest.raises(files.TornError, match="neither"):
        files.read(path)


def test_what_other_versions_wrote_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "versions", lambda: {"format": 2})
    with pytest.raises(files.OtherVersionError, match=r"this is \{'format': 2\}"):
        files.read(path)


def test_nothing_is_nothing(tmp_path: Path) -> None:
    assert files.read(tmp_path / "none") is None
    assert files.names(tmp_path / "none") == []


def test_a_write_that_fails_leaves_what_was_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files.os, "fdopen", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        files.write(path, b"third")
    assert files.read(path) == b"second"
    assert len(list(path.parent.iterdir())) == 2
