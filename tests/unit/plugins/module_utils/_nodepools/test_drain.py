"""Which pod holds its node, and by what."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.drain import blocked_pods, holder, selects


def _pod(**metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "web-1", "namespace": "shop", "labels": {"app": "web"}, **metadata},
        "spec": {"nodeName": "node-1"},
        "status": {"phase": "Running"},
    }


def _budget(allowed: int = 0, namespace: str = "shop", **selector: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "web", "namespace": namespace},
        "spec": {"selector": selector or {"matchLabels": {"app": "web"}}},
        "status": {"disruptionsAllowed": allowed},
    }


@pytest.mark.parametrize(
    ("pod", "budget", "said"),
    [
        (_pod(), _budget(), "PodDisruptionBudget web, which allows no disruption now"),
        (_pod(), _budget(allowed=1), None),
        (_pod(), _budget(namespace="other"), None),
        (_pod(labels={"app": "db"}), _budget(), None),
        (_pod(annotations={"karpenter.sh/do-not-disrupt": "true"}), _budget(1), "do-not-disrupt: true"),
        (_pod(annotations={"karpenter.sh/do-not-disrupt": "false"}), _budget(1), None),
    ],
)
def test_what_holds_a_pod(pod: Any, budget: Any, said: str | None) -> None:
    found = holder(pod, [budget])
    assert found is None if said is None else said in str(found)


@pytest.mark.parametrize(
    "pod",
    [
        _pod(deletionTimestamp="2026-11-30T00:00:00Z"),
        _pod(ownerReferences=[{"kind": "DaemonSet"}]),
        _pod() | {"status": {"phase": "Succeeded"}},
        _pod() | {"spec": {}},
    ],
)
def test_pods_that_a_drain_does_not_wait_for(pod: Any) -> None:
    assert blocked_pods([pod], [_budget()]) == {}


def test_pods_are_told_by_node() -> None:
    assert blocked_pods([_pod()], [_budget()]) == {
        "node-1": ["pod shop/web-1 is held by PodDisruptionBudget web, which allows no disruption now"]
    }


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (None, False),
        ({}, True),
        ({"matchLabels": {"app": "web"}}, True),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "db"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False),
    ],
)
def test_selectors(selector: Any, expected: bool) -> None:
    assert selects(selector, {"app": "web"}) is expected
