"""The page that ends a run: what a person reads in each situation, and never wider than 110 characters."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._fleet.recap import recap
from ansible_collections.eksops.karpenter.plugins.module_utils._fleet.report import Observed, report
from ansible_collections.eksops.karpenter.plugins.module_utils._fleet.table import WIDTH, age, table

from .fleets import NOW, claim, node, node_class, observed, pool, system_node

RUN: dict[str, Any] = {
    "cluster_name": "demo",
    "region": "us-west-2",
    "account_id": "111122223333",
    "kubernetes_version": "1.36",
    "karpenter_version": "1.14.0",
    "results": {
        "karpenter_iam": {"changed": True, "plan": [{"action": "create", "kind": "Stack", "name": "Karpenter-demo"}]},
        "karpenter_install": {"changed": False, "notices": ["Karpenter 1.13.0 is installed"]},
    },
}


def test_a_healthy_cluster() -> None:
    assert recap(report(observed()), RUN) == [
        "Cluster demo (us-west-2, account 111122223333)",
        "  Kubernetes 1.36.3, Karpenter 1.14.0 (2 of 2 replicas ready)",
        "",
        "AMI pins",
        "  CLASS    RELEASE    AGE      ARCH   IMAGE  PIN",
        "  default  v20261106  24 days  amd64  ami-1  pinned",
        "",
        "Node pools",
        "  POOL     CLASS    READY  NODES  CPU              MEMORY            WEIGHT  $/HOUR",
        "  default  default  yes    1      8 of 1000 (0 %)  16 GiB, no limit  0       $0.306",
        "",
        "Nodes",
        "  NODE  TYPE         ZONE        ARCH   CAPACITY   OWNER         STATE  AGE  AMI        $/HOUR",
        "  s1    m5.large     us-west-2a  amd64  on-demand  group system  ready  3h   v20261106  $0.096",
        "  s2    m5.large     us-west-2a  amd64  on-demand  group system  ready  3h   v20261106  $0.096",
        "  n1    c6a.2xlarge  us-west-2b  amd64  on-demand  pool default  ready  3h   v20261106  $0.306",
        "",
        "Cost of the nodes",
        "  $0.498 per hour, $363.54 per month of 730 hours (pools $0.306, other nodes $0.192)",
        "  instances alone, by Karpenter's price estimate",
        "",
        "This run",
        "  karpenter_iam           changed",
        "      create Stack Karpenter-demo",
        "  karpenter_install       as it was",
        "",
        "Notices",
        "  - Karpenter 1.13.0 is installed",
    ]


def test_check_mode_before_there_is_a_cluster() -> None:
    assert recap({}, {**RUN, "check_mode": True}) == [
        "Cluster demo (us-west-2, account 111122223333)",
        "  would be created: Kubernetes 1.36, Karpenter 1.14.0",
        "",
        "This run",
        "  karpenter_iam           would change",
        "      create Stack Karpenter-demo",
        "  karpenter_install       as it was",
        "",
        "Notices",
        "  - Karpenter 1.13.0 is installed",
        "",
        "Next steps",
        "  - Nothing was written. Run it again without --check to do this.",
    ]


def test_nothing_at_all() -> None:
    assert recap(None) == ["Cluster ?", "  there is no such cluster"]


def test_a_cluster_without_pools_is_told_what_is_missing() -> None:
    lines = recap(report(observed(pools=[], classes=[], nodes=[])), {"cluster_name": "demo"})
    assert lines[lines.index("Node pools") + 1] == "  none"
    assert any("Make a node pool" in line for line in lines)


def test_a_cluster_without_karpenter() -> None:
    lines = recap(report(Observed(NOW, "v1.36.3")), {"cluster_name": "demo"})
    assert lines[1] == "  Kubernetes 1.36.3, no Karpenter"


def test_prices_that_are_not_known_are_question_marks() -> None:
    lines = recap(report(observed(metrics=None)), RUN)
    assert "  unknown: the controller tells no prices yet" in lines
    assert any(line.endswith("?") for line in lines if line.startswith("  n1"))


def test_steps_that_are_given_are_told() -> None:
    assert recap({}, {"next_steps": ["Look at the log."]})[-1] == "  - Look at the log."


def huge() -> Observed:
    """Names as long as Kubernetes allows, and more nodes than anybody reads."""
    long = "a-very-long-name-of-a-pool-that-somebody-has-thought-of-one-day"
    nodes = [node(f"ip-10-200-{one}-254.us-gov-west-1.compute.internal", "u7in-32tb.224xlarge") for one in range(60)]
    return observed(
        nodes=[*nodes, system_node("s1")],
        pools=[pool(long, limits={"cpu": "100000", "memory": "400000Gi"}), pool()],
        classes=[node_class(long), node_class()],
        claims=[claim(long, None)],
    )


@pytest.mark.parametrize("seen", [observed(), huge(), observed(pools=[]), Observed(NOW, "v1.36.3")])
@pytest.mark.parametrize("run", [{}, RUN, {**RUN, "check_mode": True, "next_steps": ["word " * 60, "x" * 300]}])
def test_no_line_is_too_wide(seen: Observed, run: dict[str, Any]) -> None:
    for fleet in (report(seen), {}):
        lines = recap(fleet, run)
        assert max(map(len, lines)) <= WIDTH
        assert all(line == line.rstrip() for line in lines)


def test_a_scale_test_is_told_with_its_figures_and_a_role_that_did_not_run_is_not() -> None:
    result = {"passed": True, "changed": False, "summary": ["Scale test of 5 pods passed", "- 0 -> 5: 41.2 s"]}
    lines = recap({}, {"results": {"karpenter_scale_test": result, "eks_network": {}}})
    assert lines[-3:] == ["This run", "  karpenter_scale_test    passed", "      - 0 -> 5: 41.2 s"]
    failed = recap({}, {"results": {"karpenter_scale_test": {**result, "passed": False}}})
    assert "  karpenter_scale_test    did not pass" in failed


def test_next_steps_of_a_cluster_are_not_told_before_there_is_one() -> None:
    steps = ["Look around with kubectl."]
    assert recap({}, {**RUN, "next_steps": steps, "check_mode": True})[-1].startswith("  - Nothing was written")
    assert recap({}, {"next_steps": steps, "check_mode": True, "results": {}})[-1] == "  - Look around with kubectl."


def test_more_nodes_than_anybody_reads_are_counted() -> None:
    assert any("and 31 more" in line for line in recap(report(huge()), RUN))


def test_columns_are_aligned_and_the_widest_is_cut() -> None:
    lines = table(("A", "B"), [("x" * 50, "1"), ("y", "22")], width=30)
    assert {line.index(mark) for line, mark in zip(lines, ("B", "1", "22"), strict=True)} == {28}
    assert "…" in lines[1]


@pytest.mark.parametrize(
    ("seconds", "told"), [(0, "0s"), (59, "59s"), (60, "1m"), (7199, "1h"), (86400 * 3, "3d"), (None, "?")]
)
def test_ages(seconds: int | None, told: str) -> None:
    assert age(seconds) == told


def test_what_was_put_back_is_told() -> None:
    drift = [{"logical_id": "PrivateSubnet1", "aspect": "Tags"}]
    results = {"eks_network": {"changed": True, "differences": [], "drift": drift}, "eks_cluster": {"drift": drift}}
    lines = recap(report(observed()), {**RUN, "results": results})
    assert [line.strip() for line in lines].count("put back Tags of PrivateSubnet1") == 1
