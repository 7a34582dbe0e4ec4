"""EKS for the tests of the EKS modules: the sandbox's front and EKS service, without processes behind them.

The API, its validation and its states are those of the sandbox. Only what would be a process is a double here: a
control plane is a dictionary of objects, and an instance is a ready node as soon as it runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sandbox.contracts import Aws, ClusterKey, ControlPlaneEndpoint, ControlPlaneSpec
from sandbox.eks.kube import path_of
from tests.unit.waiting import eventually


class Planes:
    """ControlPlanes without processes.

    :ivar broken: names of clusters that never come up. :ivar slow: names of clusters that do not go away yet.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.keys: dict[Path, ClusterKey] = {}
        self.broken: set[str] = set()
        self.slow: set[str] = set()

    async def start(self, spec: ControlPlaneSpec) -> ControlPlaneEndpoint:
        if spec.key.name in self.broken:
            raise RuntimeError("etcd did not start: disk full")
        path = self._folder / f"{spec.key.slug}.json"
        self.keys[path] = spec.key
        return ControlPlaneEndpoint(f"https://127.0.0.1:1/{spec.key.slug}", b"CERTIFICATE", path)

    async def stop(self, key: ClusterKey) -> None:
        await eventually(lambda: key.name not in self.slow, f"leave to end {key.name}")
        self.keys = {path: found for path, found in self.keys.items() if found != key}

    def route(self, key: ClusterKey, host: str, port: int, target: tuple[str, int] | None) -> None:
        """Nothing is routed where nothing listens."""


class NoAgents:
    """Agents without processes."""

    async def start(self, key: ClusterKey, endpoint: ControlPlaneEndpoint) -> None:
        """Nodes come from MemoryKube."""

    async def stop(self, key: ClusterKey) -> None:
        """Nothing runs."""


class MemoryKube:
    """The API server's objects in memory. Every workload is ready, every running instance is a ready node.

    ``unjoined``: when it holds the cluster's name, no node ever joins.
    """

    def __init__(self, aws: Aws, key: ClusterKey, unjoined: set[str]) -> None:
        self._aws, self._key, self._unjoined = aws, key, unjoined
        self._objects: dict[str, dict[str, Any]] = {}

    async def apply(self, manifest: dict[str, Any], *, manager: str = "eks", force: bool = True) -> dict[str, Any]:
        self._objects[path_of(manifest)] = manifest
        return manifest

    async def get(self, path: str, **query: str) -> dict[str, Any]:
        found = self._objects[path]
        count = found.get("spec", {}).get("replicas", 1)
        ready = {"readyReplicas": count, "updatedReplicas": count}
        return {
            **found,
            "metadata": {**found["metadata"], "generation": 1},
            "status": {"observedGeneration": 1, **ready},
        }

    async def list(self, path: str, **query: str) -> list[dict[str, Any]]:
        if path != "/api/v1/nodes" or self._key.name in self._unjoined:
            return []
        return [_node(one) for one in await asyncio.to_thread(self._instances)]

    def _instances(self) -> Sequence[dict[str, Any]]:
        ec2 = self._aws.client("ec2", self._key.account, self._key.region)
        running = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
        found = ec2.describe_instances(Filters=running)["Reservations"]
        return [one for reservation in found for one in reservation["Instances"]]

    async def create(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return body

    async def merge(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return body

    async def delete(self, path: str) -> None:
        self._objects.pop(path, None)

    async def close(self) -> None:
        """There is no connection."""


def _node(instance: dict[str, Any]) -> dict[str, Any]:
    place = instance["Placement"]["AvailabilityZone"]
    return {
        "metadata": {"name": instance["PrivateDnsName"], "resourceVersion": "1", "labels": {}},
        "spec": {"providerID": f"aws:///{place}/{instance['InstanceId']}"},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }
