"""The progress file: private, one event a line, never in the way."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._core.progress import Event, Progress


def ticks(*values: float) -> Iterator[float]:
    yield from values


def test_writes_one_event_a_line_with_the_elapsed_time(tmp_path: Path) -> None:
    clock = ticks(100.0, 103.04, 112.0)
    progress = Progress(str(tmp_path / "p"), clock=lambda: next(clock))
    progress.report("nodes", "i-1 is pending", done=0, total=2)
    progress.report("nodes", "two\nlines")
    lines = (tmp_path / "p").read_bytes().splitlines()
    assert [Event.decode(line) for line in lines] == [
        Event("nodes", "i-1 is pending", 3.0, 0, 2),
        Event("nodes", "two\nlines", 12.0),
    ]


def test_makes_the_file_private(tmp_path: Path) -> None:
    Progress(str(tmp_path / "p"))
    assert stat.S_IMODE((tmp_path / "p").stat().st_mode) == 0o600


def test_without_a_path_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Progress(None).report("nodes", "x")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["shared", "link", "fifo", "folder", "absent folder"])
def test_refuses_what_is_no_private_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "p"
    if kind == "shared":
        path.write_text("")
        path.chmod(0o644)
    elif kind == "link":
        (tmp_path / "target").touch(0o600)
        path.symlink_to(tmp_path / "target")
    elif kind == "fifo":
        os.mkfifo(path, 0o600)
    elif kind == "folder":
        path.mkdir()
    else:
        path = tmp_path / "none" / "p"
    with pytest.raises(EksopsError, match="progress_path"):
        Progress(str(path))


def test_a_full_disk_does_not_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    progress = Progress(str(tmp_path / "p"))

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        progress.report("nodes", "x")
    progress.report("nodes", "dropped: the file is closed")
    assert (tmp_path / "p").read_bytes() == b""


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Event("nodes", "i-1 is pending", 11.6, 1, 2), "[nodes] 1/2, 12 s: i-1 is pending"),
        (Event("nodes", "done", 0.2), "[nodes] 0 s: done"),
    ],
)
def test_renders_for_a_person(event: Event, text: str) -> None:
    assert event.render() == text


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b'"x"', b'{"phase": "a"}', b'{"phase":1,"message":2,"elapsed_seconds":"x"}']
)
def test_lines_that_are_no_event_are_none(line: bytes) -> None:
    assert Event.decode(line) is None
