"""Check mode: reads alone, the same keys, and what is not there yet is told."""

from __future__ import annotations

from typing import Any, cast

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._core.progress import Progress
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.client import Client
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.model import NAMESPACE, Spec, namespace
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.run import _spoiled, run

from .kube import Kube

LEASE = {"metadata": {"name": "karpenter-leader-election"}, "spec": {"holderIdentity": "karpenter-a_1"}}
LEADER = {"metadata": {"name": "karpenter-a"}}


def pool(status: str = "True") -> dict[str, Any]:
    return {
        "metadata": {"name": "default"},
        "spec": {"template": {"spec": {}}},
        "status": {"conditions": [{"type": "Ready", "status": status}]},
    }


def predicted(kube: Kube, spec: Spec | None = None) -> dict[str, Any]:
    result, error = run(cast(Client, kube), spec or Spec(), Progress(), check_mode=True)
    assert error is None
    assert kube.writes == []
    return result


def test_a_test_that_could_run_is_told_and_changes_nothing() -> None:
    found = predicted(Kube(nodepools=[pool()], leases=[LEASE], pods=[LEADER]))
    assert (found["changed"], found["passed"], found["notices"]) == (False, None, [])
    assert found["summary"][0].startswith("Scale test, not run in check mode")


def test_what_a_dead_test_left_is_predicted_to_go() -> None:
    found = predicted(Kube(nodepools=[pool()], leases=[LEASE], pods=[LEADER], namespaces=[namespace("dead", 0)]))
    assert found["changed"] is True
    assert [step["name"] for step in found["plan"]] == [NAMESPACE]


@pytest.mark.parametrize(
    ("kube", "missing"),
    [
        (Kube(), "Karpenter is not installed"),
        (Kube(nodepools=[pool()]), "No controller of Karpenter leads"),
        (Kube(nodepools=[pool()], leases=[LEASE]), "No controller of Karpenter leads"),
        (Kube(nodepools=[], leases=[LEASE], pods=[LEADER]), "There is no NodePool"),
    ],
)
def test_what_the_same_run_may_make_is_told(kube: Kube, missing: str) -> None:
    [notice] = predicted(kube)["notices"]
    assert missing in notice


def test_what_it_cannot_make_is_an_error_before_the_first_write() -> None:
    kube = Kube(nodepools=[pool("False")], leases=[LEASE], pods=[LEADER])
    for check_mode in (True, False):
        with pytest.raises(EksopsError, match="it is not Ready"):
            run(cast(Client, kube), Spec(), Progress(), check_mode=check_mode)
    assert kube.writes == []


@pytest.mark.parametrize(("percent", "spoiled"), [(0.0, False), (10.0, False), (10.1, True)])
def test_a_run_that_lost_too_many_pods_says_nothing(percent: float, spoiled: bool) -> None:
    error = _spoiled({"churn": {"pods_failed_percent": percent}})
    assert (error is not None) == spoiled
    assert error is None or "10.1 % of the test's pods failed" in str(error)
