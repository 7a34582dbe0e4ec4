"""Node pools and node classes are told wrong before there is a cluster for them."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._preflight.model import Outcome
from ansible_collections.eksops.karpenter.plugins.module_utils._preflight.pools import Pin, check_pools

from .._nodepools.samples import CLASS_OPTIONS, POOL_OPTIONS

UNPINNED = {name: value for name, value in CLASS_OPTIONS.items() if not name.startswith("ami_")}
PIN = Pin("AL2023", "latest", frozenset({"amd64"}))
ARM = {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}


def _check(
    classes: list[Any], pools: list[Any], pin: Pin = PIN, *, exists: bool = False, minor: Any = "1.36"
) -> Outcome:
    return check_pools(classes, pools, pin, kubernetes=minor, karpenter="1.14.0", cluster_exists=exists)


def _budget(schedule: str, duration: str) -> dict[str, Any]:
    return {"consolidate_after": "1m", "budgets": [{"nodes": "1", "schedule": schedule, "duration": duration}]}


def _said(outcome: Outcome, severity: str = "error") -> list[str]:
    return [finding.what for finding in outcome.findings if finding.severity == severity]


@pytest.mark.parametrize("item", [CLASS_OPTIONS, UNPINNED])
def test_the_tutorials_pool_is_fine(item: dict[str, Any]) -> None:
    assert _check([item], [POOL_OPTIONS]) == Outcome()


def test_numbers_are_text_where_the_api_wants_it() -> None:
    budgets = [{"nodes": 0, "reasons": ["Drifted"]}, {"nodes": 15}]
    disruption = {"consolidate_after": "1m", "budgets": budgets}
    requirements = [{"key": "karpenter.k8s.aws/instance-cpu", "operator": "In", "values": [4, 8]}]
    pool = {**POOL_OPTIONS, "weight": "10", "requirements": requirements, "disruption": disruption}
    assert _check([UNPINNED], [pool]) == Outcome()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"weigth": 5}, "karpenter_nodepool_node_pools[default] has no 'weigth'"),
        ({"weight": "much"}, "karpenter_nodepool_node_pools[default].weight is 'much', which is not a whole number"),
        ({"weight": 500}, "node pool default: weight: 500 is more than 100"),
        ({"name": "A"}, "node pool A: name: 'A' is not allowed"),
        ({"limits": {"cpu": "many"}}, "node pool default: limits[cpu]: 'many' is no Kubernetes quantity"),
        ({"node_class": "other"}, "node pool default: node_class: there is no node class 'other'; there are: default"),
        ({"requirements": [ARM]}, "node pool default: requirements: kubernetes.io/arch allows arm64, but node class"),
        ({"disruption": {"consolidate_after": "1d"}}, "node pool default: disruption.consolidate_after: '1d' is not"),
        (
            {"disruption": _budget("0 0 * * sat-sun", "24h")},
            "node pool default: disruption.budgets[0].schedule: '0 0 * * sat-sun' cannot be read",
        ),
        (
            {"disruption": _budget("0 9 * * *", "1d")},
            "node pool default: disruption.budgets[0].duration: '1d' is no time that a budget could hold",
        ),
    ],
)  # fmt: skip
def test_a_wrong_pool_is_one_error(changes: dict[str, Any], said: str) -> None:
    (error,) = _said(_check([UNPINNED], [{**POOL_OPTIONS, **changes}]))
    assert error.startswith(said)


def test_a_pool_given_twice_is_told() -> None:
    assert _said(_check([UNPINNED], [POOL_OPTIONS, POOL_OPTIONS])) == ["node pool default: is given twice"]


def test_items_have_to_be_dictionaries() -> None:
    (error,) = _said(_check([UNPINNED], ["default"]))
    assert error.startswith("karpenter_nodepool_node_pools[0] is 'default', which is not a dictionary")


def _of_al2023(pin: Pin) -> dict[str, Any]:
    return {**UNPINNED, "ami_family": "AL2023"} if pin.family == "Bottlerocket" else UNPINNED


@pytest.mark.parametrize(
    ("pin", "minor", "said"),
    [
        (Pin("AL2", "latest"), "1.33", "node class default: AMI family AL2 has no images for Kubernetes 1.33"),
        (Pin("AL2023", "2026"), "1.36", "node class default: '2026' is no release of AL2023"),
        (Pin("Bottlerocket", "latest"), "1.36", "node class default: ami_family is AL2023, and images of Bottlerocket"),
        (Pin("AL2042", "latest"), "1.36", "node class default: There is no AMI family 'AL2042'"),
        (Pin("AL2023", "v2026"), 1.36, "node class default: 'v2026' is no release of AL2023"),
    ],
)
def test_images_that_there_cannot_be(pin: Pin, minor: Any, said: str) -> None:
    errors = _said(_check([_of_al2023(pin)], [POOL_OPTIONS], pin, minor=minor))
    assert [error.startswith(said) for error in errors] == [True]


def test_no_image_is_looked_up_for_classes_that_have_their_own() -> None:
    assert _check([CLASS_OPTIONS], [POOL_OPTIONS], Pin("AL2", "2026")) == Outcome()


def test_an_alias_is_told_with_what_is_allowed() -> None:
    (finding,) = _check([{**UNPINNED, "ami_selector_terms": [{"alias": "al2@latest"}]}], [POOL_OPTIONS]).findings
    assert finding.what.startswith("node class default: ami_selector_terms[0].alias: AMI family AL2 has no images")
    assert finding.next_step == "take al2023"


def test_what_a_role_finds_out_later_is_not_checked() -> None:
    item = {"name": "default", "unknown_reason": "'eks_network_result' is undefined"}
    outcome = _check([item], [POOL_OPTIONS])
    assert outcome.findings == ()
    assert outcome.skipped == (
        "node class default, which is made of what is not known yet: 'eks_network_result' is undefined",
    )


def test_what_nobody_will_find_out_is_an_error() -> None:
    (error,) = _said(_check([{"name": "default", "unknown_reason": "'typo' is undefined"}], [POOL_OPTIONS]))
    assert error == "node class default cannot be read: 'typo' is undefined"


def test_a_cluster_that_is_there_may_have_more_classes() -> None:
    outcome = _check([UNPINNED], [{**POOL_OPTIONS, "node_class": "other", "requirements": [ARM]}], exists=True)
    assert _said(outcome) == []
    (warning,) = _said(outcome, "warning")
    assert "Node class 'other' is used and not listed" in warning
