"""The waits of a deletion, with a clock that only sleep moves."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError, EksopsTimeoutError
from ansible_collections.eksops.karpenter.plugins.module_utils._stack_deletion.run import Request, Time, run


class Stacks:
    """A stack with one status after the other, the last for ever; None is no stack."""

    def __init__(self, *statuses: str | None) -> None:
        self.statuses = list(statuses)
        self.deletions = 0
        self.now = 0.0

    def find(self, operation: str, **_parameters: Any) -> dict[str, Any] | None:
        assert operation == "describe_stacks"
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        return {"Stacks": [{"StackName": "s", "StackId": "arn", "StackStatus": status}]} if status else None

    def call(self, operation: str, **parameters: Any) -> dict[str, Any]:
        assert (operation, parameters) == ("delete_stack", {"StackName": "arn"})
        self.deletions += 1
        return {}

    def pages(self, *_arguments: Any, **_parameters: Any) -> list[Any]:
        return []

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def delete(*statuses: str | None, seconds: int = 60) -> Stacks:
    stacks = Stacks(*statuses)
    client: Any = stacks
    run(client, Request("s", seconds), check_mode=False, timing=Time(stacks.sleep, lambda: stacks.now))
    return stacks


def test_the_status_before_is_not_the_end() -> None:
    """A stack that was UPDATE_ROLLBACK_FAILED may be told so once more after DeleteStack."""
    stacks = delete("UPDATE_ROLLBACK_FAILED", "UPDATE_ROLLBACK_FAILED", "DELETE_IN_PROGRESS", None)
    assert stacks.deletions == 1


def test_a_deletion_that_failed_before_gets_the_time_to_begin() -> None:
    stacks = delete("DELETE_FAILED", "DELETE_IN_PROGRESS", None)
    assert (stacks.deletions, stacks.now) == (1, 10.0)


def test_it_is_tried_twice() -> None:
    with pytest.raises(EksopsError, match="was not deleted"):
        delete("CREATE_COMPLETE", "DELETE_FAILED")
    stacks = delete("CREATE_COMPLETE", "DELETE_IN_PROGRESS", "DELETE_FAILED", "DELETE_IN_PROGRESS", None)
    assert stacks.deletions == 2


def test_what_is_at_work_is_waited_for_first() -> None:
    stacks = delete("CREATE_IN_PROGRESS", "ROLLBACK_COMPLETE", None)
    assert (stacks.deletions, stacks.now) == (1, 5.0)


def test_the_wait_has_an_end() -> None:
    with pytest.raises(EksopsTimeoutError, match="DELETE_IN_PROGRESS"):
        delete("CREATE_COMPLETE", "DELETE_IN_PROGRESS")
