"""The waiter: one deadline, every missing thing named with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError, EksopsTimeoutError
from ansible_collections.eksops.karpenter.plugins.module_utils._core.progress import Event, Progress
from ansible_collections.eksops.karpenter.plugins.module_utils._core.waiting import Predicates, Waiter


class Time:
    def __init__(self) -> None:
        self.now = 50.0
        self.sleeps: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float, /) -> None:
        self.sleeps.append(seconds)
        self.now += seconds


def waiter(time: Time, timeout: float, progress: Progress | None = None) -> Waiter:
    return Waiter(timeout, 1, 4, progress or Progress(), time.clock, time.sleep)


def test_returns_at_once_when_all_is_ready() -> None:
    time = Time()
    waited = waiter(time, 10).until("x", "X", lambda: {"a": None})
    assert (waited.looks, waited.elapsed_seconds, time.sleeps) == (1, 0, [])


def test_nothing_to_wait_for_is_ready() -> None:
    assert waiter(Time(), 10).until("x", "X", dict).looks == 1


def test_pauses_grow_up_to_the_maximum_and_end_at_the_deadline() -> None:
    time = Time()
    with pytest.raises(EksopsTimeoutError):
        waiter(time, 15).until("x", "X", lambda: {"a": "no"})
    assert time.sleeps == [1, 1.5, 2.25, 3.375, 4, 2.875]


def test_looks_once_more_at_the_deadline() -> None:
    time = Time()
    waited = waiter(time, 5).until("x", "X", lambda: {"a": None if time.now >= 55 else "no"})
    assert waited.elapsed_seconds == 5


def test_a_time_out_names_each_missing_thing_with_its_reason() -> None:
    state: Mapping[str, str | None] = {"a": "no subnet", "b": None, "c": "no role"}
    with pytest.raises(EksopsTimeoutError) as error:
        waiter(Time(), 3).until("x", "Classes did not become Ready", lambda: state, next_step="tag a subnet")
    assert error.value.missing == ["a: no subnet", "c: no role"]
    assert str(error.value) == (
        "Classes did not become Ready within 3 seconds; still missing: a: no subnet; c: no role. Next: tag a subnet."
    )


def test_an_error_of_the_look_ends_the_wait() -> None:
    def look() -> Mapping[str, str | None]:
        raise EksopsError("The node group is CREATE_FAILED")

    with pytest.raises(EksopsError, match="CREATE_FAILED"):
        waiter(Time(), 100).until("x", "X", look)


def test_each_round_is_told(tmp_path: Path) -> None:
    time = Time()
    answers = iter([{"a": "no", "b": "no"}, {"a": None, "b": "still no"}, {"a": None, "b": None}])
    progress = Progress(str(tmp_path / "p"), clock=time.clock)
    waiter(time, 100, progress).until("classes", "X", lambda: next(answers))
    events = [Event.decode(line) for line in (tmp_path / "p").read_bytes().splitlines()]
    assert [event.render() for event in events if event] == [
        "[classes] 0/2, 0 s: a: no (and 1 more)",
        "[classes] 1/2, 1 s: b: still no",
        "[classes] 2/2, 2 s: ready",
    ]


def test_the_registry_finds_the_predicate_of_a_kind() -> None:
    ready = Predicates()

    @ready.of("Door")
    def door(value: Mapping[str, bool]) -> str | None:
        return None if value["open"] else "it is shut"

    assert ready.reason("Door", {"open": False}) == "it is shut"
    assert ready.reason("Door", {"open": True}) is None
    assert list(ready) == ["Door"]
    assert "Window" not in ready
    with pytest.raises(KeyError):
        ready.reason("Window", {})
    with pytest.raises(ValueError, match="Door"):
        ready.of("Door")(door)
