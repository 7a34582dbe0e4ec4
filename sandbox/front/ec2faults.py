"""Faults of EC2: launch errors, how long instances take to end, and the messages of AWS about them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sandbox.emulators import messages, moto
from sandbox.emulators.announcer import Announcer
from sandbox.emulators.ec2 import hooks, states
from sandbox.emulators.ec2.hooks import Passed
from sandbox.emulators.messages import Event, Place
from sandbox.faults.kinds import CHANGES
from sandbox.faults.launcherrors import LaunchError, refusal
from sandbox.faults.model import Fault, FaultError
from sandbox.faults.store import Faults
from sandbox.threads import Threads


class Ec2Faults:
    """What EC2 asks of the faults of one account; implements ``hooks.Hooks``."""

    def __init__(self, account: str, faults: Faults, announcer: Announcer, later: Later) -> None:
        self._account, self._faults, self._announcer, self._later = account, faults, announcer, later

    def refusal(self, region: str, subject: Mapping[str, str], subnet: str) -> LaunchError | None:
        """The error that a launch is to have."""
        fault = self._faults.find(self._account, "launch-error", subject)
        return refusal(fault.text("code"), subject["instance_type"], subject["zone"], subnet) if fault else None

    def termination_seconds(self, region: str, subject: Mapping[str, str], instance: str) -> float:
        """How long an instance takes to end."""
        fault = self._faults.find(self._account, "node-termination-duration", subject)
        return self._faults.draws.seconds(fault, instance) if fault else 0.0

    def later(self, seconds: float, account: str, work: Callable[[], None]) -> None:
        """Do ``work`` after a while, with the account's lock held."""
        self._later.call(seconds, account, work)

    def passed(self, account: str, region: str, instances: Sequence[Passed]) -> None:
        """Tell EventBridge of the states that instances have gone through."""
        events = [
            messages.state_change(name, Place(account, region, zone), state)
            for name, zone, names in instances
            for state in names
        ]
        self._announcer.tell(account, region, events)


class Later:
    """Work on EC2's stores that is due later, done in a thread of its own."""

    def __init__(self, changed: Callable[[str], None] = lambda _: None) -> None:
        """``changed`` is told the id of each account that work was done on."""
        self._changed = changed
        self._threads = Threads("later", 1)
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Work in the running loop from now on."""
        self._loop = asyncio.get_running_loop()

    def call(self, seconds: float, account: str, work: Callable[[], None]) -> None:
        """Do ``work`` after ``seconds`` with the account's lock held. Thread-safe."""
        assert self._loop is not None

        def due() -> None:
            self._threads.submit(self._work, account, work)

        loop = self._loop
        loop.call_soon_threadsafe(lambda: loop.call_later(seconds, due))

    async def run[R](self, account: str, work: Callable[[], R]) -> R:
        """Do ``work`` now and wait for it."""
        return await self._threads.run(self._work, account, work)

    def _work[R](self, account: str, work: Callable[[], R]) -> R:
        done = moto.locked(account, work)
        self._changed(account)
        return done

    def close(self) -> None:
        """What is not due yet is not done."""
        self._threads.close()


class Messages:
    """Performs the faults that are messages about an instance; a Spot interruption ends it, too."""

    def __init__(self, faults: Faults, announcer: Announcer, later: Later) -> None:
        self._faults, self._announcer, self._later = faults, announcer, later
        self._ending: dict[str, asyncio.Task[None]] = {}

    async def begin(self, fault: Fault) -> None:
        """Send the message. Raises FaultError when there is no such instance, or it is no Spot Instance."""
        name = fault.text("instance")
        found = await self._later.run(fault.account, lambda: states.find(fault.account, name))
        if found is None:
            raise FaultError(f"instance={name}: the account has no instance of this id, or it has ended")
        backend, instance = found
        if fault.kind != "scheduled-change" and instance.lifecycle != "spot":
            raise FaultError(f"instance={name}: this is no Spot Instance, and AWS sends {fault.kind} to no other")
        place = Place(fault.account, backend.region_name, hooks.zone_of(instance))
        self._announcer.tell(fault.account, backend.region_name, [_event(fault, place)])
        if fault.kind == "spot-interruption":
            self._ending[fault.id] = asyncio.create_task(self._interrupt(fault, backend, instance))
        else:
            self._faults.spent(fault)

    async def resume(self, fault: Fault) -> None:
        """The message was sent; a Spot Instance ends at the time that was announced, or at once if that is over."""
        found = await self._later.run(fault.account, lambda: states.find(fault.account, fault.text("instance")))
        if fault.kind == "spot-interruption" and found is not None:
            self._ending[fault.id] = asyncio.create_task(self._interrupt(fault, *found))
        else:
            self._faults.spent(fault)

    async def _interrupt(self, fault: Fault, backend: Any, instance: Any) -> None:
        """https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html"""
        await asyncio.sleep(max(0.0, fault.set_at + fault.number("notice_seconds") - time.time()))

        def work() -> None:
            states.end(backend, instance, states.BY_SPOT)
            states.announce(backend)

        await self._later.run(fault.account, work)
        self._ending.pop(fault.id, None)
        self._faults.spent(fault)

    async def end(self, fault: Fault) -> None:
        """An instance that has been warned and not ended yet goes on; what was sent was sent."""
        if task := self._ending.pop(fault.id, None):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def stop(self) -> None:
        """End nothing more."""
        for task in list(self._ending.values()):
            task.cancel()
        await asyncio.gather(*self._ending.values(), return_exceptions=True)


def _event(fault: Fault, place: Place) -> Event:
    instance = fault.text("instance")
    if fault.kind == "spot-interruption":
        return messages.spot_interruption(instance, place)
    if fault.kind == "rebalance-recommendation":
        return messages.rebalance(instance, place)
    code, now = fault.text("event"), time.time()
    return messages.scheduled_change(instance, place, code, CHANGES[code], now, now + fault.number("in_seconds"))
