"""What a session waits for: the Deployment's word, and rest after the drop, which is never an error."""

from __future__ import annotations

import threading
import time
from typing import Any, cast

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.progress import Progress
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.client import Client
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.model import NODES
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.watch import Change, Type
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.model import Spec
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.session import Session
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.stopping import Stopper

from .kube import Kube
from .story import Story, node, pod


def session(stability: float, timeout: float = 5) -> Session:
    spec = Spec(stability_seconds=stability, removal_timeout_seconds=timeout)
    return Session(cast(Client, Kube()), spec, Progress(), Stopper(output=-1), {})


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody reads the module's result."""
    monkeypatch.setattr(Stopper, "check", lambda _self: None)


def hears(run: Session, *, tainted: bool, kind: Type = "MODIFIED") -> None:
    item: dict[str, Any] = node("other")
    item["spec"]["taints"] = [{"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}] if tainted else []
    run.recording.hear(Change(kind, NODES, item, time.time()))


def test_pods_that_are_ready_are_not_enough_until_the_deployment_says_so() -> None:
    run = session(0)
    run.moments.availability.begin(time.time(), 1)
    run.recording = Story().heard(1, pod("p1", node="n1", Ready=1)).recording
    assert [name for name, missing in run._not_ready(1).items() if missing] == ["the Deployment"]
    run.moments.availability.hear({"spec": {"replicas": 1}, "status": {"availableReplicas": 1}}, time.time())
    assert run._not_ready(1) == {"p1": None}


def test_rest_has_to_last() -> None:
    run, drop = session(0.6), time.time()
    run._rest(drop)
    assert time.time() - drop >= 0.6
    assert (run.moments.stable, run.moments.quiet) == (True, drop)


def test_a_node_that_is_disrupted_meanwhile_starts_the_time_anew() -> None:
    run, drop = session(0.5), time.time()
    hears(run, tainted=True)
    timer = threading.Timer(0.7, hears, [run], {"tainted": False})
    timer.start()
    run._rest(drop)
    timer.join()
    assert run.moments.stable is True
    assert run.moments.quiet is not None
    assert run.moments.quiet - drop >= 0.7
    assert time.time() - run.moments.quiet >= 0.5


def test_a_cluster_that_does_not_come_to_rest_is_told_and_no_error() -> None:
    run = session(0.5, timeout=0.8)
    hears(run, tainted=True)
    run._rest(time.time())
    assert (run.moments.stable, run.moments.quiet) == (False, None)
