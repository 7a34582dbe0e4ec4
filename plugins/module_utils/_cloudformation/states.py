# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the status of a stack allows, and what to do where it allows nothing. Pure. Private to the collection.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html (status codes)
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/troubleshooting.html
"""

from __future__ import annotations

from collections.abc import Sequence

from .model import Stack, StackResource

_UPDATABLE = frozenset(
    {"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE", "IMPORT_ROLLBACK_COMPLETE"}
)
_CLEANING = frozenset({"UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS"})

_DELETE = "delete_cluster.yml, or aws cloudformation delete-stack"
_NEXT: dict[str, str] = {
    "CREATE_FAILED": f"repair the cause, delete the stack ({_DELETE}), then run again",
    "ROLLBACK_COMPLETE": f"its creation failed and was undone: repair the cause, delete the stack ({_DELETE}; it holds"
    " nothing any more), then run again",
    "ROLLBACK_FAILED": "its creation failed and could not be undone: remove what keeps the named resources in use,"
    f" delete the stack ({_DELETE}), then run again",
    "DELETE_FAILED": "its deletion was begun: remove what keeps the named resources in use, delete the stack again"
    f" ({_DELETE}), then run again",
    "UPDATE_FAILED": "roll it back (aws cloudformation rollback-stack), then run again",
    "UPDATE_ROLLBACK_FAILED": "repair the cause and continue the rollback (aws cloudformation"
    " continue-update-rollback), then run again",
    "IMPORT_ROLLBACK_FAILED": "repair the cause and continue the rollback, then run again",
    "REVIEW_IN_PROGRESS": "a change set was made for a new stack and never executed: execute it, or delete the stack,"
    " then run again",
}
_BUSY = "another operation is at work: wait for its end, then run again"


def is_updatable(status: str) -> bool:
    """Whether UpdateStack and CreateChangeSet are accepted now."""
    return status in _UPDATABLE


def is_busy(status: str) -> bool:
    """Whether the status will change by itself. REVIEW_IN_PROGRESS will not: it waits for a person."""
    return status in _CLEANING or (status.endswith("_IN_PROGRESS") and status != "REVIEW_IN_PROGRESS")


def next_step(status: str) -> str | None:
    """What to do about a stack that cannot be updated; None when it can."""
    if is_updatable(status):
        return None
    return _BUSY if is_busy(status) else _NEXT.get(status, "look at the stack's events, then run again")


def blocked_sentence(stack: Stack, resources: Sequence[StackResource]) -> str | None:
    """One sentence for a stack that cannot be updated, with the resources that failed; None when it can."""
    step = next_step(stack.status)
    if step is None:
        return None
    reason = f": {stack.reason.rstrip('.')}" if stack.reason else ""
    failed = failed_resources(resources)
    return f"Stack {stack.name} is {stack.status} and cannot be updated{reason}.{failed} Next: {step}."


def failed_resources(resources: Sequence[StackResource]) -> str:
    """A sentence with the resources that failed and why, with a space before it; empty without one."""
    failed = [
        f"{item.logical_id} ({item.physical_id or item.type}): {(item.reason or item.status).rstrip('.')}"
        for item in resources
        if item.status.endswith("_FAILED")
    ]
    return f" Failed resources: {'; '.join(failed)}." if failed else ""
