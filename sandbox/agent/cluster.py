"""All that stands around the nodes of one cluster, put together."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from sandbox.contracts import Aws, ClusterKey, ControlPlaneEndpoint, ControlPlanes
from sandbox.faults.store import Faults
from sandbox.process import Processes

from .boot import Machine, Node, Surroundings
from .fleet import Fleet
from .hub import Hub
from .identity import NodeIdentity
from .instance import Instance
from .kube import admin_api
from .kubelet import Kubelet
from .linklocal import LinkLocal
from .node import KUBELET_PORT
from .nodefaults import NodeFaults
from .podrunner import Site
from .pods import NETWORK_PLUGIN, POD_IDENTITY_AGENT, Pods
from .settings import SettingsFile
from .unready import UnreadyPods


@dataclass(frozen=True)
class Shared:
    """What all clusters of a sandbox share."""

    aws: Aws
    control_planes: ControlPlanes
    processes: Processes
    binaries: Mapping[str, Path]
    state_dir: Path
    settings: SettingsFile
    faults: Faults


class ClusterAgent:
    """The agent of one cluster. Made inside a running event loop; ``start`` and ``stop`` once each."""

    def __init__(self, key: ClusterKey, endpoint: ControlPlaneEndpoint, shared: Shared, hub: Hub) -> None:
        self._key, self._endpoint, self._shared, self._hub = key, endpoint, shared, hub
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=100))
        self._admin = admin_api(self._session, endpoint.admin_kubeconfig)
        target = f"{shared.aws.url}/v1/pod-identity/{key.account}/{key.region}/{key.name}/credentials"
        self._link_local = LinkLocal(self._session, self._has_identity_agent, target)
        self.fleet = Fleet(endpoint.url, key.name, self._admin, self)
        self.pods = Pods(self._admin, self._site(), self.fleet.registered, self._subnet, lambda: self.fleet.addresses)
        self._kubelet = Kubelet(self.pods, endpoint.ca_pem)
        folder = shared.state_dir / "fault-admission" / key.slug
        self.unready = UnreadyPods(key, self._admin, shared.faults, folder, self._instance, self.pods.report)
        self._subnets: dict[str, str] = {}
        self._following: asyncio.Task[None] | None = None

    def _site(self) -> Site:
        shared = self._shared
        return Site(
            processes=shared.processes,
            session=self._session,
            binaries=shared.binaries,
            settings=shared.settings,
            folder=shared.state_dir / "agent" / self._key.slug,
            process_prefix=self._key.slug,
            server=self._endpoint.url,
            ca_pem=self._endpoint.ca_pem,
            aws_url=shared.aws.url,
            credentials_url=self._link_local.url,
            route=self._route,
        )

    async def start(self) -> None:
        """Listen, then follow pods and instances; nodes that are there already are taken up as they are."""
        await self._link_local.start()
        await self._kubelet.start()
        self._following = asyncio.create_task(self.pods.run(), name=f"pods of {self._key.slug}")
        self._hub.subscribe(self.fleet)
        # Always: the webhooks of an earlier run are served no more, and may be of faults that are over.
        await self.unready.synchronise()

    async def stop(self) -> None:
        """End everything that runs for the cluster; its objects are left to its control plane."""
        await self._hub.unsubscribe(self.fleet)
        nodes = self.fleet.nodes
        await self.fleet.stop()
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)
        await self.pods.stop()
        for node in nodes:
            self._route_node(node, None)
        await self._kubelet.stop()
        await self.unready.stop()
        await self._link_local.stop()
        await self._session.close()
        await asyncio.to_thread(shutil.rmtree, self._site().folder, ignore_errors=True)

    # --- what nodes need around them

    def make(self, machine: Machine) -> Node:
        """The node of a machine that has just been switched on."""
        around = Surroundings(
            account=self._hub.account,
            session=self._session,
            admin=self._admin,
            settings=self._shared.settings,
            network_ready=self._network_ready,
            registered=self.pods.node_registered,
            faults=NodeFaults(self._shared.faults, self._key.account),
            recovered=self.unready.recover,
        )
        instance = machine.instance
        identity = NodeIdentity(
            self._shared.aws, self._hub.account, self._key.region, instance.profile_arn, instance.id
        )
        return Node(machine, identity, around, self._hub.log(instance.id))

    async def switched_on(self, node: Node) -> None:
        """Before the node boots: its place in the network."""
        subnet = node.machine.instance.subnet_id
        account = self._hub.account
        self._subnets[node.name] = await account.run(account.subnet_cidr, subnet)
        self._route_node(node, ("127.0.0.1", await self._kubelet.add(node.name)))

    async def switched_off(self, node: Node) -> None:
        """The machine is off: end what runs on it."""
        await self.pods.node_gone(node.name)
        self._route_node(node, None)
        await self._kubelet.remove(node.name)

    def _instance(self, node: str) -> Instance | None:
        # Registered or not: after a restart the agent has to find the nodes' instances first.
        found = next((one for one in self.fleet.nodes if one.name == node), None)
        return found.machine.instance if found else None

    def _subnet(self, node: Node) -> str:
        return self._subnets[node.name]

    def _has_identity_agent(self, node: str) -> bool:
        return self.pods.daemon_ready(POD_IDENTITY_AGENT, node)

    async def _network_ready(self, node: str) -> bool:
        """The container network comes up with the VPC CNI plugin's pod on the node.

        https://docs.aws.amazon.com/eks/latest/userguide/managing-vpc-cni.html
        """
        return self.pods.daemon_ready(NETWORK_PLUGIN, node)

    # --- the cluster's network

    def _route_node(self, node: Node, target: tuple[str, int] | None) -> None:
        for host in (node.name, node.machine.instance.private_ip):
            self._shared.control_planes.route(self._key, host, KUBELET_PORT, target)

    def _route(self, address: str, port: int, host_port: int | None) -> None:
        target = None if host_port is None else ("127.0.0.1", host_port)
        self._shared.control_planes.route(self._key, address, port, target)
