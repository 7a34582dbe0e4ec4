"""Hands events of AWS services to EventBridge, in order, in a thread of its own: who has news does not wait.

https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-event.html
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any

from sandbox.emulators import ministack
from sandbox.emulators.events import guard_queues
from sandbox.emulators.messages import Event
from sandbox.threads import Threads

_log = logging.getLogger(__name__)


class Announcer:
    """Events go to the default bus of an account and region, as those of all AWS services do."""

    def __init__(self, changed: Callable[[str], None] = lambda _: None) -> None:
        """``changed`` is told the id of each account that has got something: queues, most of the time."""
        self._changed = changed
        # One: events arrive in the order in which they happened.
        self._threads = Threads("announcer", 1)

    def tell(self, account: str, region: str, events: Iterable[Event]) -> None:
        """Deliver the events soon."""
        for event in events:
            self._threads.submit(self._deliver, account, region, event)

    def _deliver(self, account: str, region: str, event: Event) -> None:
        _deliver(account, region, event)
        self._changed(account)

    def close(self) -> None:
        """Deliver no more."""
        self._threads.close()


def _dispatch(record: dict[str, Any]) -> None:
    # AWS's services speak TLS among themselves: a queue that denies plain HTTP lets them in.
    ministack.module("core.iam_evaluator").pin_request_origin("127.0.0.1", True)
    ministack.module("services.eventbridge")._dispatch_event(record)


def _deliver(account: str, region: str, event: Event) -> None:
    try:
        guard_queues()
        record = {
            "EventId": str(uuid.uuid4()),
            "Source": event.source,
            "DetailType": event.detail_type,
            "Detail": json.dumps(dict(event.detail)),
            "EventBusName": "default",
            "Time": int(time.time()),
            "Resources": list(event.resources),
            "Account": account,
            "Region": region,
        }
        ministack.scoped(account, region, lambda: _dispatch(record))
    except Exception:
        # Who changed the instance has had its answer; the next events need this thread.
        _log.exception("event %s of %s was not delivered", event.detail_type, account)
