"""Readiness taken away and given back."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.agent import readiness


def pod(**status: Any) -> dict[str, Any]:
    return {"metadata": {"name": "p", "namespace": "n"}, "status": {"phase": "Running"} | status}


def conditions(ready: str) -> list[dict[str, str]]:
    kinds = {"Initialized": "True", "Ready": ready, "ContainersReady": ready}
    return [{"type": kind, "status": status} for kind, status in kinds.items()]


RUNNING = pod(
    conditions=conditions("True"), containerStatuses=[{"name": "a", "ready": True}, {"name": "b", "ready": False}]
)


def test_what_is_taken_is_the_readiness_alone() -> None:
    operations = readiness.taken(RUNNING)
    assert [one["path"] for one in operations] == [
        "/status/conditions/1",
        "/status/conditions/2",
        "/status/containerStatuses/0/ready",
    ]
    assert operations[0]["value"] == {
        "type": "Ready",
        "status": "False",
        "reason": "ContainersNotReady",
        "message": "containers with unready status: [a b]",
    }
    assert operations[2]["value"] is False


@pytest.mark.parametrize("of", [pod(), pod(phase="Pending"), pod(conditions=conditions("False"))])
def test_there_is_nothing_to_take_from_a_pod_that_is_not_ready(of: dict[str, Any]) -> None:
    assert readiness.taken(of) == []


def test_what_is_given_makes_it_ready() -> None:
    patch = readiness.given(pod(conditions=conditions("False"), containerStatuses=[{"name": "a", "ready": False}]), "t")
    assert patch is not None
    assert {one["type"]: one["status"] for one in patch["status"]["conditions"]} == {
        "Ready": "True",
        "ContainersReady": "True",
    }
    assert patch["status"]["containerStatuses"] == [{"name": "a", "ready": True}]


@pytest.mark.parametrize("of", [RUNNING, pod(phase="Pending"), pod(phase="Succeeded")])
def test_nothing_is_given_to_who_is_ready_or_does_not_run(of: dict[str, Any]) -> None:
    assert readiness.given(of, "t") is None


def test_nothing_is_given_to_who_is_being_deleted() -> None:
    of = pod(conditions=conditions("False"))
    of["metadata"]["deletionTimestamp"] = "t"
    assert readiness.given(of, "t") is None
