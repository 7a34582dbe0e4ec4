"""eks_pod_identity_associations against the EKS API: what a later read says."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_pod_identity.api import AssociationApi
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_pod_identity.model import AssociationSpec
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_pod_identity.run import AssociationsRun

from .conftest import Twin

KARPENTER = {"namespace": "kube-system", "service_account": "karpenter"}


def run(
    twin: Twin, items: list[dict[str, Any]], state: str = "present", *, purge: bool = False, check_mode: bool = False
) -> Any:
    specs = AssociationSpec.many(items)
    return AssociationsRun(specs, AssociationApi(twin.client("eks"), "shop")).run(
        state, purge=purge, check_mode=check_mode
    )


def described(twin: Twin) -> dict[str, str]:
    eks = twin.boto("eks")
    rows = eks.list_pod_identity_associations(clusterName="shop")["associations"]
    found = (
        eks.describe_pod_identity_association(clusterName="shop", associationId=row["associationId"])["association"]
        for row in rows
    )
    return {f"{one['namespace']}/{one['serviceAccount']}": one["roleArn"] for one in found}


@pytest.fixture
def cluster(twin: Twin) -> str:
    return twin.cluster("shop")


def test_an_association_lives_from_nothing_to_nothing(twin: Twin, cluster: str) -> None:
    first, second = (twin.role(name, "pods.eks.amazonaws.com") for name in ("first", "second"))
    wanted = [{**KARPENTER, "role_arn": first}]
    predicted = run(twin, wanted, check_mode=True)
    assert described(twin) == {}
    made = run(twin, wanted)
    assert described(twin) == {"kube-system/karpenter": first}
    assert made["plan"] == predicted["plan"]
    assert made["associations"][0].keys() == predicted["associations"][0].keys()
    for check_mode in (False, True):
        assert run(twin, wanted, check_mode=check_mode)["changed"] is False

    other = [{**KARPENTER, "role_arn": second, "tags": {"a": "b"}}]
    changed = run(twin, other)
    assert described(twin) == {"kube-system/karpenter": second}
    assert changed["associations"][0]["tags"] == {"a": "b"}
    assert run(twin, other)["changed"] is False

    assert run(twin, [KARPENTER], "absent")["changed"] is True
    assert described(twin) == {}
    assert run(twin, [KARPENTER], "absent")["changed"] is False


def test_others_stay_unless_purged(twin: Twin, cluster: str) -> None:
    role = twin.role("first", "pods.eks.amazonaws.com")
    run(twin, [{**KARPENTER, "role_arn": role}, {**KARPENTER, "namespace": "other", "role_arn": role}])
    assert run(twin, [{**KARPENTER, "role_arn": role}])["changed"] is False
    run(twin, [{**KARPENTER, "role_arn": role}], purge=True)
    assert list(described(twin)) == ["kube-system/karpenter"]


def test_without_a_cluster_only_check_mode_says_what_would_be(twin: Twin) -> None:
    wanted = [{**KARPENTER, "role_arn": f"arn:aws:iam::{twin.account.account_id}:role/r"}]
    assert run(twin, wanted, check_mode=True)["changed"] is True
    with pytest.raises(EksopsError, match="There is no EKS cluster shop"):
        run(twin, wanted)
