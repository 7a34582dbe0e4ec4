"""Everything goes, with a controller and without; and nothing goes that should not."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError, EksopsTimeoutError
from ansible_collections.eksops.karpenter.plugins.module_utils._core.progress import Progress
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools import absent
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.absent import ControllerGoneError
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.build import node_class, node_pool
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.model import Request
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.run import run

from .cluster import Account, Cluster
from .samples import CLASS_OPTIONS, POOL_OPTIONS, claim, live, params

HOLD = "karpenter.sh/termination"
DEAD = "it has no leader and no pod that is ready"
HELD = {"node-default-a": ["pod shop/web is held by PodDisruptionBudget web, which allows no disruption now"]}


def _cluster() -> Cluster:
    return Cluster(
        live(node_class(CLASS_OPTIONS), finalizers=["karpenter.k8s.aws/termination"]),
        live(node_pool(POOL_OPTIONS)),
        claim("default-a", instance="i-1", finalizers=[HOLD]),
        {
            "kind": "Node",
            "metadata": {"name": "node-default-a", "finalizers": [HOLD]},
            "spec": {"providerID": "aws:///us-west-2a/i-1"},
        },
    )


def _run(cluster: Cluster | None, account: Account | None = None, *, check_mode: bool = False, **changes: Any) -> Any:
    names: dict[str, Any] = {"node_classes": [], "node_pools": [], "all": True}
    request = Request.from_params(params(**(names | changes)))
    api: Any = cluster
    cloud: Any = account or Account()
    return run(request, api, lambda: cloud, Progress(), state="absent", check_mode=check_mode)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(absent, "PATIENCE_SECONDS", -1.0)


def test_pools_claims_and_classes_go_in_order_and_a_second_run_changes_nothing() -> None:
    cluster = _cluster()
    predicted = _run(cluster, check_mode=True)
    assert cluster.writes == []
    assert not predicted["exists"]
    result = _run(cluster)
    assert cluster.writes == ["delete NodePool default", "delete NodeClaim default-a", "delete EC2NodeClass default"]
    assert result["plan"] == predicted["plan"]
    assert not result["exists"]
    assert not _run(cluster)["changed"]


@pytest.mark.parametrize("cluster", [None, Cluster(installed=False), Cluster()])
def test_where_there_is_nothing_nothing_is_done(cluster: Cluster | None) -> None:
    result = _run(cluster)
    assert not result["changed"]
    assert not result["exists"]


def test_only_what_is_named_goes() -> None:
    cluster = _cluster()
    with pytest.raises(EksopsError, match="node class default is used by node pool default"):
        _run(cluster, all=False, node_classes=[{"name": "default"}])
    assert cluster.writes == []
    _run(cluster, all=False, node_pools=[{"name": "default"}])
    assert list(cluster.objects["EC2NodeClass"]) == ["default"]
    assert cluster.objects["NodePool"] == {}


def test_a_held_node_names_pod_and_budget() -> None:
    cluster = _cluster()
    cluster.blocked_nodes = HELD
    with pytest.raises(EksopsTimeoutError, match=r"pod shop/web is held by PodDisruptionBudget web.*force"):
        _run(cluster)
    assert list(cluster.objects["NodeClaim"]) == ["default-a"]


def test_force_lets_pods_go_after_the_drain_took_too_long_and_says_so() -> None:
    cluster = _cluster()
    cluster.blocked_nodes = HELD
    result = _run(cluster, force=True)
    assert "end grace default-a" in cluster.writes
    assert not result["exists"]
    assert "pod shop/web" in result["notices"][0]


def test_force_does_nothing_to_a_drain_that_ends_in_time() -> None:
    cluster = _cluster()
    assert _run(cluster, force=True)["notices"] == []
    assert "end grace default-a" not in cluster.writes


def test_without_waiting_everything_is_asked_for_at_once() -> None:
    cluster = _cluster()
    cluster.blocked_nodes = HELD
    assert _run(cluster, wait=False)["exists"]
    assert cluster.writes[-1] == "delete EC2NodeClass default"


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_dead_controller_is_an_error_before_the_first_write(check_mode: bool) -> None:
    cluster = _cluster()
    cluster.absence = DEAD
    with pytest.raises(ControllerGoneError, match=r"no leader.*controller_absent_action"):
        _run(cluster, check_mode=check_mode)
    assert cluster.writes == []


def test_without_finalizers_no_controller_is_needed() -> None:
    cluster = Cluster(live(node_class(CLASS_OPTIONS)), live(node_pool(POOL_OPTIONS)))
    cluster.absence = DEAD
    assert not _run(cluster)["exists"]


def test_a_rescue_ends_instances_before_it_lets_objects_go() -> None:
    cluster, account = _cluster(), Account("i-1", "i-lost")
    cluster.absence = DEAD
    predicted = _run(cluster, account, controller_absent_action="rescue", check_mode=True)
    assert account.states["i-1"] == "running"
    result = _run(cluster, account, controller_absent_action="rescue")
    assert result["plan"] == predicted["plan"]
    assert set(account.states.values()) == {"terminated"}
    assert account.template_names == {}
    assert account.profile_names == []
    assert not any(cluster.objects.values())
    assert result["rescued"]["instances"] == ["i-1", "i-lost"]
    assert result["rescued"]["nodes"] == ["node-default-a"]
    assert set(result["rescued"]["finalizers"]) == {
        "Node/node-default-a",
        "NodeClaim/default-a",
        "EC2NodeClass/default",
    }
    assert "controller was not at work" in result["notices"][0]


def test_an_instance_without_the_clusters_tags_is_not_touched() -> None:
    cluster, account = _cluster(), Account(foreign=["i-1"])
    cluster.absence = DEAD
    with pytest.raises(EksopsError, match="Instance i-1 of NodeClaim default-a has no tag"):
        _run(cluster, account, controller_absent_action="rescue")
    assert account.states == {"i-1": "running"}
    assert cluster.writes == []


def test_a_rescue_needs_the_clusters_name() -> None:
    cluster = _cluster()
    cluster.absence = DEAD
    with pytest.raises(EksopsError, match="needs the name of the cluster"):
        _run(cluster, controller_absent_action="rescue", cluster_name=None)


@pytest.mark.parametrize("action", ["fail", "rescue"])
def test_a_controller_that_dies_during_the_drain_is_noticed(monkeypatch: pytest.MonkeyPatch, action: str) -> None:
    cluster, account = _cluster(), Account("i-1")
    cluster.blocked_nodes = HELD
    answers = iter([None])  # alive when the run begins, dead from then on
    monkeypatch.setattr(cluster, "controller_absence", lambda: next(answers, DEAD))
    if action == "fail":
        with pytest.raises(ControllerGoneError):
            _run(cluster, account)
        assert account.states["i-1"] == "running"
    else:
        assert not _run(cluster, account, controller_absent_action="rescue")["exists"]
        assert account.states["i-1"] == "terminated"
