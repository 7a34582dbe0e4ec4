"""What makes a test impossible is told before the first write."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test import plan
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.model import Spec, deployment, namespace
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.plan import Found, NotYetError

TAINT = {"key": "team", "value": "batch", "effect": "NoSchedule"}


def pool(name: str = "default", *, ready: bool = True, after: str = "1m", **changes: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "spec": {
            "limits": changes.get("limits", {}),
            "disruption": {"consolidateAfter": after},
            "template": {"spec": {"taints": changes.get("taints", [])}},
        },
        "status": {
            "resources": changes.get("usage", {}),
            "conditions": [{"type": "Ready", "status": str(ready), "message": "class is not ready"}],
        },
    }


def found(*pools: dict[str, Any], **changes: Any) -> Found:
    return Found(**{"pools": pools, "leader": "karpenter-a", "former": None, **changes})


@pytest.mark.parametrize(
    ("spec", "seen", "said"),
    [
        (Spec(), found(pools=None), "Karpenter is not installed"),
        (Spec(), found(pool(), leader=None), "No controller of Karpenter leads"),
        (Spec(), found(), "There is no NodePool"),
        (Spec(node_pool="batch"), found(pool()), "There is no NodePool batch"),
        (Spec(), found(pool(ready=False)), "default: it is not Ready (class is not ready)"),
        (Spec(), found(pool(taints=[TAINT])), "default: it has taints (team)"),
        (Spec(), found(pool(limits={"cpu": "4"})), "default has 4 of 4 left"),
        (Spec(replicas=9), found(pool(limits={"cpu": "10"}, usage={"cpu": "1500m"})), "default has 8.5 of 10 left"),
        (Spec(), found(pool(after="Never")), "consolidateAfter is Never"),
        (Spec(), found(pool(), former={"metadata": {"labels": {}}}), "no scale test made it"),
    ],
)
def test_impossible_tests_are_refused(spec: Spec, seen: Found, said: str) -> None:
    with pytest.raises(EksopsError) as caught:
        plan.check(spec, seen)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "seen"),
    [
        (Spec(), found(pool())),
        (Spec(), found(pool("a", ready=False), pool("b"))),
        (Spec(), found(pool(limits={"cpu": "5"}))),
        (Spec(replicas=8), found(pool("a", limits={"cpu": "4"}), pool("b", limits={"cpu": "4"}))),
        (Spec(replicas=800), found(pool("a", limits={"cpu": "4"}), pool("b"))),
        (Spec(wait_for_removal=False), found(pool(after="Never"))),
        (Spec(), found(pool("a", after="Never"), pool("b"))),
        (Spec(), found(pool(), former=namespace("dead", 0))),
    ],
)
def test_possible_tests_are_not(spec: Spec, seen: Found) -> None:
    assert plan.check(spec, seen) == ()


def test_taints_of_a_named_pool_are_tolerated() -> None:
    spec = Spec(node_pool="batch")
    taints = plan.check(spec, found(pool("batch", taints=[TAINT])))
    pod = deployment(spec, taints)["spec"]["template"]["spec"]
    assert pod["tolerations"] == [{"key": "team", "operator": "Equal", "value": "batch", "effect": "NoSchedule"}]
    assert pod["nodeSelector"] == {"karpenter.sh/nodepool": "batch"}


def test_pods_land_on_nodes_of_karpenter_alone() -> None:
    pod = deployment(Spec())["spec"]["template"]["spec"]
    terms = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert terms == [{"matchExpressions": [{"key": "karpenter.sh/nodepool", "operator": "Exists"}]}]
    assert "nodeSelector" not in pod
    assert pod["containers"][0]["resources"] == {"requests": {"cpu": "1"}}


def test_only_what_is_missing_may_come_with_the_same_run() -> None:
    """Check mode tells the first and goes on; the second is an error there too."""
    with pytest.raises(NotYetError):
        plan.check(Spec(), found())
    with pytest.raises(EksopsError) as caught:
        plan.check(Spec(), found(pool(ready=False)))
    assert not isinstance(caught.value, NotYetError)


def test_the_removal_of_leftovers_is_the_only_lasting_change() -> None:
    assert not plan.lasting(found(pool())).changed
    steps = plan.lasting(found(pool(), former=namespace("vm/1", 0))).as_dicts()
    assert [(step["action"], step["kind"], step["name"]) for step in steps] == [
        ("delete", "Namespace", "eksops-scale-test")
    ]


@pytest.mark.parametrize(("age", "expected"), [(0, True), (19, True), (21, False)])
def test_a_run_lives_as_long_as_it_renews_its_mark(age: float, expected: bool) -> None:
    assert plan.alive(namespace("vm/1", 1000), 1000 + age) is expected


def test_a_mark_that_cannot_be_read_is_a_dead_one() -> None:
    broken = namespace("vm/1", 0)
    broken["metadata"]["annotations"]["eksops.io/scale-test-renewed"] = "yesterday"
    assert not plan.alive(broken, 0)
    assert not plan.alive(None, 0)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"replicas": 0}, "replicas is 0"),
        ({"cpu": "lots"}, "cpu is 'lots'"),
        ({"cpu": "0"}, "cpu is '0'"),
        ({"memory": "2GiB"}, "memory is '2GiB'"),
        ({"timeout_seconds": -1}, "timeout_seconds is -1"),
        ({"metrics_interval_seconds": 0}, "metrics_interval_seconds is 0"),
        ({"stability_seconds": -1}, "from 0 to removal_timeout_seconds"),
        ({"stability_seconds": 61, "removal_timeout_seconds": 60}, "removal_timeout_seconds, which is 60"),
        ({"thresholds": {"speed": 1}}, "There is no threshold 'speed'"),
        ({"thresholds": {"nodes": "few"}}, "nodes is 'few'"),
    ],
)
def test_bad_options_are_one_error(params: dict[str, Any], said: str) -> None:
    with pytest.raises(EksopsError) as caught:
        Spec.from_params(params)
    assert said in str(caught.value)


def test_options_that_are_not_given_are_the_tutorials() -> None:
    spec = Spec.from_params({"node_pool": None, "thresholds": {"nodes": "2"}})
    assert (spec.replicas, spec.cpu, spec.thresholds) == (5, "1", {"nodes": 2.0})


def test_steps_say_where_and_how_much() -> None:
    steps = plan.passing(Spec(replicas=3, memory="2Gi", node_pool="batch", wait_for_removal=False))
    assert "node pool batch" in steps[0]
    assert "3 replicas of 1 CPU and 2Gi memory" in steps[1]
    assert "leave the nodes to Karpenter" in steps[2]
    assert "has rested for 180 seconds" in plan.passing(Spec())[2]
    assert "leave the nodes to Karpenter" in steps[2]
