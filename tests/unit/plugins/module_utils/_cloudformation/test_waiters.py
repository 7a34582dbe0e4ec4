"""Waiting for a stack ends when it is at rest, gone, or the time is up."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.waiters import wait_at_rest
from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsTimeoutError


class Stacks:
    """DescribeStacks that tells one status after the other, the last for ever; None is no stack."""

    def __init__(self, *statuses: str | None) -> None:
        self.statuses = list(statuses)

    def find(self, operation: str, **parameters: Any) -> dict[str, Any] | None:
        assert operation == "describe_stacks"
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        found = {"StackName": parameters["StackName"], "StackId": "arn", "StackStatus": status}
        return {"Stacks": [found]} if status else None


class Clock:
    """A clock that only sleep moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def read(self) -> float:
        return self.now


def wait(stacks: Any, seconds: float) -> tuple[Any, float]:
    clock = Clock()
    return wait_at_rest(stacks, "s", seconds, sleep=clock.sleep, clock=clock.read), clock.now


def test_it_ends_at_rest() -> None:
    stack, seconds = wait(Stacks("CREATE_IN_PROGRESS", "CREATE_IN_PROGRESS", "CREATE_COMPLETE"), 60)
    assert (stack.status, seconds) == ("CREATE_COMPLETE", 10)


def test_it_ends_when_the_stack_is_gone() -> None:
    assert wait(Stacks("DELETE_IN_PROGRESS", None), 60) == (None, 5)


@pytest.mark.parametrize("status", ["CREATE_COMPLETE", "ROLLBACK_COMPLETE", "REVIEW_IN_PROGRESS"])
def test_it_does_not_wait_for_what_will_not_come(status: str) -> None:
    stack, seconds = wait(Stacks(status), 60)
    assert (stack.status, seconds) == (status, 0)


def test_without_time_the_stack_is_told_as_it_is() -> None:
    assert wait(Stacks("CREATE_IN_PROGRESS"), 0)[1] == 0


def test_the_end_of_the_time_names_the_status() -> None:
    with pytest.raises(EksopsTimeoutError, match="UPDATE_IN_PROGRESS"):
        wait(Stacks("UPDATE_IN_PROGRESS"), 12)
