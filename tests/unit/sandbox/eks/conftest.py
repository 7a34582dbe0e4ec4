"""One EKS service for all tests here, and an account with a network and roles for each."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.unit.clients import client

from .helpers import role
from .world import Tenant, World

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A started service."""
    made = World(tmp_path_factory.mktemp("eks"))
    made.start()
    yield made
    made.stop()


def _tenant(world: World) -> Tenant:
    """A fresh account: the default VPC's first two subnets, a cluster role, a node role."""
    account = world.front.accounts.get_or_create(f"eks-{next(_NUMBERS)}")
    subnets = client(world.front.url, "ec2", account.credentials).describe_subnets()["Subnets"]
    by_zone = {one["AvailabilityZone"]: one["SubnetId"] for one in subnets}
    iam = client(world.front.url, "iam", account.credentials)
    return Tenant(
        world,
        account,
        [by_zone[zone] for zone in sorted(by_zone)[:2]],
        role(iam, "cluster", "eks.amazonaws.com"),
        role(iam, "node", "ec2.amazonaws.com"),
    )


@pytest.fixture
def tenant(world: World) -> Iterator[Tenant]:
    """An account for one test; its clusters end with it."""
    made = _tenant(world)
    yield made
    world.planes.held.clear()
    made.forget_clusters()


@pytest.fixture(scope="session")
def standing(world: World) -> Tenant:
    """An account with the cluster ``demo``, for tests of requests that are refused."""
    made = _tenant(world)
    made.cluster()
    return made
