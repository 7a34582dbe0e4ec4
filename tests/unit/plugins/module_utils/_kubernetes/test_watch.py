"""The watcher: every change is handed on once, whatever happens to the connection."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.errors import KubernetesError
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.model import PODS
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.watch import Change, Watcher
from tests.unit.waiting import HANGS_SECONDS

from .server import Answer, Server, serving, status


def pod(name: str, version: int) -> dict[str, Any]:
    return {"metadata": {"name": name, "uid": name, "resourceVersion": str(version)}}


def listing(version: int, *names: str) -> Answer:
    items = [pod(name, version) for name in names]
    return Answer(body={"metadata": {"resourceVersion": str(version)}, "items": items})


def stream(*events: tuple[str, dict[str, Any]], cut: bool = False) -> Answer:
    return Answer(lines=tuple({"type": kind, "object": item} for kind, item in events), cut=cut)


class Heard:
    """Collects changes; ``until`` returns when there are as many as wanted."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, str]] = []
        self.received: list[float] = []
        self._more = threading.Condition()

    def __call__(self, change: Change) -> None:
        with self._more:
            self.changes.append((change.type, change.item["metadata"]["name"]))
            self.received.append(change.received)
            self._more.notify()

    def until(self, count: int) -> list[tuple[str, str]]:
        with self._more:
            assert self._more.wait_for(lambda: len(self.changes) >= count, timeout=HANGS_SECONDS), self.changes
            return self.changes[:count]


def watch(server: Server, heard: Heard, count: int) -> list[tuple[str, str]]:
    watcher = Watcher(server.client(), PODS, heard, clock=lambda: 5.0)
    watcher.open()
    try:
        return heard.until(count)
    finally:
        watcher.stop()
        watcher.join(timeout=HANGS_SECONDS)


def test_what_exists_comes_first_then_each_change_with_its_time() -> None:
    events = stream(("ADDED", pod("b", 11)), ("MODIFIED", pod("a", 12)), ("DELETED", pod("b", 13)))
    heard = Heard()
    with serving(listing(10, "a"), events) as server:
        changes = watch(server, heard, 4)
    assert changes == [("ADDED", "a"), ("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "b")]
    assert heard.received[:4] == [5.0] * 4
    assert server.asked[1].query["watch"] == "true"
    assert server.asked[1].query["resourceVersion"] == "10"


def test_a_watch_that_ends_or_breaks_goes_on_where_it_was() -> None:
    with serving(
        listing(10, "a"),
        stream(("ADDED", pod("b", 11))),
        stream(("BOOKMARK", pod("", 20)), cut=True),
        stream(("ADDED", pod("c", 21))),
    ) as server:
        assert watch(server, Heard(), 3) == [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]
    assert [asked.query.get("resourceVersion") for asked in server.asked[:4]] == [None, "10", "11", "20"]


@pytest.mark.parametrize(
    "expired",
    [stream(("ERROR", {"kind": "Status", "code": 410, "message": "too old"})), status(410, "too old", "Expired")],
    ids=["event", "answer"],
)
def test_after_a_version_too_old_what_has_gone_meanwhile_is_told(expired: Answer) -> None:
    with serving(listing(10, "a", "b"), expired, listing(30, "b", "c"), stream(("ADDED", pod("d", 31)))) as server:
        changes = watch(server, Heard(), 6)
    assert changes == [
        ("ADDED", "a"),
        ("ADDED", "b"),
        ("DELETED", "a"),
        ("MODIFIED", "b"),
        ("ADDED", "c"),
        ("ADDED", "d"),
    ]


def test_a_first_listing_that_fails_is_an_error_and_ends_the_watcher() -> None:
    with serving(status(403, "pods is forbidden", "Forbidden")) as server:
        watcher = Watcher(server.client(), PODS, Heard())
        with pytest.raises(KubernetesError, match="forbidden"):
            watcher.open()
        watcher.join(timeout=HANGS_SECONDS)
        assert not watcher.is_alive()


class Late(threading.Event):
    """An event whose waiter is not run before a watcher is in trouble."""

    def __init__(self, watcher: Watcher) -> None:
        super().__init__()
        self.watcher = watcher

    def wait(self, timeout: float | None = None) -> bool:
        happened = super().wait(timeout)
        while self.watcher.trouble is None:
            time.sleep(0.01)
        return happened


def test_a_watch_that_fails_at_once_is_no_failed_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = Heard()
    with serving(listing(10, "a"), status(403, "no more", "Forbidden"), stream(("ADDED", pod("b", 11)))) as server:
        watcher = Watcher(server.client(), PODS, heard)
        monkeypatch.setattr(watcher, "_listed", Late(watcher))
        watcher.open()
        heard.until(2)
        watcher.stop()
        watcher.join(timeout=HANGS_SECONDS)


def test_trouble_is_kept_while_it_lasts() -> None:
    heard = Heard()
    with serving(listing(10, "a"), status(403, "no more", "Forbidden"), stream(("ADDED", pod("b", 11)))) as server:
        watcher = Watcher(server.client(), PODS, heard)
        watcher.open()
        heard.until(2)
        watcher.stop()
        watcher.join(timeout=HANGS_SECONDS)
    assert watcher.trouble is None
    assert [asked.query.get("watch") for asked in server.asked[:3]] == [None, "true", "true"]


def test_nothing_is_handed_on_after_the_stop() -> None:
    heard = Heard()
    with serving(listing(10, "a"), stream(("ADDED", pod("b", 11)))) as server:
        watcher = Watcher(server.client(), PODS, heard)
        watcher.open()
        watcher.stop()
        count = len(heard.changes)
        watcher.join(timeout=HANGS_SECONDS)
    assert len(heard.changes) <= count + 1
