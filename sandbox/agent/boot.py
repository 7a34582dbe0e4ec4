"""One instance on its way to a node, as its bootstrap, its kubelet and the cloud controller manager take it there."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from botocore.exceptions import BotoCoreError, ClientError

from . import capacity, node
from .bootconfig import BootConfig, BootError
from .ec2 import Account
from .families import Image
from .identity import NodeIdentity
from .instance import Instance
from .kube import STRATEGIC, KubeApi, KubeError, ca_context
from .logfile import NodeLog
from .nodefaults import NodeFaults
from .settings import SettingsFile

#: The kubelet's own steps between attempts to register.
_FIRST_STEP, _LAST_STEP = 0.1, 7.0
_LOOK_SECONDS = 0.5
_RUNTIME_DOWN = "container runtime is down"


@dataclass(frozen=True)
class Machine:
    """What booting needs to know: the instance, its image, and what its user data says."""

    instance: Instance
    image: Image
    config: BootConfig


@dataclass(frozen=True)
class Surroundings:
    """What all nodes of a cluster share."""

    account: Account
    session: aiohttp.ClientSession
    admin: KubeApi
    settings: SettingsFile
    network_ready: Callable[[str], Awaitable[bool]]
    registered: Callable[[], None]
    faults: NodeFaults
    recovered: Callable[[str], Awaitable[None]]


class Node:
    """A node of the cluster. ``run`` brings it up and returns when it is Ready; ``api`` speaks as its kubelet."""

    def __init__(self, machine: Machine, identity: NodeIdentity, around: Surroundings, log: NodeLog) -> None:
        self.machine, self._identity, self._around, self._log = machine, identity, around, log
        self.name = machine.instance.private_dns
        self.path = f"/api/v1/nodes/{self.name}"
        self._lease = f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{self.name}"
        self.registered = self._is_up = False
        self._api: KubeApi | None = None

    @property
    def api(self) -> KubeApi:
        """The API server of the user data, as this node. Raises BootError when its authority is no certificate."""
        if self._api is None:
            config = self.machine.config
            try:
                tls: ssl.SSLContext = ca_context(config.ca_pem)
            except ValueError as error:
                raise BootError(str(error)) from error
            self._api = KubeApi(
                self._around.session, config.endpoint, tls, lambda: self._identity.token(config.cluster_name)
            )
        return self._api

    async def run(self) -> None:
        """Bring the node up. Never raises but when cancelled: what fails is logged and tried again."""
        await self._until("Unable to look for the node", self._look)
        if not self._is_up:
            await self._boot()
        await self._until("Unable to register node with API server", self._register)
        self.registered = True
        self._around.registered()
        await self._until("Failed to initialize node with cloud provider", self._initialize)
        await asyncio.sleep(self._around.settings.read().node_ready_seconds)
        await self._until("Error updating node status, will retry", self._make_ready)

    async def _look(self) -> None:
        """See whether the kubelet has registered already: after a restart of the sandbox it does not start again."""
        try:
            current = await self._around.admin.get(self.path)
        except KubeError as error:
            if error.status != 404:
                raise
            return
        mine = current["spec"].get("providerID") == self.machine.instance.provider_id
        self._is_up = mine and not await self._is_silent()

    async def _is_silent(self) -> bool:
        """Whether the machine was switched off when somebody last looked."""
        try:
            return node.is_silent(await self._around.admin.get(self._lease))
        except KubeError as error:
            if error.status != 404:
                raise
            return False

    async def _boot(self) -> None:
        instance, faults = self.machine.instance, self._around.faults
        while True:
            # Read again after each wait: durations can be set and cleared meanwhile.
            seconds = faults.start_seconds(instance, self._around.settings.read().node_start_seconds)
            left = instance.launched_at + seconds - time.time()
            if left <= 0:
                break
            await asyncio.sleep(min(left, _LOOK_SECONDS))
        if (fault := faults.find("node-never-registers", instance)) is not None:
            self._log.write("nodeadm", f"fault {fault.id}: kubelet.service failed to start")
            await faults.cleared("node-never-registers", instance)
        self._log.write("nodeadm", "done! kubelet.service started")

    async def keep(self) -> None:
        """Let the node be NotReady while a fault says so. Runs for as long as the instance is on; after ``run``."""
        instance, faults, ready_at = self.machine.instance, self._around.faults, time.time()
        while True:
            fault = await faults.set("node-not-ready", instance)
            if not await faults.holds(fault, max(0.0, ready_at + fault.number("after_seconds") - time.time())):
                continue
            self._log.write("kubelet", f'fault {fault.id}: "Node became not ready" node="{self.name}"')
            await self._until("Error updating node status, will retry", self._make_unready)
            await faults.cleared("node-not-ready", instance)
            # The pods first: one of them is the network without which a node is not ready.
            await self._until("Error syncing pods", lambda: self._around.recovered(self.name))
            await self._until("Error updating node status, will retry", self._make_ready)
            ready_at = time.time()

    async def _make_unready(self) -> None:
        """https://kubernetes.io/docs/reference/node/node-status/#condition"""
        status = {"status": {"conditions": node.conditions(False, node.timestamp(), _RUNTIME_DOWN)}}
        await self.api.patch(f"{self.path}/status", status, STRATEGIC)

    async def _until(self, complaint: str, step: Callable[[], Awaitable[None]]) -> None:
        pause = _FIRST_STEP
        while True:
            try:
                await step()
                return
            except (KubeError, BootError, LookupError, BotoCoreError, ClientError) as error:
                # A conflict is two writers at once, which the second try gets over.
                if getattr(error, "status", None) != 409:
                    self._log.write("kubelet", f'"{complaint}" err="{error}" node="{self.name}"')
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LAST_STEP)

    async def _register(self) -> None:
        body = await self._registration()
        self._refuse_other_networks()
        try:
            await self.api.create("/api/v1/nodes", body)
            self._log.write("kubelet", f'"Successfully registered node" node="{self.name}"')
        except KubeError as error:
            if error.reason != "AlreadyExists":
                raise
            await self._come_back()
            self._log.write("kubelet", f'"Node was previously registered" node="{self.name}"')

    async def _come_back(self) -> None:
        """The node is there from before a stop: whoever renews its lease may do so again."""
        await self.api.get(self.path)
        if await self._is_silent():
            await self._lease_patch(node.SPOKEN_LEASE)

    async def _lease_patch(self, change: dict[str, Any]) -> None:
        """Change the node's lease, if there is one yet."""
        try:
            await self._around.admin.patch(self._lease, change)
        except KubeError as error:
            if error.status != 404:
                raise

    async def _registration(self) -> dict[str, Any]:
        machine, account = self.machine, self._around.account
        shape = await account.run(account.shape, machine.instance.type)
        disk = await account.run(account.disk_gib, machine.instance.root_volume)
        offered = capacity.resources(shape, disk, machine.config.kubelet, instance_store=machine.config.instance_store)
        return node.registration(machine.instance, machine.image, shape, machine.config, offered)

    def _refuse_other_networks(self) -> None:
        """The sandbox is a network of its own: what is not on loopback does not resolve, as in a private VPC."""
        host = urlsplit(self.machine.config.endpoint).hostname or ""
        try:
            local = ipaddress.ip_address(host).is_loopback
        except ValueError:
            local = host == "localhost"
        if not local:
            raise BootError(f"dial tcp: lookup {host}: {socket.gaierror.__name__}: no such host")

    async def _initialize(self) -> None:
        """The cloud controller manager's part, with its own rights: labels, addresses, and its taint taken off."""
        current = await self._around.admin.get(self.path)
        instance = self.machine.instance
        account = self._around.account
        zone_id = await account.run(account.zone_id, instance.zone)
        change = node.initialization(current, instance, zone_id)
        if change is not None:
            await self._around.admin.patch(self.path, change)
        await self._around.admin.patch(
            f"{self.path}/status", {"status": {"addresses": node.addresses(instance)}}, STRATEGIC
        )

    async def _make_ready(self) -> None:
        current = await self._around.admin.get(self.path)
        if node.is_ready(current):
            return
        if not await self._around.network_ready(self.name):
            raise KubeError(503, "KubeletNotReady", "container runtime network not ready: cni plugin not initialized")
        status = {"status": {"conditions": node.conditions(True, node.timestamp())}}
        await self.api.patch(f"{self.path}/status", status, STRATEGIC)
        self._log.write("kubelet", '"Fast updating node status as it just became ready"')

    async def remove(self) -> None:
        """The instance is gone: the cloud controller manager deletes the node, whoever else holds finalizers on it."""
        await self._around.admin.delete(self.path)
        self._log.write("cloud-controller-manager", f"deleting node {self.name}: instance no longer exists")

    async def mark_shut_down(self) -> None:
        """The instance is stopped: the node stays and is tainted, and its lease is not renewed any more."""
        await self._lease_patch(node.silent_lease(self.name))
        current = await self._around.admin.get(self.path)
        taints = node.without_taint(current["spec"].get("taints") or [], {node.SHUTDOWN})
        change = {
            "metadata": {"resourceVersion": current["metadata"]["resourceVersion"]},
            "spec": {"taints": [*taints, {"key": node.SHUTDOWN, "effect": "NoSchedule"}]},
        }
        await self._around.admin.patch(self.path, change)
