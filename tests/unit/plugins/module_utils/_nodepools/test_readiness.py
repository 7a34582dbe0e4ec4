"""Why something is not ready, in words that lead to the cause."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.build import node_class
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.readiness import ready

from .samples import CLASS_OPTIONS, condition, live

CLASS = node_class(CLASS_OPTIONS)


def _reason(*conditions: Any, **metadata: Any) -> str:
    return str(ready.reason("EC2NodeClass", live(CLASS, *conditions, **metadata)))


def test_ready_in_its_generation_is_ready() -> None:
    assert ready.reason("EC2NodeClass", live(CLASS)) is None
    assert ready.reason("NodePool", live(CLASS, condition("Ready", generation=3), generation=3)) is None


def test_ready_in_a_former_generation_is_not_ready() -> None:
    assert "generation 4" in _reason(condition("Ready", generation=3), generation=4)


def test_without_a_condition_nobody_has_looked() -> None:
    assert "has not looked at it" in _reason(condition("SubnetsReady"))


def test_what_is_being_deleted_is_not_ready() -> None:
    assert _reason(deletionTimestamp="2026-11-30T00:00:00Z") == "it is being deleted"


NOT_READY = condition("Ready", "False", "UnhealthyDependents", "SubnetsReady=False")


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (
            condition("SubnetsReady", "False", "SubnetsNotFound", "SubnetSelector did not match any Subnets"),
            "tags subnets",
        ),
        (condition("SecurityGroupsReady", "False", "SecurityGroupsNotFound", "no match"), "tags the cluster's group"),
        (condition("AMIsReady", "False", "AMINotFound", "AMISelector did not match any AMIs"), "eks_ami_info"),
        (condition("InstanceProfileReady", "False", "", "role not found"), "iam:PassRole"),
        (
            condition("ValidationSucceeded", "False", "RunInstancesAuthCheckFailed", "not authorized"),
            "service control policy",
        ),
        (condition("ValidationSucceeded", "False", "TagValidationFailed", "bad tag"), "keeps for itself"),
        (condition("SomethingNew", "False", "Unheard", "of"), "SomethingNew is False (Unheard: of)"),
        (condition("InstanceProfileReady", "Unknown", "AwaitingReconciliation", "object is awaiting"), "is Unknown"),
    ],
)
def test_each_reason_leads_to_its_cause(cause: Any, said: str) -> None:
    following = condition("ValidationSucceeded", "False", "DependenciesNotReady", "Awaiting AMI")
    message = _reason(NOT_READY, cause, following)
    assert said in message
    assert "DependenciesNotReady" not in message


def test_a_pool_says_that_its_class_is_missing() -> None:
    item = live(CLASS, condition("Ready", "False", "NodeClassNotFound", "NodeClass not found on cluster"))
    assert "names a node class that does not exist" in str(ready.reason("NodePool", item))
