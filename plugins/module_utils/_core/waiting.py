# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Waiting with a deadline and a reason. Pure: clock and sleep are given. Private to the collection.

A *predicate* looks at one object and returns None when it is as wanted, or else the reason why it is not.
A *look* returns the state of everything that is waited for, by name: again None, or the reason.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from .errors import EksopsTimeoutError
from .progress import Progress

Predicate = Callable[[Any], "str | None"]
"""None: ready. A string: why not. An EksopsError raised: waiting longer is of no use."""

Look = Callable[[], Mapping[str, "str | None"]]
"""One observation: every thing waited for, with None (ready) or the reason why not."""


class Predicates:
    """A registry of predicates by kind.

    >>> ready = Predicates()
    >>> @ready.of("Door")
    ... def door(value):
    ...     return None if value["open"] else "it is shut"
    >>> ready.reason("Door", {"open": False})
    'it is shut'
    """

    def __init__(self) -> None:
        self._by_kind: dict[str, Predicate] = {}

    def of(self, kind: str) -> Callable[[Predicate], Predicate]:
        """Decorator: register the function for ``kind``. Raises ValueError when the kind has one already."""

        def register(predicate: Predicate) -> Predicate:
            if kind in self._by_kind:
                raise ValueError(f"{kind} has a predicate already")
            self._by_kind[kind] = predicate
            return predicate

        return register

    def reason(self, kind: str, value: Any) -> str | None:
        """Why ``value`` is not ready, or None. Raises KeyError for a kind without a predicate."""
        return self._by_kind[kind](value)

    def __contains__(self, kind: str) -> bool:
        return kind in self._by_kind

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_kind)


class Sleep(Protocol):
    """Sleeps for at most that many seconds; may return early when something has happened (a watch event)."""

    def __call__(self, seconds: float, /) -> object: ...


@dataclass(frozen=True)
class Waited:
    """How a wait went: seconds and observations."""

    elapsed_seconds: float
    looks: int


@dataclass
class Waiter:
    """Looks again and again until everything is ready.

    :ivar timeout_seconds: from the start of ``until`` to the last look.
    :ivar interval_seconds: the first pause; each one is longer by a half, up to ``max_interval_seconds``.
    :ivar progress: where each round is told.
    """

    timeout_seconds: float
    interval_seconds: float = 1.0
    max_interval_seconds: float = 10.0
    progress: Progress = field(default_factory=Progress)
    clock: Callable[[], float] = time.monotonic
    sleep: Sleep = time.sleep

    def until(self, phase: str, what: str, look: Look, *, next_step: str | None = None) -> Waited:
        """Wait until ``look`` has no reason left.

        :param phase: the word shown in brackets while it waits.
        :param what: the sentence of the error, for example "Cluster demo did not become ACTIVE".
        Raises EksopsTimeoutError that names each missing thing with its reason; passes on what ``look`` raises.
        """
        start = self.clock()
        pause = self.interval_seconds
        looks = 0
        while True:
            state = look()
            looks += 1
            missing = {name: reason for name, reason in state.items() if reason is not None}
            self._tell(phase, len(state), missing)
            elapsed = self.clock() - start
            if not missing:
                return Waited(round(elapsed, 3), looks)
            left = self.timeout_seconds - elapsed
            if left <= 0:
                raise EksopsTimeoutError(
                    f"{what} within {self.timeout_seconds:g} seconds",
                    missing=[f"{name}: {reason}" for name, reason in missing.items()],
                    next_step=next_step,
                )
            self.sleep(min(pause, left))
            pause = min(pause * 1.5, self.max_interval_seconds)

    def _tell(self, phase: str, total: int, missing: Mapping[str, str]) -> None:
        if missing:
            name, reason = next(iter(missing.items()))
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            message = f"{name}: {reason}{more}"
        else:
            message = "ready"
        self.progress.report(phase, message, done=total - len(missing), total=total)
