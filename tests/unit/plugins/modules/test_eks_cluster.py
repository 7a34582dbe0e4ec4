"""eks_cluster against the EKS API: what a later DescribeCluster says, not what the module says."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._core.progress import Progress
from ansible_collections.eksops.karpenter.plugins.module_utils._eks.waiters import EksWait
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_cluster.api import ClusterApi
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_cluster.model import ClusterSpec
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_cluster.run import ClusterRun

from .conftest import Twin


def run(twin: Twin, state: str = "present", *, check_mode: bool = False, wait: bool = True, **options: Any) -> Any:
    spec = ClusterSpec.from_params({"name": "shop", **options})
    waits = twin.wait() if wait else None
    api = ClusterApi(twin.client("eks"), "shop", partial(twin.client, "ec2"))
    return ClusterRun(spec, api, waits, Progress()).run(state, check_mode=check_mode)


@pytest.fixture
def options(twin: Twin) -> dict[str, Any]:
    return {
        "kubernetes_version": "1.36",
        "role_arn": twin.role("cluster", "eks.amazonaws.com", "AmazonEKSClusterPolicy"),
        "subnet_ids": twin.subnets(),
        "tags": {"team": "a"},
    }


def described(twin: Twin) -> Any:
    return twin.boto("eks").describe_cluster(name="shop")["cluster"]


def test_a_cluster_lives_from_nothing_to_nothing(twin: Twin, options: dict[str, Any]) -> None:
    predicted = run(twin, check_mode=True, **options)
    assert (predicted["changed"], predicted["exists"]) == (True, False)
    assert twin.boto("eks").list_clusters()["clusters"] == []

    made = run(twin, **options)
    found = described(twin)
    assert found["status"] == "ACTIVE"
    assert found["accessConfig"]["authenticationMode"] == "API"
    assert made["cluster"]["endpoint"] == found["endpoint"]
    assert made["plan"] == predicted["plan"]
    assert made["cluster"].keys() == predicted["cluster"].keys()

    for check_mode in (False, True):
        again = run(twin, check_mode=check_mode, **options)
        assert (again["changed"], again["plan"], again["exists"]) == (False, [], True)

    assert run(twin, "absent", check_mode=True)["changed"] is True
    assert described(twin)["status"] == "ACTIVE"
    gone = run(twin, "absent")
    assert (gone["changed"], gone["exists"]) == (True, False)
    assert twin.boto("eks").list_clusters()["clusters"] == []
    assert run(twin, "absent")["changed"] is False


def test_what_changes_is_changed_and_waited_for(twin: Twin, options: dict[str, Any]) -> None:
    run(twin, **options)
    wanted = {
        **options,
        "endpoint_private_access": True,
        "public_access_cidrs": ["203.0.113.0/24"],
        "logging_types": ["api", "audit"],
        "support_type": "STANDARD",
        "zonal_shift": True,
        "deletion_protection": True,
        "tags": {"team": "b"},
    }
    predicted = run(twin, check_mode=True, **wanted)
    changed = run(twin, **wanted)
    assert changed["plan"] == predicted["plan"]
    found = described(twin)
    assert found["status"] == "ACTIVE"
    assert found["resourcesVpcConfig"]["endpointPrivateAccess"] is True
    assert found["resourcesVpcConfig"]["publicAccessCidrs"] == ["203.0.113.0/24"]
    assert {one["enabled"]: sorted(one["types"]) for one in found["logging"]["clusterLogging"]}[True] == [
        "api",
        "audit",
    ]
    assert found["upgradePolicy"]["supportType"] == "STANDARD"
    assert found["zonalShiftConfig"]["enabled"] is True
    assert found["deletionProtection"] is True
    assert found["tags"] == {"team": "b"}
    assert run(twin, **wanted)["changed"] is False

    with pytest.raises(EksopsError, match="protected against deletion"):
        run(twin, "absent")
    assert run(twin, "absent", deletion_protection=False)["exists"] is False


def test_an_interrupted_creation_is_found_and_waited_for(twin: Twin, options: dict[str, Any]) -> None:
    run(twin, wait=False, **options)
    second = run(twin, **options)
    assert second["changed"] is False
    assert described(twin)["status"] == "ACTIVE"
    assert len(twin.boto("eks").list_clusters()["clusters"]) == 1


def test_a_creation_that_another_run_won_is_no_error(twin: Twin, options: dict[str, Any]) -> None:
    api = ClusterApi(twin.client("eks"), "shop", partial(twin.client, "ec2"))
    spec = ClusterSpec.from_params({"name": "shop", **options})
    runner = ClusterRun(spec, api, twin.wait(), Progress())
    plan = runner._plan("present", None)
    run(twin, **{**options, "tags": {"other": "run"}})
    runner._apply(plan.steps[0])
    assert described(twin)["tags"] == {"other": "run"}


def test_another_version_is_a_notice_and_no_write(twin: Twin, options: dict[str, Any]) -> None:
    run(twin, **options)
    found = run(twin, **{**options, "kubernetes_version": "1.37"})
    assert found["changed"] is False
    assert "upgrade_cluster.yml" in found["notices"][0]
    assert described(twin)["version"] == "1.36"


def test_a_cluster_that_is_being_deleted_is_one_error(twin: Twin, options: dict[str, Any]) -> None:
    run(twin, **options)
    twin.planes.slow.add("shop")
    twin.boto("eks").delete_cluster(name="shop")
    with pytest.raises(EksopsError, match="being deleted"):
        run(twin, **options)
    twin.planes.slow.clear()


def test_a_creation_that_fails_tells_why_and_can_be_taken_away(twin: Twin, options: dict[str, Any]) -> None:
    twin.planes.broken.add("shop")
    try:
        with pytest.raises(EksopsError, match=r"FAILED: InternalFailure: .*disk full"):
            run(twin, **options)
    finally:
        twin.planes.broken.clear()
    with pytest.raises(EksopsError, match="failed to be created"):
        run(twin, **options)
    assert run(twin, "absent")["exists"] is False
    assert run(twin, **options)["exists"] is True


def test_discovery_tags_come_and_go_with_the_cluster(twin: Twin, options: dict[str, Any]) -> None:
    subnets = twin.subnets()[:2]
    tags: dict[str, Any] = {"discovery_tags": {"karpenter.sh/discovery": "shop"}, "discovery_subnet_ids": subnets}
    made = run(twin, **options, **tags)
    group = made["cluster"]["cluster_security_group_id"]
    assert tagged(twin) == sorted([*subnets, group])
    assert run(twin, **options, **tags)["changed"] is False
    twin.boto("ec2").delete_tags(Resources=subnets[:1], Tags=[{"Key": "karpenter.sh/discovery"}])
    mended = run(twin, **options, **tags)
    assert [step["name"] for step in mended["plan"]] == subnets[:1]
    run(twin, "absent", **tags)
    assert tagged(twin) == []
    assert run(twin, "absent", **tags)["changed"] is False


def tagged(twin: Twin) -> list[str]:
    filters = [{"Name": "key", "Values": ["karpenter.sh/discovery"]}]
    return sorted(row["ResourceId"] for row in twin.boto("ec2").describe_tags(Filters=filters)["Tags"])


def test_missing_discovery_tags_do_not_wait_for_an_update(twin: Twin, options: dict[str, Any]) -> None:
    subnet = twin.subnets()[0]
    tags: dict[str, Any] = {"discovery_tags": {"karpenter.sh/discovery": "shop"}, "discovery_subnet_ids": [subnet]}
    run(twin, **options, **tags)
    twin.boto("ec2").delete_tags(Resources=[subnet], Tags=[{"Key": "karpenter.sh/discovery"}])
    held = next(one for one in twin.context.store if one.arn == described(twin)["arn"])
    held.status = "UPDATING"  # an update that takes long
    assert described(twin)["status"] == "UPDATING"

    spec = ClusterSpec.from_params({"name": "shop", **options, **tags, "zonal_shift": True})
    api = ClusterApi(twin.client("eks"), "shop", partial(twin.client, "ec2"))
    predicted = run(twin, check_mode=True, **options, **tags, zonal_shift=True)
    with pytest.raises(EksopsError, match="shop"):
        ClusterRun(spec, api, EksWait(0), Progress()).run("present", check_mode=False)
    found = twin.boto("ec2").describe_subnets(SubnetIds=[subnet])["Subnets"][0]["Tags"]
    assert {"Key": "karpenter.sh/discovery", "Value": "shop"} in found

    held.status = "ACTIVE"
    twin.boto("ec2").delete_tags(Resources=[subnet], Tags=[{"Key": "karpenter.sh/discovery"}])
    made = run(twin, **options, **tags, zonal_shift=True)
    assert made["plan"] == predicted["plan"]
    assert [step["kind"] for step in made["plan"]] == ["Discovery tags", "ZonalShiftConfigUpdate"]
    assert run(twin, **options, **tags, zonal_shift=True)["changed"] is False


def test_a_wait_that_is_too_short_says_what_was_missing(twin: Twin, options: dict[str, Any]) -> None:
    spec = ClusterSpec.from_params({"name": "shop", **options})
    api = ClusterApi(twin.client("eks"), "shop", partial(twin.client, "ec2"))
    with pytest.raises(EksopsError, match=r"cluster shop did not become ready.*status CREATING"):
        ClusterRun(spec, api, EksWait(0.01, sleep=lambda _: None), Progress()).run("present", check_mode=False)
    assert run(twin, **options)["exists"] is True
