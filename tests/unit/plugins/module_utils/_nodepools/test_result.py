"""What the module answers."""

from __future__ import annotations

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.build import node_class, node_pool
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.model import Live, Request
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.result import present

from .samples import CLASS_OPTIONS, POOL_OPTIONS, condition, live, params

CLASS = live(node_class(CLASS_OPTIONS))
POOL = live(node_pool(POOL_OPTIONS))
BROKEN = live(node_pool(POOL_OPTIONS | {"name": "broken"}), condition("Ready", "False", "NodeClassNotFound"))


def test_ready_is_asked_of_what_is_named() -> None:
    request = Request.from_params(params())
    seen = Live({"default": CLASS}, {"default": POOL, "broken": BROKEN})
    assert present(request, seen)["ready"]
    assert not present(Request(), seen)["ready"]
    assert not present(request, Live({"default": CLASS}))["ready"]
    assert not present(Request(), Live())["ready"]


def test_pools_and_classes_are_told() -> None:
    result = present(Request(), Live({"default": CLASS}, {"broken": BROKEN}))
    assert result["exists"]
    assert result["node_classes"][0]["ami_release"] == "v20261106"
    assert result["node_classes"][0]["ami_ids"] == ["ami-0123456789abcdef0"]
    assert result["node_pools"][0]["node_class"] == "default"
    assert "does not exist" in result["node_pools"][0]["reason"]
    assert not present(Request(), Live())["exists"]


def test_budgets_are_told_with_their_hours() -> None:
    given = [{"nodes": "10%"}, {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 9 * * mon-fri", "duration": "8h"}]
    pool = live(node_pool(POOL_OPTIONS | {"disruption": {"consolidate_after": "1m", "budgets": given}}))
    assert present(Request(), Live({}, {"default": pool}))["node_pools"][0]["budgets"] == [
        {"nodes": "10%", "reasons": [], "holds": "always"},
        {"nodes": "0", "reasons": ["Drifted"], "holds": "09:00-17:00 Mon-Fri UTC"},
    ]
