"""What goes wrong with the nodes of one account and region on demand."""

from __future__ import annotations

import asyncio
import contextlib

from sandbox.faults.model import Fault
from sandbox.faults.store import Faults

from .instance import Instance


class NodeFaults:
    """The faults of nodes, by instance."""

    def __init__(self, faults: Faults, account: str) -> None:
        self._faults, self._account = faults, account

    def find(self, kind: str, instance: Instance, **more: str) -> Fault | None:
        """The fault of this kind that concerns the instance."""
        return self._faults.find(self._account, kind, subject(instance) | more)

    def start_seconds(self, instance: Instance, default: float) -> float:
        """How long the instance takes from its launch until its kubelet registers."""
        fault = self.find("node-start-duration", instance)
        return self._faults.draws.seconds(fault, instance.id) if fault else default

    async def set(self, kind: str, instance: Instance) -> Fault:
        """Wait until there is a fault of this kind."""
        while (fault := self.find(kind, instance)) is None:
            await self._faults.changed()
        return fault

    async def cleared(self, kind: str, instance: Instance) -> None:
        """Wait until there is none."""
        while (fault := self.find(kind, instance)) is not None:
            await self._faults.gone(fault)

    async def holds(self, fault: Fault, seconds: float) -> bool:
        """Whether the fault still holds after ``seconds``; returns as soon as it does not."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._faults.gone(fault), seconds)
        return self._faults.holds(fault)


def subject(instance: Instance) -> dict[str, str]:
    """An instance by the names of selectors."""
    return {
        "region": instance.region,
        "image": instance.image_id,
        "instance_type": instance.type,
        "zone": instance.zone,
        "capacity_type": instance.capacity_type,
    }
