"""Which writes lead to the wanted node group, as a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_nodegroup.model import Nodegroup, NodegroupSpec
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_nodegroup.plan import absent_plan, present_plan

SPEC = NodegroupSpec(
    cluster_name="shop",
    name="system",
    node_role_arn="arn:aws:iam::111122223333:role/n",
    subnet_ids=("subnet-a", "subnet-b"),
    instance_types=("m5.large",),
)
GROUP = Nodegroup(
    cluster_name="shop",
    name="system",
    arn="arn:x",
    status="ACTIVE",
    release_version="1.36.1-20260901",
    node_role_arn="arn:aws:iam::111122223333:role/n",
    subnet_ids=("subnet-b", "subnet-a"),
    instance_types=("m5.large",),
    ami_type="AL2023_x86_64_STANDARD",
    capacity_type="ON_DEMAND",
    disk_size_gib=20,
    min_size=1,
    max_size=10,
    desired_size=2,
    labels={"a": "b"},
    taints=({"key": "k", "value": "v", "effect": "NO_SCHEDULE"},),
    max_unavailable=1,
)


def test_a_missing_group_is_created_with_what_is_stated_and_nothing_else() -> None:
    plan = present_plan(replace(SPEC, min_size=1, desired_size=2, max_size=10, labels={"x": "y"}), None)
    assert [(step.action, step.after) for step in plan.steps] == [
        (
            "create",
            {
                "clusterName": "shop",
                "nodegroupName": "system",
                "nodeRole": "arn:aws:iam::111122223333:role/n",
                "subnets": ["subnet-a", "subnet-b"],
                "instanceTypes": ["m5.large"],
                "amiType": "AL2023_x86_64_STANDARD",
                "scalingConfig": {"minSize": 1, "maxSize": 10, "desiredSize": 2},
                "labels": {"x": "y"},
            },
        )
    ]


@pytest.mark.parametrize("name", ["node_role_arn", "subnet_ids"])
def test_a_creation_without_what_it_needs_is_refused(name: str) -> None:
    without: dict[str, Any] = {name: None}
    with pytest.raises(EksopsError, match=f"creating it needs {name}"):
        present_plan(replace(SPEC, **without), None)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, None),
        ({"min_size": 1, "max_size": 10, "desired_size": 2}, None),
        ({"desired_size": 3}, {"scalingConfig": {"minSize": 1, "maxSize": 10, "desiredSize": 3}}),
        ({"min_size": 4}, {"scalingConfig": {"minSize": 4, "maxSize": 10, "desiredSize": 4}}),
        ({"max_size": 1}, {"scalingConfig": {"minSize": 1, "maxSize": 1, "desiredSize": 1}}),
        ({"max_unavailable_percentage": 33}, {"updateConfig": {"maxUnavailablePercentage": 33}}),
        ({"max_unavailable": 1}, None),
        ({"labels": {"a": "b"}}, None),
        ({"labels": {"c": "d"}}, {"labels": {"addOrUpdateLabels": {"c": "d"}, "removeLabels": ["a"]}}),
        ({"taints": ()}, {"taints": {"removeTaints": [{"key": "k", "value": "v", "effect": "NO_SCHEDULE"}]}}),
        (
            {"taints": ({"key": "k", "value": "w", "effect": "NO_SCHEDULE"},)},
            {"taints": {"addOrUpdateTaints": [{"key": "k", "value": "w", "effect": "NO_SCHEDULE"}]}},
        ),
    ],
)
def test_differences_are_one_update(wanted: dict[str, Any], expected: dict[str, Any] | None) -> None:
    plan = present_plan(replace(SPEC, **wanted), GROUP)
    assert [step.after for step in plan.steps] == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"instance_types": ("m6i.large",)}, "has instance_types m5.large, and EKS never changes it to m6i.large"),
        ({"ami_type": "AL2023_ARM_64_STANDARD"}, "ami_type"),
        ({"capacity_type": "SPOT"}, "capacity_type"),
        ({"disk_size_gib": 50}, "disk_size_gib"),
        ({"subnet_ids": ("subnet-a",)}, "subnet_ids"),
        ({"node_role_arn": "arn:aws:iam::111122223333:role/o"}, "node_role_arn"),
        ({"min_size": 20}, "at least 20 and at most 10"),
    ],
)
def test_what_never_changes_is_an_error_with_a_remedy(wanted: dict[str, Any], said: str) -> None:
    with pytest.raises(EksopsError, match=said):
        present_plan(replace(SPEC, **wanted), GROUP)


@pytest.mark.parametrize("status", ["CREATE_FAILED", "DELETE_FAILED", "DEGRADED"])
def test_a_failed_group_is_an_error_with_the_health_issues(status: str) -> None:
    issue = {"code": "NodeCreationFailure", "message": "did not join", "resource_ids": ["i-1"]}
    with pytest.raises(EksopsError, match=rf"{status}: NodeCreationFailure: did not join \(i-1\)"):
        present_plan(SPEC, replace(GROUP, status=status, health_issues=(issue,)))


def test_a_group_that_is_being_deleted_is_an_error() -> None:
    with pytest.raises(EksopsError, match="is being deleted"):
        present_plan(SPEC, replace(GROUP, status="DELETING"))


def test_another_release_is_a_notice_and_no_write() -> None:
    plan = present_plan(replace(SPEC, release_version="1.36.1-20260915"), GROUP)
    assert not plan.changed
    assert "rotate_amis.yml" in plan.notices[0]


@pytest.mark.parametrize(
    ("group", "count"),
    [(None, 0), (replace(GROUP, status="DELETING"), 0), (GROUP, 1), (replace(GROUP, status="CREATE_FAILED"), 1)],
)
def test_a_group_is_taken_away_once(group: Nodegroup | None, count: int) -> None:
    assert len(absent_plan(group).steps) == count


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"min_size": 3, "desired_size": 2}, "has sizes 3, 2, None"),
        ({"max_unavailable": 1, "max_unavailable_percentage": 50}, "Both a number and a percentage"),
        ({"taints": [{"key": "k", "effect": "NoSchedule"}]}, "'NoSchedule' is no taint effect"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(params: dict[str, Any], said: str) -> None:
    with pytest.raises(EksopsError, match=said):
        NodegroupSpec.from_params({"cluster_name": "shop", "name": "system", **params})


def test_a_prediction_has_the_same_keys_as_a_description() -> None:
    predicted = Nodegroup.predicted(SPEC).as_dict()
    described = Nodegroup.from_api({"clusterName": "shop", "nodegroupName": "system"}).as_dict()
    assert predicted.keys() == described.keys()
    assert predicted["instance_types"] == ["m5.large"]
