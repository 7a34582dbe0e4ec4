"""The faults that are set, by account: asked by all parts of the sandbox, saved with their account."""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from sandbox.faults import kinds
from sandbox.faults.durations import Draws
from sandbox.faults.model import Fault, FaultError, Subject

_log = logging.getLogger(__name__)


class Performer(Protocol):
    """Makes a kind of fault happen that nobody asks for: stops something, sends something."""

    async def begin(self, fault: Fault) -> None:
        """The fault is set. Raises FaultError when there is nothing that it could happen to."""
        ...

    async def resume(self, fault: Fault) -> None:
        """The fault was set in an earlier run of the sandbox, and holds."""
        ...

    async def end(self, fault: Fault) -> None:
        """The fault is cleared."""
        ...


class Faults:
    """Faults are set and cleared in one event loop, and looked up from any thread."""

    def __init__(self, clock: Callable[[], float] = time.time, changed: Callable[[str], None] = lambda _: None) -> None:
        """``changed`` is told the id of each account whose faults have changed."""
        self._clock, self._changed = clock, changed
        self._restored: list[Fault] = []
        self._numbers = itertools.count(1)
        self._faults: dict[str, list[Fault]] = {}
        self._performers: dict[str, Performer] = {}
        self._endings: dict[str, asyncio.Task[None]] = {}
        self._lock = threading.Lock()
        self._change = asyncio.Event()
        self.draws = Draws()

    def perform(self, performer: Performer, *names: str) -> None:
        """Let ``performer`` make faults of these kinds happen."""
        self._performers |= dict.fromkeys(names, performer)

    # --- asking

    def find(self, account: str, kind: str, subject: Subject) -> Fault | None:
        """The fault of this kind that concerns the subject; the one that was set first when there are several."""
        if not self._faults.get(account):  # each call of AWS asks
            return None
        return next((one for one in self.all(account) if one.kind == kind and one.concerns(subject)), None)

    def all(self, account: str | None = None) -> list[Fault]:
        """The faults that hold now, in the order in which they were set."""
        now = self._clock()
        with self._lock:
            found = [one for name, some in self._faults.items() if account in (None, name) for one in some]
        return sorted((one for one in found if not one.over(now)), key=lambda one: int(one.id[1:]))

    def holds(self, fault: Fault) -> bool:
        """Whether the fault is still set."""
        return any(one.id == fault.id for one in self.all(fault.account))

    async def changed(self) -> None:
        """Wait until a fault is set or cleared."""
        await self._change.wait()

    async def gone(self, fault: Fault) -> None:
        """Wait until the fault is cleared."""
        while self.holds(fault):
            await self.changed()

    # --- setting and clearing

    async def set(self, account: str, kind: str, given: Mapping[str, str]) -> Fault:
        """Set a fault. Raises FaultError, which names what is allowed."""
        wanted = kinds.parse(kind, given)
        now = self._clock()
        until = None if wanted.for_seconds is None else now + wanted.for_seconds
        number = f"f{next(self._numbers)}"
        fault = Fault(number, account, kind, wanted.selectors, wanted.parameters, now, until)
        with self._lock:
            self._faults.setdefault(account, []).append(fault)
        try:
            if performer := self._performers.get(kind):
                await performer.begin(fault)
        except BaseException:
            self._drop(fault)
            raise
        self._tell(account)
        if self.holds(fault):
            self._let_end(fault)
        return fault

    def _let_end(self, fault: Fault) -> None:
        if fault.until is not None:
            self._endings[fault.id] = asyncio.create_task(self._expire(fault, fault.until - self._clock()))

    async def clear(self, number: str) -> Fault:
        """Clear the fault of this id; returns when what it did has ended. Raises FaultError."""
        fault = next((one for one in self.all() if one.id == number), None)
        if fault is None:
            known = ", ".join(one.id for one in self.all()) or "none"
            raise FaultError(f"there is no fault {number!r}; set are {known}")
        if ending := self._endings.pop(fault.id, None):
            ending.cancel()
        await self._finish(fault)
        return fault

    async def clear_all(self, account: str) -> list[Fault]:
        """Clear every fault of an account."""
        return [await self.clear(one.id) for one in self.all(account)]

    async def _expire(self, fault: Fault, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))
        self._endings.pop(fault.id, None)
        try:
            await self._finish(fault)
        except Exception:
            # Nobody waits for this task. The fault is listed until somebody clears it, which tries again.
            _log.exception("fault %s did not end", fault.id)

    async def _finish(self, fault: Fault) -> None:
        self._drop(fault)
        self.draws.forget(fault)
        self._tell(fault.account)
        try:
            if performer := self._performers.get(fault.kind):
                await performer.end(fault)
        except Exception:
            # What it did may hold still, so it is not told as gone, whatever its time was.
            with self._lock:
                self._faults.setdefault(fault.account, []).append(replace(fault, until=None))
            self._tell(fault.account)
            raise

    def spent(self, fault: Fault) -> None:
        """The fault has happened and is over by itself: its performer has nothing more to do."""
        self._drop(fault)
        self._tell(fault.account)

    def _drop(self, fault: Fault) -> None:
        with self._lock:
            self._faults[fault.account] = [one for one in self._faults.get(fault.account, []) if one.id != fault.id]

    def _tell(self, account: str) -> None:
        self._changed(account)
        event, self._change = self._change, asyncio.Event()
        event.set()

    # --- over a restart

    def dump(self, account: str) -> list[dict[str, Any]]:
        """The account's faults as plain data, with what was drawn under each."""
        lasting = [one for one in self.all(account) if kinds.KINDS[one.kind].outlives]
        return [one.view() | {"drawn": self.draws.dump(one)} for one in lasting]

    def restore(self, records: list[dict[str, Any]]) -> None:
        """Take back what ``dump`` gave in an earlier run; those that it concerns find them from now on."""
        for record in records:
            fault = Fault.of(record)
            self._faults.setdefault(fault.account, []).append(fault)
            self._restored.append(fault)
            self.draws.restore(fault, record["drawn"])
        self._numbers = itertools.count(max((int(one.id[1:]) for one in self._restored), default=0) + 1)

    async def resume(self) -> None:
        """Go on with the faults of an earlier run, when all parts are there again; end those whose time is over."""
        restored, self._restored = self._restored, []
        for fault in restored:
            with self._lock:
                there = fault in self._faults.get(fault.account, [])
            if not there:  # cleared meanwhile
                continue
            if (performer := self._performers.get(fault.kind)) and not fault.over(self._clock()):
                await performer.resume(fault)
            if self.holds(fault) or fault.over(self._clock()):
                self._let_end(fault)

    async def stop(self) -> None:
        """End what waits for faults to end."""
        for task in self._endings.values():
            task.cancel()
        await asyncio.gather(*self._endings.values(), return_exceptions=True)
