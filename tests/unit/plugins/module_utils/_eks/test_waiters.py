"""Ready, gone, failed: by kind, with the reason that EKS gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError, EksopsTimeoutError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks.waiters import GONE, READY, EksWait

ISSUE = {
    "health": {"issues": [{"code": "AsgInstanceLaunchFailures", "message": "no capacity", "resourceIds": ["i-1"]}]}
}


@pytest.mark.parametrize(
    ("kind", "raw", "reason"),
    [
        ("cluster", {"status": "ACTIVE"}, None),
        ("cluster", {"status": "CREATING"}, "status CREATING"),
        ("cluster", None, "EKS does not know it yet"),
        ("nodegroup", {"status": "ACTIVE"}, None),
        (
            "nodegroup",
            {"status": "CREATING", **ISSUE},
            "status CREATING (AsgInstanceLaunchFailures: no capacity (i-1))",
        ),
        ("addon", {"status": "DEGRADED"}, "status DEGRADED"),
        ("addon", {"status": "ACTIVE"}, None),
        ("update", {"status": "InProgress"}, "status InProgress"),
        ("update", {"status": "Successful"}, None),
        ("update", None, "EKS does not know it yet"),
    ],
)
def test_reasons_why_a_thing_is_not_ready(kind: str, raw: Any, reason: str | None) -> None:
    assert READY.reason(kind, raw) == reason


@pytest.mark.parametrize(
    ("kind", "raw", "said"),
    [
        ("cluster", {"status": "FAILED", **ISSUE}, "AsgInstanceLaunchFailures"),
        ("cluster", {"status": "DELETING"}, "DELETING"),
        (
            "nodegroup",
            {"status": "CREATE_FAILED", **ISSUE},
            r"CREATE_FAILED: AsgInstanceLaunchFailures: no capacity \(i-1\)",
        ),
        ("nodegroup", {"status": "DEGRADED", **ISSUE}, "DEGRADED"),
        ("addon", {"status": "CREATE_FAILED"}, "CREATE_FAILED"),
        (
            "update",
            {
                "status": "Failed",
                "type": "VpcConfigUpdate",
                "errors": [{"errorCode": "EniLimitReached", "errorMessage": "x"}],
            },
            r"VpcConfigUpdate \(Failed\): EniLimitReached: x",
        ),
    ],
)
def test_what_cannot_become_ready_ends_the_wait(kind: str, raw: Any, said: str) -> None:
    with pytest.raises(EksopsError, match=said):
        READY.reason(kind, raw)


@pytest.mark.parametrize("kind", ["cluster", "nodegroup", "addon"])
def test_only_not_found_is_gone(kind: str) -> None:
    assert GONE.reason(kind, None) is None
    assert GONE.reason(kind, {"status": "DELETING"}) == "status DELETING"
    with pytest.raises(EksopsError, match="The deletion failed"):
        GONE.reason(kind, {"status": "DELETE_FAILED", **ISSUE})


class Clock:
    """A clock that only sleeping moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float, /) -> None:
        self.now += seconds


def statuses(*values: str | None) -> Iterator[Any]:
    for value in values[:-1]:
        yield None if value is None else {"status": value}
    while True:
        yield None if values[-1] is None else {"status": values[-1]}


def test_a_wait_ends_when_all_are_ready_and_asks_for_the_rest_only() -> None:
    clock = Clock()
    wait = EksWait(100, clock=clock, sleep=clock.sleep)
    asked = {"a": 0, "b": 0}

    def look(name: str, answers: Iterator[Any]) -> Any:
        asked[name] += 1
        return next(answers)

    quick, slow = statuses("ACTIVE"), statuses("CREATING", "CREATING", "ACTIVE")
    wait.ready("addon", {"a": lambda: look("a", quick), "b": lambda: look("b", slow)})
    assert asked == {"a": 1, "b": 3}


def test_a_wait_that_runs_out_names_what_is_missing() -> None:
    clock = Clock()
    wait = EksWait(30, clock=clock, sleep=clock.sleep)
    answers = statuses("CREATING")
    with pytest.raises(
        EksopsTimeoutError, match=r"cluster shop did not become ready within 30 seconds.*shop: status CREATING"
    ):
        wait.ready("cluster", {"shop": lambda: next(answers)})
    assert clock.now == 30


def test_a_failure_names_the_thing() -> None:
    clock = Clock()
    wait = EksWait(30, clock=clock, sleep=clock.sleep)
    answers = statuses("CREATING", "CREATE_FAILED")
    with pytest.raises(EksopsError, match=r"in nodegroup system"):
        wait.ready("nodegroup", {"system": lambda: next(answers)})
