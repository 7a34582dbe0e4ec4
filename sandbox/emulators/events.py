"""EventBridge asks the queue's policy before it delivers; ministack's does not.

https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
"""

from __future__ import annotations

import logging
from functools import cache
from typing import Any

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import ministack
from sandbox.emulators.services import MinistackService

_log = logging.getLogger(__name__)


@cache
def guard_queues() -> None:
    """Put the check in front of ministack's delivery, once per process."""
    events, sqs = ministack.module("services.eventbridge"), ministack.module("services.sqs")
    deliver = events._invoke_target

    def checked(target: dict[str, Any], event: Any, rule: dict[str, Any], view: Any = None) -> None:
        arn = str(target.get("Arn", ""))
        account = arn.split(":")[4] if arn.count(":") >= 5 else ""
        if ":sqs:" in arn and not sqs.queue_policy_allows(arn, "events.amazonaws.com", rule.get("Arn", ""), account):
            _log.warning("event of rule %s not delivered: the policy of %s does not let it", rule.get("Name"), arn)
            return
        deliver(target, event, rule, view)

    vars(events)["_invoke_target"] = checked


class Events:
    """EventBridge as the front sees it."""

    def __init__(self) -> None:
        self._ministack = MinistackService("events", "json")
        self._guarded = False

    async def handle(self, call: Call) -> HttpResponse:
        """Answer the call."""
        if not self._guarded:
            await ministack.imported(guard_queues)
            self._guarded = True
        return await self._ministack.handle(call)
