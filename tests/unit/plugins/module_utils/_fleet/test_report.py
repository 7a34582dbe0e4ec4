"""A fleet in plain data, and what is noticed about it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._fleet.prices import Prices
from ansible_collections.eksops.karpenter.plugins.module_utils._fleet.report import Observed, report

from .fleets import METRICS, NOW, claim, node, node_class, observed, pending, pool, system_node


def test_a_healthy_fleet() -> None:
    found = report(observed())
    assert found["notices"] == []
    assert (found["kubernetes_version"], found["karpenter"]["version"]) == ("1.36.3", "1.14.0")
    assert found["cost"] == {
        "per_hour": 0.498,
        "per_month": 363.54,
        "node_pools_per_hour": 0.306,
        "other_nodes_per_hour": 0.192,
        "nodes_without_price": 0,
    }
    [own] = [one for one in found["nodes"] if one["node_pool"]]
    assert (own["instance_id"], own["image_id"], own["ami_release"]) == ("i-n1", "ami-1", "v20261106")
    assert own["age_seconds"] == 3 * 3600
    system = [one for one in found["nodes"] if one["node_group"] == "system"]
    assert [one["capacity_type"] for one in system] == ["on-demand"] * 2
    assert [one["ami_release"] for one in system] == ["v20261106"] * 2
    [item] = found["node_classes"]
    assert (item["pinned"], item["ami_release"], item["ami_age_days"]) == (True, "v20261106", 24)
    assert (found["node_pools"][0]["nodes"], found["node_pools"][0]["cost_per_hour"]) == (1, 0.306)


def test_a_cluster_without_karpenter_has_the_same_keys() -> None:
    empty = report(Observed(NOW, "v1.36.3"))
    assert empty.keys() == report(observed()).keys()
    assert empty["karpenter"] == {
        "installed": False,
        "version": None,
        "replicas": 0,
        "replicas_ready": 0,
        "leader": None,
    }
    assert empty["notices"] == ["Karpenter is not installed"]
    assert empty["cost"]["per_hour"] == 0


@pytest.mark.parametrize(
    ("changes", "notice"),
    [
        ({"pools": [pool(ready=False)]}, "Node pool default is not ready: its class is not ready"),
        ({"classes": [node_class(ready=False)]}, "Node class default is not ready: no subnet"),
        ({"classes": [node_class(terms=[{"alias": "al2023@latest"}])]}, "not pinned (al2023@latest)"),
        ({"classes": [node_class(terms=[{"tags": {"team": "a"}}])]}, "not pinned (tags team=a)"),
        ({"classes": [node_class(release="v20260901")]}, "AMI release v20260901 of node class default is 90 days old"),
        ({"classes": [node_class(deprecated=True)]}, "uses deprecated images: ami-1"),
        ({"pools": [pool(limits={"cpu": 8})]}, "Node pool default uses 100 % of its cpu limit"),
        ({"nodes": [node("n1", ready=False)]}, "Nodes that are not Ready: n1"),
        ({"nodes": [node("n1", kubelet="v1.35.1")]}, "another Kubernetes minor than the control plane's 1.36: n1"),
        ({"claims": [claim("default-a", "n1", drifted=True)]}, "will be replaced: n1"),
        ({"pending": [pending("web")]}, "Pods without a node for more than 120 seconds: shop/web"),
        ({"metrics": None}, "3 of 3 nodes have no known price"),
        (
            {"deployment": {"metadata": {}, "spec": {"replicas": 2}, "status": {"readyReplicas": 1}}},
            "Only 1 of 2 replicas",
        ),
    ],
)
def test_what_is_wrong_is_noticed(changes: dict[str, Any], notice: str) -> None:
    found = report(observed(**changes))["notices"]
    assert any(notice in one for one in found), found


@pytest.mark.parametrize(
    "changes",
    [
        {"pending": [pending("web", created="2026-11-30T05:59:30Z")]},
        {"pools": [pool(limits={"cpu": 10})]},
        {"classes": [node_class(terms=[{"id": "ami-1"}])]},
    ],
)
def test_what_is_right_is_not(changes: dict[str, Any]) -> None:
    assert report(observed(**changes))["notices"] == []


def test_a_release_that_the_class_was_pinned_to_wins_over_names() -> None:
    pinned = node_class(annotations={"eksops.io/ami-release": "v20261101"}, amis=[])
    [item] = report(observed(classes=[pinned]))["node_classes"]
    assert (item["ami_release"], item["ami_age_days"]) == ("v20261101", 29)


def test_claims_that_are_no_nodes_yet_are_told() -> None:
    found = report(observed(claims=[claim("default-b", None)]))["node_claims_on_the_way"]
    assert found == [{"name": "default-b", "node_pool": "default", "age_seconds": 60}]


def test_heavier_pools_come_first() -> None:
    found = report(observed(pools=[pool("a"), pool("spot", weight=50)]))["node_pools"]
    assert [one["name"] for one in found] == ["spot", "a"]


@pytest.mark.parametrize(
    ("offering", "price"),
    [
        (("c6a.2xlarge", "on-demand", "us-west-2b"), 0.306),
        (("c6a.2xlarge", "on-demand", "us-west-2c"), 0.306),  # On-Demand prices do not differ by zone
        (("c6a.2xlarge", None, "us-west-2b"), 0.306),
        (("c6a.2xlarge", "spot", "us-west-2b"), 0.11),
        (("c6a.2xlarge", "spot", "us-west-2c"), None),  # Spot prices do
        (("m5.large", "on-demand", "us-west-2a"), None),  # nobody asked for it
        ((None, None, None), None),
    ],
)
def test_prices(offering: tuple[str | None, str | None, str | None], price: float | None) -> None:
    assert Prices.from_metrics(METRICS, ["c6a.2xlarge"]).of(*offering) == price


def test_one_unknown_price_makes_the_pool_unknown_and_is_counted() -> None:
    found = report(observed(nodes=[node("n1"), node("n2", "x9.large"), system_node("s1")]))
    assert found["node_pools"][0]["cost_per_hour"] is None
    assert found["cost"]["nodes_without_price"] == 1
    assert found["cost"]["per_hour"] == 0.402
