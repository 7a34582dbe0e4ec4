"""The agents of all clusters of a sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sandbox.contracts import Aws, ClusterKey, ControlPlaneEndpoint, ControlPlanes
from sandbox.faults.store import Faults
from sandbox.process import Processes

from . import unready
from .cluster import ClusterAgent, Shared
from .hub import Hub
from .podfaults import ControllerKilled, NeverReady
from .settings import SettingsFile


class NodeAgents:
    """Implements ``Agents``.

    :param binaries: programs by name and version; containers look for ``karpenter-controller-<version>``.
    :param state_dir: the sandbox's state folder; ``agent.json`` in it holds Settings.
    """

    def __init__(
        self,
        aws: Aws,
        control_planes: ControlPlanes,
        processes: Processes,
        binaries: Mapping[str, Path],
        state_dir: Path,
        faults: Faults,
    ) -> None:
        settings = SettingsFile(state_dir / "agent.json")
        self._shared = Shared(aws, control_planes, processes, binaries, state_dir, settings, faults)
        self._hubs: dict[tuple[str, str], Hub] = {}
        self._clusters: dict[ClusterKey, ClusterAgent] = {}
        faults.perform(NeverReady(self._clusters.items), unready.KIND)
        faults.perform(ControllerKilled(faults, self._clusters.items), "controller-killed")

    async def start(self, key: ClusterKey, endpoint: ControlPlaneEndpoint) -> None:
        """Run the nodes of a cluster from now on. A cluster that is started again is stopped first."""
        await self.stop(key)
        place = (key.account, key.region)
        if place not in self._hubs:
            shared = self._shared
            logs = shared.state_dir / "logs" / "nodes"
            self._hubs[place] = Hub(shared.aws, key.account, key.region, shared.settings, logs)
        agent = self._clusters[key] = ClusterAgent(key, endpoint, self._shared, self._hubs[place])
        await agent.start()

    async def stop(self, key: ClusterKey) -> None:
        """Stop what runs for the cluster, pods' processes included."""
        agent = self._clusters.pop(key, None)
        if agent is not None:
            await agent.stop()
        place = (key.account, key.region)
        if place in self._hubs and not any((k.account, k.region) == place for k in self._clusters):
            self._hubs.pop(place).close()
