"""What a run leaves as it is."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.build import node_class, node_pool
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.keep import keep_budgets, keep_pin, pinned

from .samples import CLASS_OPTIONS, POOL_OPTIONS, live

WANTED = node_class(CLASS_OPTIONS)


def _rotated(**changes: Any) -> dict[str, Any]:
    return live(node_class(CLASS_OPTIONS | changes))


def test_the_same_pin_is_no_notice() -> None:
    assert keep_pin(WANTED, live(WANTED)) == (WANTED, None)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"ami_release": "v20261120", "ami_selector_terms": [{"id": "ami-b"}]},
            "selects release v20261120 (ami-b), the inventory says release v20261106 (ami-0123456789abcdef0)",
        ),
        (
            {"ami_release": None, "ami_selector_terms": [{"alias": "al2023@v1"}]},
            "selects alias al2023@v1, the inventory",
        ),
        ({"ami_release": "v20261120"}, "selects release v20261120"),
    ],
)
def test_another_pin_stays_and_is_a_notice(changes: dict[str, Any], said: str) -> None:
    rotated = _rotated(**changes)
    kept, notice = keep_pin(WANTED, rotated)
    assert kept["spec"]["amiSelectorTerms"] == rotated["spec"]["amiSelectorTerms"]
    assert kept["metadata"].get("annotations") == rotated["metadata"].get("annotations")
    assert notice is not None
    assert said in notice
    assert "rotate_amis.yml" in notice


def test_the_family_belongs_to_the_pin_and_the_rest_does_not() -> None:
    wanted = node_class(CLASS_OPTIONS | {"ami_family": "Bottlerocket", "role": "other"})
    kept, _ = keep_pin(wanted, live(WANTED))
    assert kept["spec"]["amiFamily"] == "AL2023"
    assert kept["spec"]["role"] == "other"


def test_a_class_without_terms_takes_those_it_has_without_a_notice() -> None:
    unpinned = node_class(CLASS_OPTIONS | {"ami_selector_terms": None, "ami_release": None})
    assert not pinned(unpinned)
    assert keep_pin(unpinned, live(WANTED)) == (WANTED, None)


BUDGET = [{"nodes": "10%"}]
FROZEN = [{"nodes": "0"}]


@pytest.mark.parametrize(
    ("manager", "wanted", "kept"),
    [
        ("eksops-freeze", BUDGET, False),  # held by somebody else, with another value
        ("eksops-freeze", FROZEN, True),  # the same value is no quarrel
        ("eksops-nodepool", BUDGET, True),  # ours to change
    ],
)
def test_budgets_of_another_manager_stay(manager: str, wanted: Any, kept: bool) -> None:
    disruption = POOL_OPTIONS["disruption"]
    fields: dict[str, Any] = {"f:spec": {"f:disruption": {"f:budgets": {}}}}
    held = live(
        node_pool(POOL_OPTIONS | {"disruption": disruption | {"budgets": FROZEN}}),
        managedFields=[{"manager": manager, "operation": "Update", "fieldsV1": fields}],
    )
    manifest, notice = keep_budgets(node_pool(POOL_OPTIONS | {"disruption": disruption | {"budgets": wanted}}), held)
    assert ("budgets" in manifest["spec"]["disruption"]) is kept
    assert (notice is None) is kept
    assert kept or "held by eksops-freeze" in str(notice)
