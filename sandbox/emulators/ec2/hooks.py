"""What an account's front puts into EC2: launches that are refused, durations, and who hears of states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from sandbox.faults.launcherrors import LaunchError

#: An instance and the states that it went through.
Passed = tuple[str, str, Sequence[str]]


class Hooks(Protocol):
    """What EC2 asks and tells. Called in moto's threads with the account's lock held: to be quick."""

    def refusal(self, region: str, subject: Mapping[str, str], subnet: str) -> LaunchError | None:
        """The error that a launch is to have."""
        ...

    def termination_seconds(self, region: str, subject: Mapping[str, str], instance: str) -> float:
        """How long an instance takes to end."""
        ...

    def later(self, seconds: float, account: str, work: Callable[[], None]) -> None:
        """Do ``work`` after a while, with the account's lock held."""
        ...

    def passed(self, account: str, region: str, instances: Sequence[Passed]) -> None:
        """Instances (id, zone, states) have gone through states."""
        ...


#: By account id; the front of an account puts its own here. Without any, nothing goes wrong and nobody hears.
HOOKS: dict[str, Hooks] = {}


def of(backend: Any) -> Hooks | None:
    """The hooks of a store's account."""
    return HOOKS.get(backend.account_id)


def subject(region: str, image: str, instance_type: str, zone: str, *, spot: bool) -> dict[str, str]:
    """An instance, or a launch, by the names of the selectors that faults of nodes have."""
    return {
        "region": region,
        "image": image,
        "instance_type": instance_type,
        "zone": zone,
        "capacity_type": "spot" if spot else "on-demand",
    }


def subject_of(backend: Any, instance: Any) -> dict[str, str]:
    """moto's instance as a subject."""
    zone, spot = zone_of(instance), instance.lifecycle == "spot"
    return subject(backend.region_name, instance.image_id, instance.instance_type, zone, spot=spot)


def zone_of(instance: Any) -> str:
    """The zone of moto's instance."""
    return str(instance.placement.zone)
