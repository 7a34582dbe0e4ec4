"""Which writes lead to the wanted access entries, as tables."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_access_entries.model import Entry, EntrySpec
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_access_entries.plan import (
    absent_plan,
    policy_of,
    present_plan,
    refuse_mode,
)

NODES = "arn:aws:iam::111122223333:role/nodes"
PEOPLE = "arn:aws:iam::111122223333:role/people"
ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
EDIT = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSEditPolicy"
HAVE = {
    NODES: Entry.from_api({"principalArn": NODES, "type": "EC2_LINUX", "kubernetesGroups": ["system:nodes"]}),
    PEOPLE: Entry.from_api(
        {
            "principalArn": PEOPLE,
            "type": "STANDARD",
            "kubernetesGroups": ["b", "a"],
            "username": "people",
            "policies": [{"policyArn": ADMIN, "accessScope": {"type": "cluster", "namespaces": []}}],
        }
    ),
}


def specs(*items: dict[str, Any], partition: str = "aws") -> tuple[EntrySpec, ...]:
    return EntrySpec.many(items, partition)


def shown(plan: Any) -> list[tuple[str, str, Any]]:
    return [(step.action, step.kind, step.after) for step in plan.steps]


def test_missing_entries_are_created_with_their_policies() -> None:
    wanted = specs(
        {"principal_arn": NODES, "type": "EC2_LINUX"},
        {"principal_arn": PEOPLE, "policies": [{"policy": "AmazonEKSEditPolicy", "namespaces": ["shop"]}]},
        partition="aws-cn",
    )
    plan = present_plan(wanted, {})
    assert shown(plan) == [
        ("create", "AccessEntry", {"type": "EC2_LINUX"}),
        ("create", "AccessEntry", {"type": "STANDARD"}),
        ("create", "AssociatedAccessPolicy", {"type": "namespace", "namespaces": ["shop"]}),
    ]
    assert policy_of(plan.steps[2].name) == (PEOPLE, EDIT.replace("arn:aws:", "arn:aws-cn:"))


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({}, []),
        ({"kubernetes_groups": ["a", "b"]}, []),
        ({"kubernetes_groups": ["a"]}, [("update", "AccessEntry", {"kubernetesGroups": ["a"]})]),
        ({"username": "other"}, [("update", "AccessEntry", {"username": "other"})]),
        ({"policies": [{"policy": ADMIN}]}, []),
        (
            {"policies": [{"policy": ADMIN, "namespaces": ["x"]}]},
            [("update", "AssociatedAccessPolicy", {"type": "namespace", "namespaces": ["x"]})],
        ),
        (
            {"policies": [{"policy": "AmazonEKSEditPolicy"}]},
            [("create", "AssociatedAccessPolicy", {"type": "cluster"}), ("delete", "AssociatedAccessPolicy", None)],
        ),
        ({"policies": []}, [("delete", "AssociatedAccessPolicy", None)]),
        ({"tags": {"a": 1}}, [("update", "AccessEntry tags", {"a": "1"})]),
    ],
)
def test_an_entry_that_is_there_is_changed_where_stated(item: dict[str, Any], expected: list[Any]) -> None:
    assert shown(present_plan(specs({"principal_arn": PEOPLE, **item}), HAVE)) == expected


def test_another_type_is_an_error_that_says_what_follows() -> None:
    with pytest.raises(
        EksopsError, match="has type STANDARD, wanted is EC2_LINUX; nodes with this role cannot join"
    ) as caught:
        present_plan(specs({"principal_arn": PEOPLE, "type": "EC2_LINUX"}), HAVE)
    assert "delete the entry" in str(caught.value.next_step)


def test_others_are_only_purged_when_asked_for() -> None:
    wanted = specs({"principal_arn": NODES, "type": "EC2_LINUX"})
    assert not present_plan(wanted, HAVE).changed
    assert [step.name for step in present_plan(wanted, HAVE, purge=True).steps] == [PEOPLE]
    assert [step.name for step in absent_plan([NODES, "arn:other"], HAVE).steps] == [NODES]


def test_a_cluster_without_access_entries_is_an_error() -> None:
    with pytest.raises(EksopsError, match="CONFIG_MAP"):
        refuse_mode("CONFIG_MAP")
    refuse_mode("API")


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"principal_arn": "arn:aws:sts::111122223333:assumed-role/nodes/me"}, "is a session"),
        ({"principal_arn": NODES, "type": "EC2_LINUX", "kubernetes_groups": ["a"]}, "takes no policies, groups"),
        ({"principal_arn": NODES, "type": "EC2_LINUX", "policies": [{"policy": ADMIN}]}, "takes no policies"),
        ({"principal_arn": NODES, "group": "x"}, "Unknown key 'group'"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(item: dict[str, Any], said: str) -> None:
    with pytest.raises(EksopsError, match=said):
        specs(item)
