"""Steps from wanted and live objects, as tables."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.build import node_class, node_pool
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.model import Live, Request, by_name
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.plan import (
    class_users,
    deletions,
    purged,
    remaining,
    targets,
    write_step,
)

from .samples import CLASS_OPTIONS, POOL_OPTIONS, claim, live

POOL = node_pool(POOL_OPTIONS)
CLASS = node_class(CLASS_OPTIONS)
OURS = [{"manager": "eksops-nodepool", "operation": "Apply", "fieldsV1": {}}]


def _live(**metadata: Any) -> Live:
    def named(manifest: dict[str, Any], name: str) -> dict[str, Any]:
        item = live(manifest, **metadata)
        item["metadata"]["name"] = name
        return item

    other = named(POOL, "other")
    other["spec"] = copy.deepcopy(POOL["spec"])
    other["spec"]["template"]["spec"]["nodeClassRef"]["name"] = "other"
    return Live(
        by_name([named(CLASS, "default"), named(CLASS, "other")]),
        by_name([named(POOL, "default"), other]),
        by_name([claim("default-a"), claim("other-b", "other")]),
    )


def _after(change: Any) -> dict[str, Any]:
    item = live(POOL)
    change(item)
    return item


def _set(*path: str, value: Any) -> Any:
    def change(item: dict[str, Any]) -> None:
        for part in path[:-1]:
            item = item.setdefault(part, {})
        item[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "action"),
    [
        (_set("metadata", "resourceVersion", value="9"), None),
        (_set("metadata", "managedFields", value=[{"manager": "x"}]), None),
        (_set("status", "nodes", value=4), None),
        (_set("metadata", "annotations", value={"karpenter.sh/nodepool-hash": "1"}), None),
        (_set("spec", "weight", value=5), "update"),
        (_set("metadata", "labels", value={"a": "b"}), "update"),
        (_set("metadata", "annotations", value={"eksops.io/x": "1"}), "update"),
    ],
)
def test_only_what_is_asked_for_is_compared(change: Any, action: str | None) -> None:
    step = write_step(POOL, live(POOL), _after(change))
    assert (step.action if step else None) == action


def test_an_annotation_of_karpenters_counts_when_it_is_asked_for() -> None:
    wanted = node_pool(POOL_OPTIONS | {"annotations": {"karpenter.sh/x": "1"}})
    assert write_step(wanted, live(POOL), live(wanted)) is not None


def test_what_is_not_there_is_created() -> None:
    step = write_step(POOL, None, live(POOL))
    assert step is not None
    assert (step.action, step.kind, step.name, step.before) == ("create", "NodePool", "default", None)


def _names(found: Live) -> tuple[list[str], list[str], list[str]]:
    return list(found.classes), list(found.pools), list(found.claims)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (Request(everything=True), (["default", "other"], ["default", "other"], ["default-a", "other-b"])),
        (Request(pool_names=("other",)), ([], ["other"], ["other-b"])),
        (Request(class_names=("other",), pool_names=("gone",)), (["other"], [], [])),
        (Request(), ([], [], [])),
    ],
)
def test_targets_of_a_removal(request_: Request, expected: Any) -> None:
    assert _names(targets(request_, _live())) == expected


@pytest.mark.parametrize(
    ("request_", "metadata", "expected"),
    [
        (Request(pool_names=("default",), class_names=("default",)), {"managedFields": OURS}, ([], [], [])),
        (
            Request(purge=True, pool_names=("default",), class_names=("default",)),
            {"managedFields": OURS},
            (["other"], ["other"], ["other-b"]),
        ),
        (Request(purge=True, pool_names=("default",), class_names=("default",)), {"managedFields": []}, ([], [], [])),
    ],
)
def test_a_purge_takes_only_what_was_applied_by_us(request_: Request, metadata: Any, expected: Any) -> None:
    assert _names(purged(request_, _live(**metadata))) == expected


def test_a_class_in_use_is_told() -> None:
    seen = _live()
    assert class_users(Live(classes={"other": seen.classes["other"]}), seen) == [
        "node class other is used by node pool other"
    ]
    assert class_users(targets(Request(everything=True), seen), seen) == []


def test_claims_launched_meanwhile_belong_to_the_removal() -> None:
    going = targets(Request(pool_names=("default",)), _live())
    now = Live({}, {}, by_name([claim("default-new"), claim("other-b", "other")]))
    assert _names(remaining(going, now)) == ([], [], ["default-new"])


def test_pools_are_deleted_first_and_classes_last() -> None:
    kinds = [step.kind for step in deletions(_live()).steps]
    assert kinds == ["NodePool", "NodePool", "NodeClaim", "NodeClaim", "EC2NodeClass", "EC2NodeClass"]
    assert not deletions(Live()).changed
