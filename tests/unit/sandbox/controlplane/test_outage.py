"""Which API servers a fault stops, and that it starts them again."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from sandbox.contracts import ClusterKey
from sandbox.controlplane.outage import Outage
from sandbox.faults.model import FaultError
from sandbox.faults.store import Faults


class Planes:
    """Control planes of two accounts."""

    def __init__(self) -> None:
        self.stopped: list[str] = []

    @property
    def endpoints(self) -> dict[ClusterKey, str]:
        names = [("1", "us-west-2", "a"), ("1", "eu-west-1", "b"), ("2", "us-west-2", "a")]
        return {ClusterKey(*one): "https://127.0.0.1:1" for one in names} | {ClusterKey("1", "us-west-2", "new"): ""}

    async def stop_api_server(self, key: ClusterKey) -> None:
        self.stopped.append(key.slug)

    async def start_api_server(self, key: ClusterKey) -> None:
        self.stopped.remove(key.slug)


@pytest.fixture
def planes() -> Planes:
    return Planes()


@pytest.fixture
def faults(tmp_path: Path, planes: Planes) -> Faults:
    found = Faults()
    found.perform(Outage(cast(Any, planes)), "api-server-stopped")
    return found


@pytest.mark.parametrize(
    ("selectors", "stopped"),
    [
        ({}, ["1-us-west-2-a", "1-eu-west-1-b"]),
        ({"cluster": "a"}, ["1-us-west-2-a"]),
        ({"region": "eu-*"}, ["1-eu-west-1-b"]),
    ],
)
async def test_what_is_selected_stops_and_starts_again(
    faults: Faults, planes: Planes, selectors: dict[str, str], stopped: list[str]
) -> None:
    fault = await faults.set("1", "api-server-stopped", selectors)
    assert planes.stopped == stopped
    await faults.clear(fault.id)
    assert planes.stopped == []


async def test_what_cannot_be_stopped_is_told_with_what_there_is(faults: Faults, planes: Planes) -> None:
    with pytest.raises(FaultError, match=r"there is no such cluster; the account has b \(eu-west-1\), a \(us-west-2\)"):
        await faults.set("1", "api-server-stopped", {"cluster": "new"})
    await faults.set("1", "api-server-stopped", {"cluster": "a"})
    with pytest.raises(FaultError, match="the API server of a is stopped already"):
        await faults.set("1", "api-server-stopped", {})
    assert planes.stopped == ["1-us-west-2-a"]
    assert len(faults.all()) == 1
