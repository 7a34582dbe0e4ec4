# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Deletes a stack and waits until it is gone. Private to the collection."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._aws.client import Client
from .._cloudformation.api import find_stack, list_resources, with_reasons
from .._cloudformation.model import Stack
from .._cloudformation.waiters import POLL_SECONDS, wait_at_rest
from .._core.errors import EksopsTimeoutError
from .._core.result import planned
from .plan import FAILED, deletion_plan, not_deleted

# What a resource was in use by may go a moment later: an interface of an ended instance, a table of a deleted subnet.
ATTEMPTS = 2
PAUSE_SECONDS = 20.0


@dataclass(frozen=True)
class Request:
    """The options of the module."""

    stack_name: str
    wait_timeout_seconds: int = 900


@dataclass(frozen=True)
class Time:
    """Where time comes from."""

    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


def run(client: Client, request: Request, *, check_mode: bool, timing: Time | None = None) -> dict[str, Any]:
    """The module's result. Raises EksopsError."""
    timing = timing or Time()
    stack = wait_at_rest(
        client, request.stack_name, request.wait_timeout_seconds, sleep=timing.sleep, clock=timing.clock
    )
    plan = deletion_plan(stack)
    if stack is not None and not check_mode:
        _delete(client, stack, request, timing)
    return {**planned(plan), "exists": stack is not None, "status": stack.status if stack else None}


def _delete(client: Client, stack: Stack, request: Request, timing: Time) -> None:
    deadline = timing.clock() + request.wait_timeout_seconds
    left = stack
    for attempt in range(ATTEMPTS):
        if attempt:
            timing.sleep(PAUSE_SECONDS)
        client.call("delete_stack", StackName=stack.stack_id)
        if left.status == FAILED:  # the status of the deletion before, until the new one has begun
            timing.sleep(POLL_SECONDS)
        ended = _ended(client, stack, deadline, timing)
        if ended is None:
            return
        left = ended
    raise not_deleted(left, with_reasons(client, stack.stack_id, list_resources(client, stack.stack_id)))


def _ended(client: Client, stack: Stack, deadline: float, timing: Time) -> Stack | None:
    """The stack when its deletion has failed, None when it is gone."""
    while True:
        left = find_stack(client, stack.stack_id)
        if left is None or left.status == FAILED:
            return left
        if timing.clock() >= deadline:
            raise EksopsTimeoutError(
                f"Stack {stack.name} was not deleted within the time",
                missing=[f"stack {stack.name} is {left.status}"],
                next_step="look at the stack's events; run again, the deletion goes on meanwhile",
            )
        timing.sleep(POLL_SECONDS)
