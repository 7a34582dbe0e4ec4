"""Stacks on which work was under way when the sandbox ended: nobody goes on with it, so they have failed.

What can be done with each status:
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html#cfn-stack-status-codes
"""

from __future__ import annotations

from typing import Any

_REASON = "The sandbox was stopped while this was under way."
#: A stack in review waits for its user, not for CloudFormation.
_WAITING = "REVIEW_IN_PROGRESS"
_CLEANUP, _PROGRESS = "_COMPLETE_CLEANUP_IN_PROGRESS", "_IN_PROGRESS"


def end_stack(stack: dict[str, Any]) -> None:
    """Give a stack that was on its way the status in which it can be deleted or tried again."""
    status = str(stack.get("StackStatus", ""))
    if status == _WAITING or not status.endswith(_PROGRESS):
        return
    if status.endswith(_CLEANUP):
        stack["StackStatus"] = status.removesuffix(_CLEANUP) + "_COMPLETE"
    else:
        stack["StackStatus"] = status.removesuffix(_PROGRESS) + "_FAILED"
        stack["StackStatusReason"] = _REASON


def end_change_set(change_set: dict[str, Any]) -> None:
    """A change set that was being executed has failed."""
    if change_set.get("ExecutionStatus") == "EXECUTE_IN_PROGRESS":
        change_set["ExecutionStatus"] = "EXECUTE_FAILED"
        change_set["StatusReason"] = _REASON
