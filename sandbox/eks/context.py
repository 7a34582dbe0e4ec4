"""What the parts of the EKS service share: the other layers, the store, the deadlines, the tasks under way."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox.contracts import Agents, Aws, Call, ClusterKey, ControlPlanes, Principal
from sandbox.eks.errors import invalid_parameter, invalid_request, not_supported
from sandbox.eks.kube import Kube, KubeError
from sandbox.eks.model import Cluster
from sandbox.eks.store import Store
from sandbox.threads import Threads

LOG = logging.getLogger("sandbox.eks")
#: Half of the threads that the front answers with: however much EKS has to ask, half are left for everybody else.
_WORKERS = 8


@dataclass(frozen=True)
class Timings:
    """How long EKS waits, in seconds. AWS waits longer where the comment says so; everything else is as on AWS."""

    nodegroup_deadline_seconds: float = 900.0
    # AWS: "a few minutes" for the drain of a node of a group that is scaled down or deleted.
    drain_seconds: float = 5.0
    # How long pods may take to leave a node that an update replaces.
    eviction_seconds: float = 900.0
    # AWS reports an add-on as degraded some minutes after its pods stopped being ready.
    addon_settle_seconds: float = 3.0
    busy_seconds: float = 1.0
    idle_seconds: float = 5.0


@dataclass(frozen=True)
class Caller:
    """Who calls, and where."""

    account: str
    region: str
    principal: Principal

    @classmethod
    def of(cls, call: Call) -> Caller:
        """The caller of ``call``."""
        return cls(call.principal.account, call.region, call.principal)

    @property
    def partition(self) -> str:
        """The AWS partition of the region."""
        return partition_of(self.region)

    def key(self, cluster: str) -> ClusterKey:
        """The key of a cluster of the caller's account and region."""
        return ClusterKey(self.account, self.region, cluster)

    def arn(self, resource: str) -> str:
        """The ARN of an EKS resource of the caller's account and region."""
        return f"arn:{self.partition}:eks:{self.region}:{self.account}:{resource}"


def partition_of(region: str) -> str:
    """The partition that a region belongs to."""
    if region.startswith("cn-"):
        return "aws-cn"
    return "aws-us-gov" if region.startswith("us-gov-") else "aws"


@dataclass
class Context:
    """The service's surroundings."""

    aws: Aws
    control_planes: ControlPlanes
    agents: Agents
    store: Store
    state_dir: Path
    timings: Timings
    startable_minors: frozenset[str]
    open_kube: Callable[[Path], Kube] = Kube
    threads: Threads = field(default_factory=lambda: Threads("eks", _WORKERS))
    _kubes: dict[ClusterKey, Kube] = field(default_factory=dict)
    _clients: dict[tuple[str, ...], Any] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def active(self, caller: Caller, name: str) -> Cluster:
        """A cluster that can be changed.

        Raises EksError: ResourceNotFoundException, or InvalidRequestException while it is not ACTIVE.
        """
        cluster = self.store.get(caller.key(name))
        if cluster.status not in ("ACTIVE", "UPDATING"):
            raise invalid_request(f"Cluster '{name}' is in status {cluster.status}, not ACTIVE.", clusterName=name)
        return cluster

    def client(self, service: str, account: str, region: str, principal: str = "eks.amazonaws.com") -> Any:
        """A boto3 client that is made once and then shared (boto3 clients are thread safe, and slow to make)."""
        key = (service, account, region, principal)
        if key not in self._clients:
            self._clients[key] = self.aws.client(service, account, region, principal=principal)
        return self._clients[key]

    async def call(
        self, service: str, cluster: Cluster | Caller, method: str, *, as_: str = "eks.amazonaws.com", **params: Any
    ) -> dict[str, Any]:
        """One AWS call in the cluster's account and region, by the AWS service ``as_``, off the event loop."""

        def call() -> dict[str, Any]:
            client = self.client(service, cluster.account, cluster.region, as_)
            answer: dict[str, Any] = getattr(client, method)(**params)
            return answer

        return await self.threads.run(call)

    def kube(self, cluster: Cluster) -> Kube:
        """The API server of a cluster, as an administrator. Raises KubeError while it has none."""
        if cluster.admin_kubeconfig is None:
            raise KubeError(0, "NoEndpoint", f"cluster {cluster.name} has no API server")
        if cluster.key not in self._kubes:
            self._kubes[cluster.key] = self.open_kube(Path(cluster.admin_kubeconfig))
        return self._kubes[cluster.key]

    async def forget_kube(self, cluster: Cluster) -> None:
        """Close the connection to a cluster that goes away; there will be no other."""
        cluster.admin_kubeconfig = None
        kube = self._kubes.pop(cluster.key, None)
        if kube is not None:
            await kube.close()

    def spawn(
        self,
        work: Coroutine[Any, Any, None],
        what: str,
        give_up: Callable[[str], None],
        cluster: Cluster | None = None,
    ) -> None:
        """Do ``work`` in the background, on what belongs to ``cluster``.

        A failure nobody handled is logged with ``what``, and told to ``give_up``, lest a resource stays on its way.
        """

        async def guarded() -> None:
            try:
                await work
            except asyncio.CancelledError:
                raise
            except Exception as error:
                LOG.exception("%s failed", what)
                give_up(f"The sandbox failed: {error!r}")
                if cluster is not None:
                    self.store.save(cluster)
            finally:
                self._news.set()

        task = asyncio.get_running_loop().create_task(guarded(), name=what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def rest(self, seconds: float) -> None:
        """Wait, but no longer than until something that was done in the background has ended."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), seconds)
        self._news.clear()

    async def close(self) -> None:
        """Cancel what is under way and close every connection."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for kube in self._kubes.values():
            await kube.close()
        self._kubes.clear()
        self.threads.close()


def now() -> float:
    """Seconds since the epoch, in milliseconds as EKS gives them."""
    return round(time.time(), 3)


def refuse(params: dict[str, Any], *members: str) -> None:
    """Raise InvalidParameterException when the request has one of the members that the sandbox does not know."""
    for member in members:
        if member in params:
            raise not_supported(member)


def page(params: dict[str, Any], items: list[Any], name: str) -> dict[str, Any]:
    """One page of ``items`` under ``name``, 100 at most, with a nextToken when there is more.

    Raises InvalidParameterException for a token that is not one of ours.
    """
    size = params.get("maxResults", 100)
    token = params.get("nextToken", "o-0")
    start = int(token[2:]) if token.startswith("o-") and token[2:].isdigit() else -1
    if start < 0 or start > len(items):
        raise invalid_parameter("The nextToken is not valid.")
    more = f"o-{start + size}" if start + size < len(items) else None
    return {name: items[start : start + size], "nextToken": more}
