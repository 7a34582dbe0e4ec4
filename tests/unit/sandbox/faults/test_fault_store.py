"""Setting, asking for and clearing faults."""

from __future__ import annotations

import asyncio

import pytest

from sandbox.faults.model import Fault, FaultError
from sandbox.faults.store import Faults
from tests.unit.waiting import HANGS_SECONDS, eventually

HERE = {"region": "us-west-2", "image": "ami-1"}


class Told:
    """Writes down what it is told; refuses when it is to, and fails at the first ``unending`` ends."""

    def __init__(self, refusal: str | None = None, unending: int = 0) -> None:
        self.refusal = refusal
        self.unending = unending
        self.log: list[str] = []

    async def begin(self, fault: Fault) -> None:
        self.log.append(f"begin {fault.id}")
        if self.refusal:
            raise FaultError(self.refusal)

    async def resume(self, fault: Fault) -> None:
        self.log.append(f"resume {fault.id}")

    async def end(self, fault: Fault) -> None:
        self.log.append(f"end {fault.id}")
        if self.unending:
            self.unending -= 1
            raise RuntimeError("it does not end")


@pytest.fixture
def faults() -> Faults:
    return Faults()


async def test_a_fault_is_found_where_it_is_set_until_it_is_cleared(faults: Faults) -> None:
    assert faults.find("1", "node-never-registers", HERE) is None
    fault = await faults.set("1", "node-never-registers", {"image": "ami-1"})
    assert faults.find("1", "node-never-registers", HERE) == fault
    assert faults.find("2", "node-never-registers", HERE) is None
    assert faults.find("1", "node-not-ready", HERE) is None
    assert faults.find("1", "node-never-registers", HERE | {"image": "ami-2"}) is None
    assert await faults.clear(fault.id) == fault
    assert faults.find("1", "node-never-registers", HERE) is None


async def test_of_several_the_first_one_counts(faults: Faults) -> None:
    for _ in range(11):
        await faults.set("1", "launch-error", {"code": "Unsupported"})
    found = faults.find("1", "launch-error", HERE)
    assert found is not None
    assert found.id == "f1"
    assert [one.id for one in faults.all()] == [f"f{number}" for number in range(1, 12)]


async def test_a_fault_clears_itself_and_what_it_did(faults: Faults) -> None:
    told = Told()
    faults.perform(told, "api-server-stopped")
    fault = await faults.set("1", "api-server-stopped", {"for_seconds": "0.05"})
    await asyncio.wait_for(faults.gone(fault), HANGS_SECONDS)
    await eventually(lambda: told.log == ["begin f1", "end f1"])
    assert faults.all() == []


async def test_a_fault_that_is_cleared_before_its_time_ends_once(faults: Faults) -> None:
    told = Told()
    faults.perform(told, "api-server-stopped")
    fault = await faults.set("1", "api-server-stopped", {"for_seconds": "1"})
    await faults.clear(fault.id)
    await asyncio.sleep(1.1)
    assert told.log == ["begin f1", "end f1"]


async def test_a_fault_that_cannot_begin_is_not_set(faults: Faults) -> None:
    faults.perform(Told("there is no cluster"), "api-server-stopped")
    with pytest.raises(FaultError, match="there is no cluster"):
        await faults.set("1", "api-server-stopped", {})
    assert faults.all() == []


async def test_a_fault_whose_end_fails_is_listed_until_it_is_cleared(faults: Faults) -> None:
    told = Told(unending=1)
    faults.perform(told, "api-server-stopped")
    await faults.set("1", "api-server-stopped", {"for_seconds": "0.05"})
    await eventually(lambda: told.log[-1] == "end f1")
    await eventually(lambda: [one.until for one in faults.all()] == [None])
    await faults.clear("f1")
    assert told.log == ["begin f1", "end f1", "end f1"]
    assert faults.all() == []


async def test_a_fault_that_cannot_be_cleared_can_be_cleared_again(faults: Faults) -> None:
    faults.perform(Told(unending=1), "api-server-stopped")
    await faults.set("1", "api-server-stopped", {})
    with pytest.raises(RuntimeError, match="does not end"):
        await faults.clear("f1")
    await faults.clear("f1")
    assert faults.all() == []


async def test_an_unknown_id_is_answered_with_the_known_ones(faults: Faults) -> None:
    with pytest.raises(FaultError, match="there is no fault 'f9'; set are none"):
        await faults.clear("f9")
    await faults.set("1", "expired-credentials", {})
    with pytest.raises(FaultError, match="set are f1"):
        await faults.clear("f9")


async def test_all_of_an_account_are_cleared_together(faults: Faults) -> None:
    for account in ("1", "1", "2"):
        await faults.set(account, "expired-credentials", {})
    assert [one.id for one in await faults.clear_all("1")] == ["f1", "f2"]
    assert [one.account for one in faults.all()] == ["2"]


async def test_who_waits_is_told_of_each_change(faults: Faults) -> None:
    waiting = asyncio.create_task(faults.changed())
    await asyncio.sleep(0)
    fault = await faults.set("1", "expired-credentials", {})
    await asyncio.wait_for(waiting, HANGS_SECONDS)
    waiting = asyncio.create_task(faults.changed())
    await asyncio.sleep(0)
    await faults.clear(fault.id)
    await asyncio.wait_for(waiting, HANGS_SECONDS)
