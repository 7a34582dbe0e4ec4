"""The sandbox's EKS for the tests of the EKS modules, and an account of its own for each test."""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sandbox.eks.context import Context, Timings
from sandbox.eks.service import EksService
from sandbox.front.accounts import Account
from sandbox.front.server import Front
from tests.unit.clients import client
from tests.unit.waiting import HANGS_SECONDS, until

from .eks_twin import MemoryKube, NoAgents, Planes

_NUMBERS = itertools.count(1)


@dataclass
class Twin:
    """An account to test in, and the twin's levers.

    :ivar unjoined: names of clusters whose nodes never join. :ivar planes: its ``broken`` clusters never start.
    :ivar context: what the EKS service works with; its ``timings`` can be replaced.
    """

    front: Front
    account: Account
    planes: Planes
    unjoined: set[str]
    context: Context
    _cache: dict[str, Any] = field(default_factory=dict)

    def client(self, service: str) -> Any:
        """The modules' client of a service."""
        # The collection can be imported once tests are collected, not yet when this file is read.
        from ansible_collections.eksops.karpenter.plugins.module_utils._aws.client import Client

        if service not in self._cache:
            self._cache[service] = Client(self.boto(service), service)
        return self._cache[service]

    def wait(self, seconds: float = HANGS_SECONDS) -> Any:
        """The modules' wait, with short pauses: the twin is quicker than AWS."""
        from ansible_collections.eksops.karpenter.plugins.module_utils._eks.waiters import EksWait

        return EksWait(seconds, sleep=lambda pause: time.sleep(min(pause, 0.1)))

    def boto(self, service: str) -> Any:
        """A client that is not the modules': for a look at what they did."""
        return client(self.front.url, service, self.account.credentials)

    def role(self, name: str, service: str, *policies: str) -> str:
        """The ARN of a new role that a service may assume."""
        iam = self.boto("iam")
        actions = ["sts:AssumeRole", "sts:TagSession"]
        statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": actions}
        trust = {"Version": "2012-10-17", "Statement": [statement]}
        arn = str(iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"])
        for policy in policies:
            iam.attach_role_policy(RoleName=name, PolicyArn=f"arn:aws:iam::aws:policy/{policy}")
        return arn

    def cluster(self, name: str) -> str:
        """Make a cluster, wait for it, return the ARN of its role."""
        eks, role = self.boto("eks"), self.role(f"cluster-{name}", "eks.amazonaws.com", "AmazonEKSClusterPolicy")
        eks.create_cluster(
            name=name,
            version="1.36",
            roleArn=role,
            resourcesVpcConfig={"subnetIds": self.subnets()},
            accessConfig={"authenticationMode": "API"},
            bootstrapSelfManagedAddons=False,
        )
        until(
            lambda: eks.describe_cluster(name=name)["cluster"]["status"] != "CREATING",
            f"the end of the creation of {name}",
        )
        return role

    def subnets(self) -> list[str]:
        """The default VPC's subnets, in as many zones."""
        found = self.boto("ec2").describe_subnets()["Subnets"]
        return sorted(subnet["SubnetId"] for subnet in found)


@pytest.fixture(scope="session")
def twin_parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Front, Planes, set[str], Context]]:
    """A front with EKS that listens, in a thread of its own: boto3 blocks."""
    folder = tmp_path_factory.mktemp("eks-twin")
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="eks-twin", daemon=True)
    thread.start()
    front, planes, unjoined = Front(folder / "front"), Planes(folder), set[str]()
    timings = Timings(drain_seconds=0.1, addon_settle_seconds=0.2, busy_seconds=0.1, idle_seconds=0.3)

    async def start() -> EksService:
        service = EksService(front, planes, NoAgents(), folder, timings=timings)

        def open_kube(path: Path) -> Any:
            return MemoryKube(front, planes.keys[path], unjoined)

        service.context.open_kube = open_kube
        front.register("eks", service)
        front.add_routes(service.routes())
        await front.start()
        await service.start()
        return service

    def wait(coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result(60)

    service = wait(start())
    yield front, planes, unjoined, service.context
    wait(service.stop())
    wait(front.stop())
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


@pytest.fixture
def twin(twin_parts: tuple[Front, Planes, set[str], Context]) -> Twin:
    """A fresh account."""
    front, planes, unjoined, context = twin_parts
    for lever in (planes.broken, planes.slow, unjoined):
        lever.clear()
    return Twin(front, front.accounts.get_or_create(f"eks-{next(_NUMBERS)}"), planes, unjoined, context)
