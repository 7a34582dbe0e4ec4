"""An EKS service on a real front, with control planes that are stand-ins."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.request
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from sandbox.contracts import ClusterKey, ControlPlaneEndpoint, ControlPlaneSpec, Credentials
from sandbox.eks.context import Timings
from sandbox.eks.service import EksService
from sandbox.front.accounts import Account
from sandbox.front.server import Front
from tests.unit.clients import REGION, client
from tests.unit.waiting import eventually, until

from .fakekube import FakeKube
from .helpers import role

TIMINGS = Timings(
    drain_seconds=1.0,
    addon_settle_seconds=0.2,
    eviction_seconds=1.0,
    busy_seconds=0.1,
    idle_seconds=0.2,
)


@dataclass
class FakePlanes:
    """Control planes that are ``FakeKube``s.

    :ivar failure: the text that the next start fails with. :ivar held: names of clusters that do not start yet.
    """

    folder: Path
    kubes: dict[ClusterKey, FakeKube] = field(default_factory=dict)
    specs: dict[ClusterKey, ControlPlaneSpec] = field(default_factory=dict)
    failure: str | None = None
    held: set[str] = field(default_factory=set)
    updates: list[ControlPlaneSpec] = field(default_factory=list)
    retired: list[FakeKube] = field(default_factory=list)

    async def start(self, spec: ControlPlaneSpec) -> ControlPlaneEndpoint:
        await eventually(lambda: spec.key.name not in self.held, f"leave to start {spec.key.name}")
        if self.failure:
            text, self.failure = self.failure, None
            raise RuntimeError(text)
        await self.stop(spec.key)
        kube = self.kubes[spec.key] = FakeKube()
        self.specs[spec.key] = spec
        await kube.start()
        return ControlPlaneEndpoint(kube.url, b"ca", kube.kubeconfig(self.folder / f"{spec.key.slug}.kubeconfig"))

    async def resume(self, spec: ControlPlaneSpec, url: str) -> ControlPlaneEndpoint:
        if self.failure:
            text, self.failure = self.failure, None
            raise RuntimeError(text)
        kube = self.kubes[spec.key]
        assert kube.url == url
        return ControlPlaneEndpoint(kube.url, b"ca", self.folder / f"{spec.key.slug}.kubeconfig")

    async def update(self, spec: ControlPlaneSpec) -> None:
        await eventually(lambda: spec.key.name not in self.held, f"leave to update {spec.key.name}")
        if self.failure:
            text, self.failure = self.failure, None
            raise RuntimeError(text)
        self.updates.append(spec)

    async def stop(self, key: ClusterKey) -> None:
        # It answers until the end: a request may be on its way.
        kube = self.kubes.pop(key, None)
        if kube is not None:
            self.retired.append(kube)

    def route(self, key: ClusterKey, host: str, port: int, target: tuple[str, int] | None) -> None:
        raise NotImplementedError


@dataclass
class FakeAgents:
    """Agents that only remember which clusters they run for."""

    running: set[ClusterKey] = field(default_factory=set)

    async def start(self, key: ClusterKey, endpoint: ControlPlaneEndpoint) -> None:
        self.running.add(key)

    async def stop(self, key: ClusterKey) -> None:
        self.running.discard(key)


class World:
    """The service and everything around it, in an event loop of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="eks", daemon=True)
        self.front = Front(folder / "front")
        self.planes = FakePlanes(folder)
        self.agents = FakeAgents()
        self.service = EksService(
            self.front, self.planes, self.agents, folder, timings=TIMINGS, startable_minors=frozenset({"1.35", "1.36"})
        )

    def start(self) -> None:
        self._thread.start()
        self.front.add_routes(self.service.routes())
        self.front.register("eks", self.service)
        self.front.register("eks-auth", self.service.auth)
        self.run(self.front.start())
        self.run(self.service.start())

    def stop(self) -> None:
        self.run(self.service.stop())
        for kube in [*self.planes.kubes.values(), *self.planes.retired]:
            self.run(kube.stop())
        self.run(self.front.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(10)
        self.loop.close()

    def run[T](self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)

    def call[T](self, function: Callable[[], T]) -> T:
        """Call a plain function in the loop's thread, where the service's records may be touched."""

        async def work() -> T:
            return function()

        return self.run(work())


@dataclass
class Tenant:
    """One account of the world, with a network and roles to make clusters of."""

    world: World
    account: Account
    subnets: list[str]
    cluster_role: str
    node_role: str

    @property
    def id(self) -> str:
        return self.account.account_id

    def client(self, service: str, credentials: Credentials | None = None) -> Any:
        return client(self.world.front.url, service, credentials or self.account.credentials)

    @property
    def eks(self) -> Any:
        return self.client("eks")

    def key(self, name: str) -> ClusterKey:
        return ClusterKey(self.id, REGION, name)

    def kube(self, name: str) -> FakeKube:
        return self.world.planes.kubes[self.key(name)]

    def forget_clusters(self) -> None:
        """End the clusters without the way of the API, so that nobody looks after them any more."""

        async def forget() -> None:
            context = self.world.service.context
            for cluster in context.store.of(self.id, REGION):
                context.store.remove(cluster.key)
                await context.forget_kube(cluster)
                await self.world.planes.stop(cluster.key)

        self.world.run(forget())

    def create(self, name: str = "demo", **params: Any) -> dict[str, Any]:
        """Ask for a cluster with access entries; the answer of CreateCluster."""
        wanted = {
            "name": name,
            "roleArn": self.cluster_role,
            "resourcesVpcConfig": {"subnetIds": self.subnets},
            "accessConfig": {"authenticationMode": "API"},
        } | params
        answer: dict[str, Any] = self.eks.create_cluster(**wanted)["cluster"]
        return answer

    def cluster(self, name: str = "demo", **params: Any) -> dict[str, Any]:
        """A cluster that is ACTIVE."""
        self.create(name, **params)
        return self.settled(name)

    def settled(self, name: str = "demo") -> dict[str, Any]:
        """The cluster, when it is on its way no more."""

        def look() -> Any:
            found = self.eks.describe_cluster(name=name)["cluster"]
            return found if found["status"] in ("ACTIVE", "FAILED") else None

        found: dict[str, Any] = until(look, f"cluster {name}")
        return found

    def nodegroup(self, name: str = "system", cluster: str = "demo", **params: Any) -> dict[str, Any]:
        """Ask for a node group of two; the answer of CreateNodegroup."""
        wanted = {
            "clusterName": cluster,
            "nodegroupName": name,
            "subnets": self.subnets,
            "nodeRole": self.node_role,
            "instanceTypes": ["m5.large"],
            "scalingConfig": {"minSize": 1, "maxSize": 4, "desiredSize": 2},
        } | params
        answer: dict[str, Any] = self.eks.create_nodegroup(**wanted)["nodegroup"]
        return answer

    def instances(self, group: str = "system") -> list[dict[str, Any]]:
        """The group's instances that are there."""
        filters = [
            {"Name": "tag:eks:nodegroup-name", "Values": [group]},
            {"Name": "instance-state-name", "Values": ["pending", "running"]},
        ]
        answer = self.client("ec2").describe_instances(Filters=filters)
        return [one for reservation in answer["Reservations"] for one in reservation["Instances"]]

    def join(
        self, cluster: str = "demo", group: str = "system", count: int = 2, *, ready: bool = True
    ) -> list[dict[str, Any]]:
        """Let the group's instances become nodes, as the node agent would."""
        found = until(lambda: (all_ := self.instances(group)) and len(all_) >= count and all_, "instances")
        kube = self.kube(cluster)
        for one in found:
            name, labels = one["PrivateDnsName"], {"eks.amazonaws.com/nodegroup": group}
            self.world.call(partial(kube.add_node, name, one["InstanceId"], labels, ready=ready))
        return list(found)

    def ready_nodegroup(self, name: str = "system", cluster: str = "demo", **params: Any) -> dict[str, Any]:
        """A node group that is ACTIVE."""
        self.nodegroup(name, cluster, **params)
        self.join(cluster, name)
        return self.nodegroup_in("ACTIVE", name, cluster)

    def nodegroup_in(self, status: str, name: str = "system", cluster: str = "demo") -> dict[str, Any]:
        """The node group, when it has the status."""

        def look() -> Any:
            found = self.eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
            return found if found["status"] == status else None

        found: dict[str, Any] = until(look, f"node group {name} {status}")
        return found

    def let_deadline_pass(self, name: str = "system", cluster: str = "demo") -> None:
        """Make the node group as old as EKS lets one be before it gives up."""
        group = self.world.service.context.store.get(self.key(cluster)).nodegroups[name]

        def age() -> None:
            group.created_at -= TIMINGS.nodegroup_deadline_seconds

        self.world.call(age)

    def update_in(self, status: str, update: dict[str, Any], cluster: str = "demo", **of: str) -> dict[str, Any]:
        """The update of the cluster, or of a part of it, when it has the status."""

        def look() -> Any:
            found = self.eks.describe_update(name=cluster, updateId=update["id"], **of)["update"]
            return found if found["status"] == status else None

        found: dict[str, Any] = until(look, f"update {status}")
        return found

    def addon_in(self, status: str, name: str, cluster: str = "demo") -> dict[str, Any]:
        """The add-on, when it has the status."""

        def look() -> Any:
            found = self.eks.describe_addon(clusterName=cluster, addonName=name)["addon"]
            return found if found["status"] == status else None

        found: dict[str, Any] = until(look, f"add-on {name} {status}")
        return found

    def role(self, name: str, *services: str, path: str = "/", actions: tuple[str, ...] = ("sts:AssumeRole",)) -> str:
        """A role that trusts AWS services; its ARN."""
        return role(self.client("iam"), name, *services, path=path, actions=actions)

    def pod_role(self, name: str = "pods") -> str:
        """A role that trusts EKS Pod Identity; its ARN."""
        return self.role(name, "pods.eks.amazonaws.com", actions=("sts:AssumeRole", "sts:TagSession"))

    def review(self, token: str, cluster: str = "demo") -> dict[str, Any]:
        """The status of a token review, as the cluster's API server gets it."""
        url = self.world.planes.specs[self.key(cluster)].authentication_url
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
        request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            status: dict[str, Any] = json.load(answer)["status"]
            return status
