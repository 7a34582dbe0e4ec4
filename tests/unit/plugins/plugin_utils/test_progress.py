"""The action of long modules: what is shown, when, and that nothing is left."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.progress import Event, Progress
from ansible_collections.eksops.karpenter.plugins.plugin_utils import _progress


def test_news_are_shown_at_once_and_repetitions_now_and_then() -> None:
    wanted = _progress.Filter(everything=False)
    events = [
        Event("a", "x", 0, 0, 2),
        Event("a", "y", 1, 0, 2),
        Event("a", "z", 2, 1, 2),
        Event("a", "x", 5, 0, 2),
        Event("b", "x", 6),
        Event("b", "x", 7),
        Event("b", "y", 8),
    ]
    assert [wanted.wants(event) for event in events] == [True, False, True, True, True, False, True]
    everything = _progress.Filter(everything=True)
    assert all(everything.wants(event) for event in events)


def test_a_half_written_line_is_shown_when_it_is_complete(tmp_path: Path) -> None:
    shown: list[Event] = []
    path = tmp_path / "p"
    path.touch()
    with path.open("rb") as reader, path.open("ab", buffering=0) as writer:
        tail = _progress.Tail(reader.fileno(), shown.append, poll_seconds=0.01)
        line = Event("a", "x", 1).encode()
        writer.write(b"no event\n" + line[:5])
        tail._drain()
        assert not shown
        writer.write(line[5:])
        tail.start()
        tail.stop()
    assert shown == [Event("a", "x", 1)]


class Run:
    """An action whose module reports one event and then returns, or fails."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, **changes: Any) -> None:
        monkeypatch.setattr(_progress.constants, "DEFAULT_LOCAL_TMP", str(tmp_path))
        monkeypatch.setattr(_progress.display, "display", lambda text, color: self.shown.append(text))
        self.shown: list[str] = []
        self.arguments: dict[str, Any] = {}
        self.failure: Exception | None = changes.pop("failure", None)
        task = Mock(async_val=0, no_log=False, check_mode=False, diff=False, args={"replicas": 5})
        connection = Mock(transport="local", become=None)
        for name, value in changes.items():
            setattr(connection if name in ("transport", "become") else task, name, value)
        self.action = _progress.ProgressAction(task, connection, Mock(), Mock(), Mock(), Mock())
        monkeypatch.setattr(self.action, "_execute_module", self.module)

    def module(self, *, module_args: dict[str, Any], **_: Any) -> dict[str, Any]:
        self.arguments = module_args
        path = module_args.get("progress_path")
        if path and Path(path).exists():
            assert Path(path).stat().st_mode & 0o077 == 0
        Progress(path).report("nodes", "up", done=1, total=2)
        if self.failure:
            raise self.failure
        return {"changed": False}


def test_shows_the_module_s_events_and_removes_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = Run(monkeypatch, tmp_path)
    result = run.action.run(task_vars={"inventory_hostname": "demo"})
    assert run.shown == ["demo [nodes] 1/2, 0 s: up"]
    assert result["changed"] is False
    assert run.arguments["replicas"] == 5
    assert not list(tmp_path.iterdir())


def test_a_failing_module_leaves_no_file_and_its_error_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = Run(monkeypatch, tmp_path, failure=RuntimeError("boom"))
    with pytest.raises(RuntimeError, match="boom"):
        run.action.run(task_vars={})
    assert run.shown == ["[nodes] 1/2, 0 s: up"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "change",
    [{"async_val": 30}, {"no_log": True}, {"transport": "ssh"}, {"become": Mock()}],
    ids=lambda change: next(iter(change)),
)
def test_without_a_reader_the_module_runs_without_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: dict[str, Any]
) -> None:
    run = Run(monkeypatch, tmp_path, **change)
    run.action.run(task_vars={})
    assert "progress_path" not in run.arguments
    assert not run.shown


def test_the_caller_s_own_file_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = str(tmp_path / "own")
    run = Run(monkeypatch, tmp_path, args={"progress_path": own})
    run.action.run(task_vars={})
    assert run.arguments["progress_path"] == own
    assert not run.shown
    assert Path(own).exists()
