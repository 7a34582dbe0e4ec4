"""eks_nodegroup against the EKS API: what a later read says, and what runs in EC2."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._core.progress import Progress
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_nodegroup.api import NodegroupApi
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_nodegroup.model import NodegroupSpec
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_nodegroup.run import NodegroupRun

from .conftest import Twin


def run(twin: Twin, state: str = "present", *, check_mode: bool = False, wait: bool = True, **options: Any) -> Any:
    spec = NodegroupSpec.from_params({"cluster_name": "shop", "name": "system", **options})
    waits = twin.wait() if wait else None
    return NodegroupRun(spec, NodegroupApi(twin.client("eks"), "shop"), waits, Progress()).run(
        state, check_mode=check_mode
    )


@pytest.fixture
def options(twin: Twin) -> dict[str, Any]:
    policies = ("AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryPullOnly")
    return {
        "node_role_arn": twin.role("nodes", "ec2.amazonaws.com", *policies),
        "subnet_ids": twin.subnets()[:2],
        "instance_types": ["m5.large"],
        "min_size": 1,
        "desired_size": 2,
        "max_size": 10,
        "labels": {"role": "system"},
    }


@pytest.fixture
def cluster(twin: Twin) -> str:
    return twin.cluster("shop")


def described(twin: Twin) -> Any:
    return twin.boto("eks").describe_nodegroup(clusterName="shop", nodegroupName="system")["nodegroup"]


def instances(twin: Twin) -> list[Any]:
    running = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    found = twin.boto("ec2").describe_instances(Filters=running)["Reservations"]
    return [one for reservation in found for one in reservation["Instances"]]


def test_a_group_lives_from_nothing_to_nothing(twin: Twin, cluster: str, options: dict[str, Any]) -> None:
    predicted = run(twin, check_mode=True, **options)
    assert (predicted["changed"], predicted["exists"], instances(twin)) == (True, False, [])

    made = run(twin, **options)
    found = described(twin)
    assert (found["status"], found["amiType"]) == ("ACTIVE", "AL2023_x86_64_STANDARD")
    assert {one["InstanceType"] for one in instances(twin)} == {"m5.large"}
    assert len(instances(twin)) == 2
    assert made["plan"] == predicted["plan"]
    assert made["nodegroup"].keys() == predicted["nodegroup"].keys()
    assert made["nodegroup"]["release_version"] == found["releaseVersion"]

    for check_mode in (False, True):
        assert run(twin, check_mode=check_mode, **options)["changed"] is False

    gone = run(twin, "absent")
    assert (gone["changed"], gone["exists"]) == (True, False)
    assert instances(twin) == []
    assert run(twin, "absent")["changed"] is False


def test_what_changes_is_changed_and_waited_for(twin: Twin, cluster: str, options: dict[str, Any]) -> None:
    run(twin, **options)
    taint = {"key": "CriticalAddonsOnly", "value": "true", "effect": "NO_SCHEDULE"}
    wanted = {**options, "desired_size": 3, "labels": {"role": "other"}, "taints": [taint], "tags": {"a": "b"}}
    predicted = run(twin, check_mode=True, **wanted)
    assert run(twin, **wanted)["plan"] == predicted["plan"]
    found = described(twin)
    assert found["scalingConfig"] == {"minSize": 1, "maxSize": 10, "desiredSize": 3}
    assert (found["labels"], found["taints"], found["tags"]) == ({"role": "other"}, [taint], {"a": "b"})
    assert len(instances(twin)) == 3
    assert run(twin, **wanted)["changed"] is False


def test_a_taint_without_a_value_is_there_once(twin: Twin, cluster: str, options: dict[str, Any]) -> None:
    wanted = {**options, "taints": [{"key": "CriticalAddonsOnly", "effect": "NO_SCHEDULE"}]}
    made = run(twin, **wanted)
    assert made["nodegroup"]["taints"] == wanted["taints"]
    assert run(twin, **wanted)["changed"] is False


def test_an_interrupted_creation_is_found_and_waited_for(twin: Twin, cluster: str, options: dict[str, Any]) -> None:
    run(twin, wait=False, **options)
    assert run(twin, **options)["changed"] is False
    assert described(twin)["status"] == "ACTIVE"
    assert len(instances(twin)) == 2


def test_nodes_that_never_join_are_told_with_the_health_issues(
    twin: Twin, cluster: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    twin.unjoined.add("shop")
    with monkeypatch.context() as patched:
        patched.setattr(twin.context, "timings", replace(twin.context.timings, nodegroup_deadline_seconds=0))
        with pytest.raises(EksopsError, match="CREATE_FAILED: NodeCreationFailure: Instances failed to join"):
            run(twin, **options)
    twin.unjoined.clear()
    with pytest.raises(EksopsError, match="state absent"):
        run(twin, **options)
    assert run(twin, "absent")["exists"] is False
    assert run(twin, **options)["exists"] is True


def test_what_never_changes_is_an_error_before_any_write(twin: Twin, cluster: str, options: dict[str, Any]) -> None:
    run(twin, **options)
    with pytest.raises(EksopsError, match="instance_types"):
        run(twin, **{**options, "instance_types": ["m6i.large"], "desired_size": 5})
    assert described(twin)["scalingConfig"]["desiredSize"] == 2


def test_without_a_cluster_only_check_mode_says_what_would_be(twin: Twin, options: dict[str, Any]) -> None:
    assert run(twin, check_mode=True, **options)["changed"] is True
    with pytest.raises(EksopsError, match="There is no EKS cluster shop in us-west-2"):
        run(twin, **options)
    assert run(twin, "absent")["changed"] is False
