"""Performs the fault ``api-server-stopped``."""

from __future__ import annotations

from sandbox.contracts import ClusterKey
from sandbox.controlplane.planes import LocalControlPlanes
from sandbox.faults.model import Fault, FaultError


class Outage:
    """Stops API servers and starts them again."""

    def __init__(self, planes: LocalControlPlanes) -> None:
        self._planes = planes
        self._stopped: dict[str, list[ClusterKey]] = {}

    async def begin(self, fault: Fault) -> None:
        """Raises FaultError when there is no such cluster, or its API server is stopped already."""
        mine = [key for key, url in self._planes.endpoints.items() if key.account == fault.account and url]
        keys = [key for key in mine if fault.concerns({"region": key.region, "cluster": key.name})]
        if not keys:
            known = ", ".join(f"{key.name} ({key.region})" for key in sorted(mine)) or "none"
            raise FaultError(f"there is no such cluster; the account has {known}")
        if held := {key for some in self._stopped.values() for key in some} & set(keys):
            raise FaultError(f"the API server of {', '.join(key.name for key in sorted(held))} is stopped already")
        self._stopped[fault.id] = keys
        for key in keys:
            await self._planes.stop_api_server(key)

    async def resume(self, fault: Fault) -> None:
        """No outage outlives the sandbox."""

    async def end(self, fault: Fault) -> None:
        """Returns when they answer again; a cluster that has gone meanwhile is no error."""
        for key in self._stopped.pop(fault.id, []):
            await self._planes.start_api_server(key)
