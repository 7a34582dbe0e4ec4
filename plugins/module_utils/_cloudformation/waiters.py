# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Waits for a stack to come to rest. Private to the collection."""

from __future__ import annotations

import time
from collections.abc import Callable

from .._aws.client import Client
from .._core.errors import EksopsTimeoutError
from .api import find_stack
from .model import Stack
from .states import is_busy

POLL_SECONDS = 5.0


def wait_at_rest(
    client: Client,
    name: str,
    timeout_seconds: float,
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Stack | None:
    """The stack once no operation is at work on it, None when it is not there (any more).

    Raises EksopsTimeoutError; with ``timeout_seconds`` 0 the stack is returned as it is.
    """
    deadline = clock() + timeout_seconds
    while True:
        stack = find_stack(client, name)
        if stack is None or not is_busy(stack.status) or timeout_seconds == 0:
            return stack
        if clock() >= deadline:
            raise EksopsTimeoutError(
                f"Stack {name} did not come to rest within {timeout_seconds:g} seconds",
                missing=[f"stack {name} is {stack.status}"],
                next_step="look at the stack's events; run again when it is at rest",
            )
        sleep(POLL_SECONDS)
