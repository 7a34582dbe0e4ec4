"""eks_access_entries against the EKS API: what a later read says."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_access_entries.api import AccessEntryApi
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_access_entries.run import AccessEntriesRun

from .conftest import Twin


def run(
    twin: Twin, entries: list[dict[str, Any]], state: str = "present", *, purge: bool = False, check_mode: bool = False
) -> Any:
    api = AccessEntryApi(twin.client("eks"), "shop")
    return AccessEntriesRun(entries, api, "aws").run(state, purge=purge, check_mode=check_mode)


def described(twin: Twin) -> dict[str, Any]:
    eks = twin.boto("eks")
    found = {}
    for arn in eks.list_access_entries(clusterName="shop")["accessEntries"]:
        entry = eks.describe_access_entry(clusterName="shop", principalArn=arn)["accessEntry"]
        policies = eks.list_associated_access_policies(clusterName="shop", principalArn=arn)["associatedAccessPolicies"]
        names = {one["policyArn"].rpartition("/")[2]: one["accessScope"] for one in policies}
        found[arn] = {"type": entry["type"], "groups": entry["kubernetesGroups"], "policies": names}
    return found


@pytest.fixture
def creator(twin: Twin) -> str:
    """The cluster's creator, who has an entry from the beginning."""
    twin.cluster("shop")
    (arn,) = described(twin)
    return arn


def test_entries_live_from_nothing_to_nothing(twin: Twin, creator: str) -> None:
    nodes, people = twin.role("nodes", "ec2.amazonaws.com"), twin.role("people", "ec2.amazonaws.com")
    wanted: list[dict[str, Any]] = [
        {"principal_arn": nodes, "type": "EC2_LINUX"},
        {"principal_arn": people, "policies": [{"policy": "AmazonEKSEditPolicy", "namespaces": ["shop"]}]},
    ]
    predicted = run(twin, wanted, check_mode=True)
    assert list(described(twin)) == [creator]
    made = run(twin, wanted)
    found = described(twin)
    assert found[nodes]["type"] == "EC2_LINUX"
    assert found[people]["policies"] == {"AmazonEKSEditPolicy": {"type": "namespace", "namespaces": ["shop"]}}
    assert made["plan"] == predicted["plan"]
    assert [one.keys() for one in made["access_entries"]] == [one.keys() for one in predicted["access_entries"]]
    for check_mode in (False, True):
        assert run(twin, wanted, check_mode=check_mode)["changed"] is False

    assert run(twin, wanted, "absent")["changed"] is True
    assert list(described(twin)) == [creator]
    assert run(twin, wanted, "absent")["changed"] is False


def test_stated_policies_are_all_that_is_left(twin: Twin, creator: str) -> None:
    people = twin.role("people", "ec2.amazonaws.com")
    run(twin, [{"principal_arn": people, "policies": [{"policy": "AmazonEKSEditPolicy"}]}])
    changed = {"principal_arn": people, "policies": [{"policy": "AmazonEKSViewPolicy"}], "kubernetes_groups": ["a"]}
    run(twin, [changed])
    scope = {"type": "cluster", "namespaces": []}
    assert described(twin)[people] == {"type": "STANDARD", "groups": ["a"], "policies": {"AmazonEKSViewPolicy": scope}}
    run(twin, [{**changed, "policies": [{"policy": "AmazonEKSViewPolicy", "namespaces": ["shop"]}]}])
    assert described(twin)[people]["policies"]["AmazonEKSViewPolicy"]["namespaces"] == ["shop"]


def test_a_wrong_type_is_an_error_that_changes_nothing(twin: Twin, creator: str) -> None:
    nodes = twin.role("nodes", "ec2.amazonaws.com")
    run(twin, [{"principal_arn": nodes}])
    with pytest.raises(EksopsError, match="has type STANDARD, wanted is EC2_LINUX"):
        run(twin, [{"principal_arn": nodes, "type": "EC2_LINUX"}])
    assert described(twin)[nodes]["type"] == "STANDARD"


def test_an_unknown_role_is_one_error(twin: Twin, creator: str) -> None:
    arn = f"arn:aws:iam::{twin.account.account_id}:role/nobody"
    with pytest.raises(EksopsError, match="eks:CreateAccessEntry"):
        run(twin, [{"principal_arn": arn, "type": "EC2_LINUX"}])


def test_without_a_cluster_only_check_mode_says_what_would_be(twin: Twin) -> None:
    entry = {"principal_arn": f"arn:aws:iam::{twin.account.account_id}:role/nodes", "type": "EC2_LINUX"}
    assert run(twin, [entry], check_mode=True)["changed"] is True
    with pytest.raises(EksopsError, match="There is no EKS cluster shop"):
        run(twin, [entry])
