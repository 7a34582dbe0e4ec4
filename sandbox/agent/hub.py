"""One look at an account's instances per interval, shared by all its clusters."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from botocore.exceptions import BotoCoreError, ClientError

from sandbox.contracts import Aws

from .boot import Machine
from .bootconfig import BootError
from .ec2 import Account
from .instance import ON, Instance
from .logfile import NodeLog
from .settings import SettingsFile


class Subscriber(Protocol):
    """A cluster that wants to know of the account's instances."""

    async def update(self, instances: Mapping[str, Instance], machines: Mapping[str, Machine]) -> None:
        """Called after each look; ``machines`` are those whose user data starts a kubelet somewhere."""
        ...


class Hub:
    """Watches one account and region while it has subscribers."""

    def __init__(self, aws: Aws, account: str, region: str, settings: SettingsFile, logs: Path) -> None:
        self.account = Account(aws, account, region)
        self._settings, self._logs = settings, logs
        self._subscribers: list[Subscriber] = []
        self._instances: dict[str, Instance] = {}
        self._machines: dict[str, Machine | None] = {}
        self._task: asyncio.Task[None] | None = None
        self.last_error: str | None = None

    def log(self, instance_id: str) -> NodeLog:
        """The log of one instance."""
        return NodeLog(self._logs / f"{instance_id}.log")

    def subscribe(self, subscriber: Subscriber) -> None:
        """Start telling ``subscriber``."""
        self._subscribers.append(subscriber)
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="instances")

    async def unsubscribe(self, subscriber: Subscriber) -> None:
        """Stop telling ``subscriber``; without any left, nothing is asked of EC2 any more."""
        with contextlib.suppress(ValueError):
            self._subscribers.remove(subscriber)
        if not self._subscribers and self._task is not None:
            task, self._task = self._task, None
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def close(self) -> None:
        """Give up the hub's threads."""
        self.account.close()

    async def _run(self) -> None:
        while True:
            try:
                await self.look()
                self.last_error = None
            except Exception as error:  # EC2 away, throttled or broken: the next look may do better
                self.last_error = f"{type(error).__name__}: {error}"
            await asyncio.sleep(self._settings.read().poll_seconds)

    async def look(self) -> None:
        """Read the instances once and tell every subscriber."""
        states = await self.account.run(self.account.states)
        if states != {key: instance.state for key, instance in self._instances.items()}:
            self._instances = await self.account.run(self.account.instances)
        instances = self._instances
        for instance in instances.values():
            if instance.id not in self._machines and instance.state in ON:
                await self._discover(instance)
        for gone in self._machines.keys() - instances.keys():
            del self._machines[gone]
        machines = {key: machine for key, machine in self._machines.items() if machine is not None}
        for subscriber in list(self._subscribers):
            await subscriber.update(instances, machines)

    async def _discover(self, instance: Instance) -> None:
        """Read one instance's boot data; when AWS does not give it now, the next look asks again."""
        try:
            self._machines[instance.id] = await self.account.run(self._boot, instance)
        except (BotoCoreError, ClientError) as error:
            self.log(instance.id).write("cloud-init", f"cannot read instance data: {error}")

    def _boot(self, instance: Instance) -> Machine | None:
        """Read the user data as the image does, once; None when nothing comes of it."""
        log = self.log(instance.id)
        image = self.account.image(instance.image_id)
        log.write("cloud-init", f"{instance.type} in {instance.zone}, image {image.name or instance.image_id}")
        try:
            config = image.family.parse(self.account.user_data(instance.id))
        except BootError as error:
            log.write("nodeadm" if image.family.name == "AL2023" else "cloud-init", f"fatal: {error}")
            return None
        log.write("nodeadm", f"Loaded configuration: cluster {config.cluster_name} at {config.endpoint}")
        return Machine(instance, image, config)
