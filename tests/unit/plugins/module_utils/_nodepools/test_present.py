"""Pools and classes come into the wanted state, and every reason why not is told."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError, EksopsTimeoutError
from ansible_collections.eksops.karpenter.plugins.module_utils._core.progress import Progress
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.build import node_class, node_pool
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.model import Request
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.run import run

from .cluster import Account, Cluster
from .samples import CLASS_OPTIONS, POOL_OPTIONS, claim, condition, live, params

CLASS = live(node_class(CLASS_OPTIONS))
POOL = live(node_pool(POOL_OPTIONS))
OURS = [{"manager": "eksops-nodepool", "operation": "Apply", "fieldsV1": {}}]


def _run(cluster: Cluster | None, *, check_mode: bool = False, **changes: Any) -> dict[str, Any]:
    request = Request.from_params(params(**changes))
    api: Any = cluster
    account: Any = Account()
    return run(request, api, lambda: account, Progress(), state="present", check_mode=check_mode)


def test_a_new_cluster_gets_class_then_pool_and_a_second_run_writes_nothing() -> None:
    cluster = Cluster()
    predicted = _run(cluster, check_mode=True)
    assert cluster.writes == []
    first = _run(cluster)
    assert cluster.writes == ["apply EC2NodeClass default", "apply NodePool default"]
    assert first["plan"] == predicted["plan"]
    assert first["ready"]
    second = _run(cluster)
    assert not second["changed"]
    assert len(cluster.writes) == 2
    assert set(first) == set(predicted) == set(second)


def test_without_a_cluster_everything_is_to_be_created() -> None:
    result = _run(None, check_mode=True)
    assert [step["action"] + " " + step["kind"] for step in result["plan"]] == [
        "create EC2NodeClass",
        "create NodePool",
    ]
    assert [pool["name"] for pool in result["node_pools"]] == ["default"]
    assert not result["ready"]
    with pytest.raises(EksopsError, match="no cluster to write to"):
        _run(None)


def test_before_karpenter_is_installed_the_schemas_defaults_are_predicted() -> None:
    result = _run(Cluster(installed=False), check_mode=True)
    assert result["plan"][1]["after"]["spec"]["disruption"]["budgets"] == [{"nodes": "10%"}]


def test_a_wrong_input_writes_nothing() -> None:
    cluster = Cluster()
    with pytest.raises(EksopsError, match="weight: 101"):
        _run(cluster, node_pools=[POOL_OPTIONS | {"weight": 101}])
    assert cluster.writes == []


def test_fields_of_other_managers_are_one_error_and_can_be_taken_over() -> None:
    cluster = Cluster(CLASS, POOL)
    cluster.conflicts = {"default": [{"field": ".spec.limits.cpu", "message": 'conflict with "argocd" using v1'}]}
    with pytest.raises(EksopsError, match=r"limits.cpu is managed by argocd.*force_conflicts"):
        _run(cluster)
    assert not _run(cluster, force_conflicts=True)["changed"]


def test_another_pin_is_a_notice_and_the_rest_is_written() -> None:
    cluster = Cluster(CLASS, POOL)
    rotated = CLASS_OPTIONS | {"ami_release": "v1", "ami_selector_terms": [{"id": "ami-b"}]}
    assert not _run(cluster, node_classes=[rotated])["changed"]
    result = _run(cluster, node_classes=[rotated | {"detailed_monitoring": True}])
    assert result["changed"]
    assert "rotate_amis.yml" in result["notices"][0]
    spec = cluster.objects["EC2NodeClass"]["default"]["spec"]
    assert spec["amiSelectorTerms"] == CLASS["spec"]["amiSelectorTerms"]
    assert spec["detailedMonitoring"] is True


def test_a_pool_that_allows_more_than_the_kept_images_is_an_error() -> None:
    item = live(node_class(CLASS_OPTIONS))
    arm = {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}
    item["status"]["amis"] = [{"id": "ami-a", "requirements": [{**arm, "values": ["amd64"]}]}]
    offered = CLASS_OPTIONS | {"ami_architectures": ["arm64"]}
    with pytest.raises(EksopsError, match="allows arm64"):
        _run(Cluster(item), node_classes=[offered], node_pools=[POOL_OPTIONS | {"requirements": [arm]}])


def test_unpinned_classes_are_reported_and_nothing_is_written() -> None:
    cluster = Cluster()
    unpinned = [CLASS_OPTIONS | {"ami_selector_terms": None}]
    result = _run(cluster, node_classes=unpinned, unpinned_action="report")
    assert result["unpinned"] == ["default"]
    assert not result["changed"]
    assert cluster.writes == []
    with pytest.raises(EksopsError, match="ami_selector_terms is missing"):
        _run(cluster, node_classes=unpinned)
    assert _run(Cluster(CLASS, POOL), node_classes=unpinned, unpinned_action="report")["unpinned"] == []


def test_what_does_not_become_ready_says_why() -> None:
    broken = live(
        node_class(CLASS_OPTIONS), condition("Ready", "False"), condition("SubnetsReady", "False", "SubnetsNotFound")
    )
    with pytest.raises(EksopsTimeoutError, match="node class default: SubnetsReady is False"):
        _run(Cluster(broken, POOL))
    assert not _run(Cluster(broken, POOL), wait=False)["ready"]


def test_what_somebody_writes_back_at_once_is_told() -> None:
    cluster = Cluster(CLASS)
    cluster.drifting = True
    with pytest.raises(EksopsError, match="a later reading differs again: NodePool default"):
        _run(cluster)


def test_a_purge_deletes_what_was_ours_with_its_claims() -> None:
    old = live(node_pool(POOL_OPTIONS | {"name": "old"}), managedFields=OURS)
    foreign = live(node_pool(POOL_OPTIONS | {"name": "foreign"}))
    cluster = Cluster(CLASS, POOL, old, foreign, claim("old-a", "old", finalizers=["karpenter.sh/termination"]))
    assert not _run(cluster)["changed"]
    result = _run(cluster, purge=True)
    assert [step["name"] for step in result["plan"]] == ["old", "old-a"]
    assert sorted(cluster.objects["NodePool"]) == ["default", "foreign"]
    assert cluster.objects["NodeClaim"] == {}
