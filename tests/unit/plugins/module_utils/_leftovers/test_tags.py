"""Which tagged resources are a cluster's, and which of those Karpenter's."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._leftovers.tags import (
    is_karpenters,
    tag_keys,
    tagged_leftovers,
)

LEGACY = "kubernetes.io/cluster/demo"
KARPENTERS = {LEGACY: "owned", "karpenter.sh/nodepool": "default", "eks:eks-cluster-name": "demo"}


def entries(kind: str, tags: dict[str, str], id_: str = "id-1") -> list[dict[str, Any]]:
    return [{"ResourceType": kind, "ResourceId": id_, "Key": key, "Value": value} for key, value in tags.items()]


def found(kind: str, tags: dict[str, str], state: str | None = None) -> list[tuple[bool, bool]]:
    states = {"id-1": state} if state else {}
    return [(item.owned, item.karpenter) for item in tagged_leftovers("demo", entries(kind, tags), states, {})]


@pytest.mark.parametrize(
    ("kind", "tags", "expected"),
    [
        ("instance", KARPENTERS, [(True, True)]),
        ("launch-template", KARPENTERS, [(True, True)]),
        ("instance", {LEGACY: "owned"}, [(True, False)]),
        ("instance", {"eks:cluster-name": "demo"}, [(True, False)]),
        ("security-group", {"aws:eks:cluster-name": "demo"}, [(True, False)]),
        ("network-interface", {"cluster.k8s.amazonaws.com/name": "demo"}, [(True, False)]),
        ("volume", {"karpenter.sh/discovery": "demo"}, [(True, False)]),
        # Given networks carry marks, and stay.
        ("subnet", {"karpenter.sh/discovery": "demo"}, [(False, False)]),
        ("subnet", {LEGACY: "shared"}, [(False, False)]),
        ("security-group", {"karpenter.sh/discovery": "demo"}, [(False, False)]),
        ("subnet", {LEGACY: "owned"}, [(True, False)]),
        # What controllers in the cluster make.
        ("security-group", {"elbv2.k8s.aws/cluster": "demo"}, [(True, False)]),
        ("security-group", {LEGACY: "owned"}, [(True, False)]),
        ("security-group", {LEGACY: "shared"}, [(False, False)]),
        # Addresses and gateways are only the cluster's when a tag says so.
        ("elastic-ip", {LEGACY: "owned"}, [(True, False)]),
        ("natgateway", {LEGACY: "owned"}, [(True, False)]),
        ("natgateway", {LEGACY: "shared"}, [(False, False)]),
        ("elastic-ip", {"Name": "demo"}, []),
        # Others' things.
        ("instance", {"kubernetes.io/cluster/shop": "owned"}, []),
        ("instance", {"eks:eks-cluster-name": "shop"}, []),
        ("security-group", {"elbv2.k8s.aws/cluster": "shop"}, []),
        ("instance", {"eks:eks-cluster-name": "demo-2", "karpenter.sh/nodepool": "default"}, []),
        ("instance", {"Name": "demo"}, []),
        ("instance", {LEGACY: "demo"}, []),
    ],
)
def test_links(kind: str, tags: dict[str, str], expected: list[tuple[bool, bool]]) -> None:
    assert found(kind, tags) == expected


@pytest.mark.parametrize("state", ["terminated", "deleted", "closed", "cancelled", "deleted_terminating"])
def test_what_has_ended_is_not_left(state: str) -> None:
    assert found("instance", KARPENTERS, state) == []


@pytest.mark.parametrize("state", ["pending", "running", "shutting-down", "stopping", "stopped"])
def test_what_has_not_ended_is_left(state: str) -> None:
    assert found("instance", KARPENTERS, state) == [(True, True)]


@pytest.mark.parametrize("missing", KARPENTERS)
def test_karpenters_needs_every_proof(missing: str) -> None:
    tags = {key: value for key, value in KARPENTERS.items() if key != missing}
    # eks:eks-cluster-name came with Karpenter 1.1; where it is there it has to name this cluster.
    assert is_karpenters("demo", tags) is (missing == "eks:eks-cluster-name")
    assert not is_karpenters("demo", {**KARPENTERS, "eks:eks-cluster-name": "shop"})


def test_each_leftover_says_why_and_what_to_do() -> None:
    (item,) = tagged_leftovers(
        "demo", entries("volume", {LEGACY: "owned", "Name": "data"}, "vol-1"), {"vol-1": "available"}, {}
    )
    assert (item.name, item.state) == ("data", "available")
    assert item.why == f"tag {LEGACY}=owned"
    assert "delete-volume --volume-id vol-1" in item.remedy


def test_a_kind_that_nobody_thought_of_is_left_too() -> None:
    (item,) = tagged_leftovers("demo", entries("carrier-gateway", {LEGACY: "owned"}, "cagw-1"), {}, {})
    assert "cagw-1" in item.remedy


def test_the_search_covers_every_key_that_links() -> None:
    for key in (
        LEGACY,
        "eks:eks-cluster-name",
        "aws:eks:cluster-name",
        "karpenter.sh/discovery",
        "elbv2.k8s.aws/cluster",
    ):
        assert key in tag_keys("demo")
