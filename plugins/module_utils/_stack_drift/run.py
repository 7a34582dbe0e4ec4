# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Puts right what was changed by hand in a stack's resources. Private to the collection."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._cloudformation.api import find_stack, get_template, list_resources
from .._cloudformation.template import load_template
from .._core.errors import EksopsError, EksopsTimeoutError
from .._core.plan import Plan
from .._core.result import planned
from .api import Clients, observe
from .model import Drift, Expected, expected_of
from .plan import drifts, lost_sentence, repair_plan

POLL_SECONDS = 2.0


@dataclass(frozen=True)
class Request:
    """The options of the module."""

    stack_name: str
    wait_timeout_seconds: int = 120


def run(
    clients: Clients,
    request: Request,
    *,
    check_mode: bool,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Any]:
    """The module's result. Raises EksopsError, before the first write where something cannot be put right."""
    expected = _expected(clients, request.stack_name)
    found = drifts(expected, observe(clients, expected))
    lost = lost_sentence(request.stack_name, found)
    if lost:
        raise EksopsError(lost)
    plan: Plan = repair_plan(found)
    if plan.changed and not check_mode:
        for drift in found:
            if drift.call is not None:
                clients.client(drift.call.service).call(drift.call.operation, **drift.call.parameters)
        _proved(clients, request, expected, sleep, clock)
    return {**planned(plan), "drift": [item.as_dict() for item in found]}


def _expected(clients: Clients, name: str) -> list[Expected]:
    client = clients.client("cloudformation")
    stack = find_stack(client, name)
    if stack is None:
        return []
    template = load_template(get_template(client, stack.stack_id), f"the template of stack {stack.name}")
    return expected_of(stack, template, list_resources(client, stack.stack_id))


def _proved(
    clients: Clients,
    request: Request,
    expected: list[Expected],
    sleep: Callable[[float], None],
    clock: Callable[[], float],
) -> None:
    """Reads follow writes with a delay: https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html"""
    deadline = clock() + request.wait_timeout_seconds
    while left := drifts(expected, observe(clients, expected)):
        if clock() >= deadline:
            raise EksopsTimeoutError(
                f"What was put right in stack {request.stack_name} is not as it should be again",
                missing=[_sentence(drift) for drift in left],
                next_step="see which other program changes it, then run again",
            )
        sleep(POLL_SECONDS)


def _sentence(drift: Drift) -> str:
    return f"{drift.aspect} of {drift.name} is {drift.before}, not {drift.after}"
