"""The states of instances: how one ends, and what has changed since the last look."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from sandbox.emulators.ec2 import hooks
from sandbox.emulators.messages import passed

#: Operations after which instances may be in another state.
CHANGING = frozenset({"RunInstances", "CreateFleet", "TerminateInstances", "StartInstances", "StopInstances"})
#: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_StateReason.html
BY_USER = "Client.UserInitiatedShutdown: User initiated shutdown"
BY_SPOT = "Server.SpotInstanceTermination: Spot instance termination"
SHUTTING_DOWN = ("shutting-down", 32)


def end(backend: Any, instance: Any, reason: str = BY_USER) -> None:
    """Terminate an instance, at once or after the time that it takes. One that has ended, or is about to, stays so."""
    if instance.state in ("terminated", SHUTTING_DOWN[0]):
        return
    found = hooks.of(backend)
    subject = hooks.subject_of(backend, instance)
    seconds = found.termination_seconds(backend.region_name, subject, instance.id) if found else 0.0
    if found is None or seconds <= 0:
        _finish(instance, reason)
        return

    instance._state.name, instance._state.code = SHUTTING_DOWN
    instance.sandbox_end = time.time() + seconds, reason
    _finish_later(found, backend, instance)


def _finish_later(found: hooks.Hooks, backend: Any, instance: Any) -> None:
    at, reason = instance.sandbox_end

    def finish() -> None:
        _finish(instance, reason)
        announce(backend)

    found.later(max(0.0, at - time.time()), backend.account_id, finish)


def go_on(account: str) -> None:
    """End the instances that were about to end when the sandbox was stopped, at the time they would have."""
    for backend, instance in _instances(account):
        found = hooks.of(backend)
        if found is not None and instance.state == SHUTTING_DOWN[0]:
            _finish_later(found, backend, instance)


def _finish(instance: Any, reason: str) -> None:
    from moto.ec2.models.instances import StateReason

    instance.terminate()
    instance.state_reason = StateReason(reason, reason.partition(":")[0])
    instance.terminated_at = time.time()


def announce(backend: Any) -> None:
    """Tell in which states instances have been since the last time."""
    found = hooks.of(backend)
    if found is None:
        return
    known: dict[str, str] = vars(backend).setdefault("sandbox_states", {})
    now = {one.id: one for reservation in backend.reservations.values() for one in reservation.instances}
    news = [
        (name, hooks.zone_of(one), states)
        for name, one in now.items()
        if (states := passed(known.get(name), one.state))
    ]
    known.clear()
    known.update({name: one.state for name, one in now.items()})
    if news:
        found.passed(backend.account_id, backend.region_name, news)


def find(account: str, instance_id: str) -> tuple[Any, Any] | None:
    """The store and the instance of an id, in whichever region; one that has ended is not found."""
    there = ((backend, one) for backend, one in _instances(account) if one.id == instance_id)
    return next(((backend, one) for backend, one in there if one.state != "terminated"), None)


def _instances(account: str) -> Iterator[tuple[Any, Any]]:
    from moto.ec2.models import ec2_backends

    for backend in list(ec2_backends[account].values()):
        for reservation in backend.reservations.values():
            for one in reservation.instances:
                yield backend, one
