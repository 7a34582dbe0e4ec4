"""Two hosts for one cluster, and variables that nobody reads."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._preflight.inventory import (
    duplicate_findings,
    variable_findings,
)

SPECS = {
    "eks_cluster": ["eks_cluster_name", "eks_cluster_state"],
    "karpenter_iam": ["karpenter_iam_cluster_name", "karpenter_iam_management"],
    "karpenter_iam_audit": ["karpenter_iam_audit_depth"],
}


def host(name: str, **given: Any) -> dict[str, Any]:
    return {"host": name, "cluster_name": "demo", "region": "us-west-2", "account": None, "profile": None, **given}


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (host("b"), True),
        (host("b", cluster_name="shop"), False),
        (host("b", region="eu-west-1"), False),
        (host("b", profile="elsewhere"), False),
    ],
)
def test_hosts_without_an_expected_account(other: dict[str, Any], same: bool) -> None:
    assert bool(duplicate_findings("a", [host("a"), other])) is same


@pytest.mark.parametrize(("account", "same"), [("1", True), ("2", False)])
def test_hosts_with_an_expected_account(account: str, same: bool) -> None:
    # The profiles differ, but the account decides.
    hosts = [host("a", account="1", profile="x"), host("b", account=account, profile="y")]
    assert bool(duplicate_findings("a", hosts)) is same


def test_the_finding_names_all_hosts_and_the_remedy() -> None:
    (finding,) = duplicate_findings("b", [host("a", account="1"), host("b", account="1"), host("c", account="1")])
    assert "Hosts a, b, c are all cluster demo in us-west-2 of account 1" in finding.what
    assert finding.severity == "error"
    assert finding.where
    assert finding.next_step


def test_a_host_that_is_not_listed_has_no_double() -> None:
    assert duplicate_findings("z", [host("a"), host("b")]) == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("eks_cluster_nme", "did you mean eks_cluster_name"),
        ("karpenter_iam_managment", "did you mean karpenter_iam_management"),
        ("karpenter_iam_audit_dept", "did you mean karpenter_iam_audit_depth"),
        ("eks_cluster_qqqqqqqqqq", "take it out"),
        ("eksops_kuberntes_version", "did you mean eksops_kubernetes_version"),
        ("eksops_tag", "did you mean eksops_tags"),
    ],
)
def test_unknown_variables(name: str, hint: str) -> None:
    (finding,) = variable_findings([name], SPECS, [])
    assert name in finding.what
    assert hint in str(finding.next_step)
    assert finding.severity == "error"


@pytest.mark.parametrize(
    "name",
    [
        "eks_cluster_name",
        "eks_cluster_result",
        "__eks_cluster_read",
        "eks_clusters",
        "ansible_connection",
        "my_eks_cluster_name",
        "eksops_region",
        "eksops_deployment_environment",
        "eksops_scale_test",
        "eksops_something_of_my_own",
    ],
)
def test_other_variables_are_left_alone(name: str) -> None:
    assert variable_findings([name], SPECS, ["eksops_scale_test"]) == []
