"""Faults over a restart of the sandbox: what is kept, what goes on, what is over."""

from __future__ import annotations

import asyncio

import pytest

from sandbox.faults.model import Fault
from sandbox.faults.store import Faults
from tests.unit.waiting import HANGS_SECONDS, eventually

NOW = 1_000_000.0


class Told:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.log: list[str] = []

    async def begin(self, fault: Fault) -> None:
        self.log.append(f"begin {fault.id}")

    async def resume(self, fault: Fault) -> None:
        self.log.append(f"resume {fault.id}")

    async def end(self, fault: Fault) -> None:
        self.log.append(f"end {fault.id}")


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def again(faults: Faults, clock: Clock, *accounts: str) -> tuple[Faults, Told]:
    """The faults of the next run."""
    found, told = Faults(clock), Told()
    found.perform(told, "pods-never-ready", "api-server-stopped")
    for account in accounts:
        found.restore(faults.dump(account))
    return found, told


async def test_they_are_found_again_with_their_ids_and_new_ones_get_others() -> None:
    clock = Clock()
    faults = Faults(clock)
    for _ in range(3):
        await faults.set("1", "expired-credentials", {"service": "sqs"})
    await faults.set("2", "pods-never-ready", {"pods": "app=web", "for_seconds": "60"})
    await faults.clear("f2")
    later, told = again(faults, clock, "2", "1")
    assert later.all() == faults.all()
    assert later.find("1", "expired-credentials", {"service": "sqs"}) == faults.all("1")[0]
    await later.resume()
    assert told.log == ["resume f4"]
    assert (await later.set("1", "expired-credentials", {})).id == "f5"
    await later.stop()


async def test_who_saves_accounts_is_told_of_each_change() -> None:
    told: list[str] = []
    faults = Faults(changed=told.append)
    fault = await faults.set("1", "expired-credentials", {})
    assert told == ["1"]
    await faults.clear(fault.id)
    assert told == ["1", "1"]


async def test_what_was_over_meanwhile_ends_and_concerns_nobody() -> None:
    clock = Clock()
    faults = Faults(clock)
    await faults.set("1", "pods-never-ready", {"pods": "app=web", "for_seconds": "60"})
    later, told = again(faults, clock, "1")
    clock.now += 61
    assert later.all() == []
    await later.resume()
    await eventually(lambda: told.log == ["end f1"])
    await faults.stop()


async def test_one_with_an_end_ends_when_it_would_have() -> None:
    clock = Clock()
    faults = Faults(clock)
    await faults.set("1", "pods-never-ready", {"pods": "app=web", "for_seconds": "60"})
    later, told = again(faults, clock, "1")
    clock.now += 59.9
    await later.resume()
    [fault] = later.all()
    assert told.log == ["resume f1"]
    clock.now += 0.1
    await asyncio.wait_for(later.gone(fault), HANGS_SECONDS)
    await eventually(lambda: told.log == ["resume f1", "end f1"])
    await faults.stop()


async def test_one_that_is_cleared_before_all_is_back_does_not_go_on() -> None:
    clock = Clock()
    faults = Faults(clock)
    await faults.set("1", "pods-never-ready", {"pods": "app=web"})
    later, told = again(faults, clock, "1")
    await later.clear("f1")
    await later.resume()
    assert told.log == ["end f1"]


async def test_a_stopped_api_server_runs_again_with_the_sandbox() -> None:
    clock = Clock()
    faults = Faults(clock)
    await faults.set("1", "api-server-stopped", {"for_seconds": "3600"})
    assert faults.dump("1") == []
    later, told = again(faults, clock, "1")
    await later.resume()
    assert (later.all(), told.log) == ([], [])
    await faults.stop()


@pytest.mark.parametrize("before", [0, 1, 5])
async def test_durations_are_drawn_on_where_they_were(before: int) -> None:
    clock = Clock()
    names = [f"i-{number}" for number in range(10)]
    faults, whole = Faults(clock), Faults(clock)
    values = {"p0_seconds": "0", "p100_seconds": "100", "seed": "7"}
    unbroken = await whole.set("1", "node-start-duration", values)
    expected = [whole.draws.seconds(unbroken, name) for name in names]
    fault = await faults.set("1", "node-start-duration", values)
    for name in names[:before]:
        faults.draws.seconds(fault, name)
    later, _ = again(faults, clock, "1")
    assert [later.draws.seconds(fault, name) for name in names] == expected
