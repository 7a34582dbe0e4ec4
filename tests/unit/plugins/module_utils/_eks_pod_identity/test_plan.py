"""Which writes lead to the wanted associations, as tables."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_pod_identity.model import (
    Association,
    AssociationSpec,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_pod_identity.plan import absent_plan, present_plan

KARPENTER = {"namespace": "kube-system", "service_account": "karpenter"}
RAW = {"namespace": "kube-system", "serviceAccount": "karpenter", "associationId": "a-1", "roleArn": "arn:r"}
HAVE = {("kube-system", "karpenter"): Association.from_api(RAW)}
OWNED = {("kube-system", "ebs"): Association.from_api({**RAW, "serviceAccount": "ebs", "ownerArn": "arn:addon"})}


def shown(plan: Any) -> list[tuple[str, str, Any]]:
    return [(step.action, step.name, step.after) for step in plan.steps]


@pytest.mark.parametrize(
    ("item", "have", "expected"),
    [
        ({"role_arn": "arn:r"}, {}, [("create", "kube-system/karpenter", {"roleArn": "arn:r"})]),
        ({"role_arn": "arn:r"}, HAVE, []),
        ({}, HAVE, []),
        ({"role_arn": "arn:s"}, HAVE, [("update", "kube-system/karpenter", {"roleArn": "arn:s"})]),
        ({"disable_session_tags": False}, HAVE, []),
        ({"disable_session_tags": True}, HAVE, [("update", "kube-system/karpenter", {"disableSessionTags": True})]),
        ({"tags": {"a": "b"}}, HAVE, [("update", "kube-system/karpenter", {"a": "b"})]),
    ],
)
def test_an_association_is_known_by_namespace_and_service_account(
    item: dict[str, Any], have: Any, expected: Any
) -> None:
    assert shown(present_plan(AssociationSpec.many([{**KARPENTER, **item}]), have)) == expected


def test_a_creation_needs_a_role() -> None:
    with pytest.raises(EksopsError, match="creating it needs role_arn"):
        present_plan(AssociationSpec.many([KARPENTER]), {})


def test_an_association_of_an_addon_is_neither_changed_nor_purged() -> None:
    with pytest.raises(EksopsError, match="belongs to arn:addon"):
        present_plan(AssociationSpec.many([{**KARPENTER, "service_account": "ebs", "role_arn": "arn:x"}]), OWNED)
    assert shown(present_plan((), {**HAVE, **OWNED}, purge=True)) == [("delete", "kube-system/karpenter", None)]


def test_absent_takes_away_what_is_there() -> None:
    assert len(absent_plan([("kube-system", "karpenter"), ("a", "b")], HAVE).steps) == 1


def test_one_service_account_twice_is_refused() -> None:
    with pytest.raises(EksopsError, match="kube-system/karpenter is named twice"):
        AssociationSpec.many([KARPENTER, KARPENTER])
