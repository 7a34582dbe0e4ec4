"""Each wrong input is told, with the option's name and all at once."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.build import node_class, node_pool
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.rules import check, pool_architectures

from .samples import CLASS_OPTIONS, POOL_OPTIONS

ARM = {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64", "arm64"]}


def _in(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": [value]}


def _check(classes: dict[str, Any] | None = None, pools: dict[str, Any] | None = None, **more: Any) -> str:
    arguments: dict[str, Any] = {"karpenter_version": "1.14.0", "architectures": {"default": {"amd64"}}} | more
    try:
        check([node_class(CLASS_OPTIONS | (classes or {}))], [node_pool(POOL_OPTIONS | (pools or {}))], **arguments)
    except EksopsError as error:
        return str(error)
    return ""


def test_the_tutorials_pool_is_fine() -> None:
    assert _check() == ""


@pytest.mark.parametrize(
    "requirement",
    [
        {"key": "team.example.com/zone", "operator": "In", "values": ["x86_64"]},
        {"key": "kubernetes.io/role", "operator": "Exists"},
        {"key": "topology.ebs.csi.aws.com/zone", "operator": "Exists"},
        {"key": "karpenter.sh/capacity-type", "operator": "NotIn", "values": ["reserved"]},
        {"key": "kubernetes.io/arch", "operator": "Exists"},
    ],
)
def test_labels_of_ones_own_are_fine(requirement: dict[str, Any]) -> None:
    assert _check(pools={"requirements": [*POOL_OPTIONS["requirements"], requirement]}) == ""


def test_a_misspelt_key_that_is_refused_too_is_told_once() -> None:
    message = _check(pools={"requirements": [_in("karpenter.k8s.aws/instance-vcpu", "4")]})
    assert message.count("requirements[0].key") == 1
    assert "restricted" not in message


@pytest.mark.parametrize(
    ("classes", "pools", "said"),
    [
        ({}, {"node_class": "other"}, "node_class: there is no node class 'other'; there are: default"),
        ({}, {"node_class": None}, "node_class: name is missing"),
        ({}, {"requirements": None}, "node pool default: requirements is missing"),
        ({}, {"requirements": [ARM]}, "allows arm64, but node class default pins images for amd64 only"),
        ({}, {"limits": {"cpu": "-1"}}, "limits[cpu]: -1 is negative"),
        ({}, {"limits": {"cpu": "many"}}, "node pool default: limits[cpu]: 'many' is no Kubernetes quantity (in"),
        ({}, {"limits": {"cpu": " 4"}}, "limits[cpu]: ' 4' does not have the form"),
        (
            {},
            {"name": "Big_Pool"},
            "name: 'Big_Pool' is not allowed; allowed: small letters, digits, - and ., at most 63",
        ),
        ({}, {"name": "x" * 64}, "is not allowed; allowed: small letters"),
        ({"name": "UP"}, {"node_class": "UP"}, "node class UP: name: 'UP' is not allowed"),
        (
            {},
            {"node_labels": {"karpenter.sh/discovery": "x"}},
            'node_labels: label domain "karpenter.sh" is restricted',
        ),
        ({}, {"weight": 101}, "weight: 101 is more than 100"),
        (
            {},
            {"expire_after": "30d"},
            "expire_after: '30d' is not allowed; allowed: hours, minutes and seconds such as 720h",
        ),
        # Wrong values that the API server takes, and that match no node:
        (
            {},
            {"requirements": [_in("kubernetes.io/arch", "x86_64")]},
            "requirements[0].values: 'x86_64' is no kubernetes.io/arch",
        ),
        ({}, {"requirements": [_in("kubernetes.io/arch", "x86_64")]}, "did you mean amd64?"),
        ({}, {"requirements": [_in("kubernetes.io/os", "Linux")]}, "did you mean linux?"),
        ({}, {"requirements": [_in("karpenter.sh/capacity-type", "ondemand")]}, "did you mean on-demand?"),
        ({}, {"requirements": [_in("topology.kubernetes.io/zones", "a")]}, "did you mean topology.kubernetes.io/zone?"),
        (
            {},
            {"requirements": [_in("karpenter.k8s.aws/instance-vcpu", "4")]},
            "did you mean karpenter.k8s.aws/instance-cpu?",
        ),
        (
            {},
            {"disruption": {"consolidation_policy": "WhenBored", "consolidate_after": "1m"}},
            "'WhenBored' is not allowed",
        ),
        (
            {},
            {"requirements": [{"key": "a", "operator": "Equals", "values": ["b"]}]},
            "requirements[0].operator: 'Equals'",
        ),
        ({"subnet_selector_terms": None}, {}, "node class default: subnet_selector_terms is missing"),
        ({"ami_selector_terms": [{"alias": "al2023@latest"}, {"id": "ami-0123456789abcdef0"}]}, {}, "alias"),
        ({"ami_selector_terms": [{"id": "ami-1", "name": "x"}]}, {}, "ami_selector_terms"),
        ({"instance_profile": "mine"}, {}, "must specify exactly one of ['role', 'instanceProfile']"),
        ({"ami_family": "AL2024"}, {}, "ami_family: 'AL2024' is not allowed"),
        ({"ami_family": None}, {}, "must specify amiFamily"),
        ({"tags": {"karpenter.sh/nodepool": "x"}}, {}, "tags"),
    ],
)
def test_a_wrong_input_is_told(classes: dict[str, Any], pools: dict[str, Any], said: str) -> None:
    message = _check(classes, pools)
    assert said in message
    assert "nothing was changed" in message


def _budgets(*budgets: dict[str, str]) -> dict[str, Any]:
    return {"disruption": {"consolidate_after": "1m", "budgets": [{"nodes": "0", **budget} for budget in budgets]}}


def test_a_schedule_that_only_the_controller_would_refuse_is_told_before_anything_is_sent() -> None:
    message = _check(pools=_budgets({}, {"schedule": "0 0 * * sat-sun", "duration": "24h"}))
    assert "node pool default: disruption.budgets[1].schedule: '0 0 * * sat-sun' cannot be read" in message
    assert "such as sat-6,0-sun" in message
    assert _check(pools=_budgets({}, {"schedule": "0 0 * * sat,sun", "duration": "24h"})) == ""


@pytest.mark.parametrize(
    ("budget", "place"),
    [
        ({"schedule": "0 9 * *", "duration": "8h"}, "budgets[0].schedule"),
        ({"schedule": "0 9 * * *", "duration": "1d"}, "budgets[0].duration"),
        ({"schedule": "0 9 * * *"}, "budgets[0].duration"),
        ({"duration": "8h"}, "budgets[0].schedule"),
    ],
)
def test_a_wrong_schedule_is_told_once_and_without_a_pattern(budget: dict[str, str], place: str) -> None:
    message = _check(pools=_budgets(budget))
    assert message.count("disruption.budgets") == 1
    assert f"node pool default: disruption.{place}: " in message
    assert "does not have the form" not in message


def test_what_only_the_schema_finds_of_budgets_is_told_too() -> None:
    message = _check(pools=_budgets({"nodes": "many", "schedule": "0 9 * *", "duration": "8h"}))
    assert "disruption.budgets[0].nodes: 'many' is not allowed; allowed: a number of nodes such as 5" in message
    assert "it has 4 words" in message


def test_all_problems_are_told_at_once() -> None:
    message = _check({"ami_family": "AL2024"}, {"weight": 101, "node_class": "other"})
    assert all(part in message for part in ("AL2024", "weight: 101", "no node class 'other'"))


def test_balanced_is_refused_for_1_13() -> None:
    pools = {"disruption": {"consolidation_policy": "Balanced", "consolidate_after": "1m"}}
    assert _check(pools=pools) == ""
    assert "'Balanced' is not allowed" in _check(pools=pools, karpenter_version="1.13.0")


def test_a_class_of_the_cluster_may_be_referred_to() -> None:
    assert _check(pools={"node_class": "old"}, live_classes=["old"]) == ""


def test_images_of_unknown_architecture_are_no_problem() -> None:
    assert _check(pools={"requirements": [ARM]}, architectures={}) == ""


def test_a_name_given_twice_is_told() -> None:
    item = node_class(CLASS_OPTIONS)
    with pytest.raises(EksopsError, match="node class default: is given twice"):
        check([item, item], [], karpenter_version="1.14.0", architectures={})


@pytest.mark.parametrize(
    ("requirements", "expected"),
    [
        ([], None),
        ([ARM], {"amd64", "arm64"}),
        ([ARM, {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}], {"arm64"}),
        ([{"key": "kubernetes.io/arch", "operator": "NotIn", "values": ["arm64"]}], None),
    ],
)
def test_architectures_of_a_pool(requirements: list[Any], expected: set[str] | None) -> None:
    assert pool_architectures(node_pool(POOL_OPTIONS | {"requirements": requirements})) == expected
