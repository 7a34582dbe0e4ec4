"""UpdateClusterVersion through boto3: the way up, the way back, and every refusal."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.eks.versionrules import ROLLBACK_SECONDS

from .helpers import code_of
from .world import Tenant


def _move(tenant: Tenant, version: str, **params: Any) -> dict[str, Any]:
    update: dict[str, Any] = tenant.eks.update_cluster_version(name="demo", version=version, **params)["update"]
    return update


def _refused(tenant: Tenant, version: str, **params: Any) -> tuple[str, str]:
    return code_of(lambda: _move(tenant, version, **params))


@pytest.fixture
def old(tenant: Tenant) -> Tenant:
    """An account with a cluster of 1.35."""
    assert tenant.cluster(version="1.35")["version"] == "1.35"
    return tenant


def test_an_update_moves_the_control_plane_and_nothing_else(old: Tenant) -> None:
    old.ready_nodegroup()
    update = _move(old, "1.36")
    assert (update["type"], update["status"]) == ("VersionUpdate", "InProgress")
    shown = {one["type"]: one["value"] for one in update["params"]}
    assert shown == {"Version": "1.36", "PlatformVersion": "eks.6"}
    assert old.update_in("Successful", update)["errors"] == []
    cluster = old.settled()
    assert (cluster["version"], cluster["platformVersion"], cluster["status"]) == ("1.36", "eks.6", "ACTIVE")
    assert [spec.kubernetes_minor for spec in old.world.planes.updates if spec.key == old.key("demo")] == ["1.36"]
    group = old.eks.describe_nodegroup(clusterName="demo", nodegroupName="system")["nodegroup"]
    assert group["version"] == "1.35"
    assert update["id"] in old.eks.list_updates(name="demo")["updateIds"]


def test_while_an_update_is_under_way_there_is_no_other(old: Tenant) -> None:
    old.world.planes.held.add("demo")
    update = _move(old, "1.36")
    assert old.eks.describe_cluster(name="demo")["cluster"]["status"] == "UPDATING"
    assert _refused(old, "1.36")[0] == "ResourceInUseException"
    old.world.planes.held.clear()
    old.update_in("Successful", update)


def test_the_same_request_again_is_the_same_update(old: Tenant) -> None:
    first = _move(old, "1.36", clientRequestToken="once")
    assert _move(old, "1.36", clientRequestToken="once")["id"] == first["id"]
    old.update_in("Successful", first)


@pytest.mark.parametrize("version", ["1.36", "1.35", "1.34", "1.33"])
def test_a_cluster_made_in_its_version_goes_neither_nowhere_nor_back(standing: Tenant, version: str) -> None:
    code, message = _refused(standing, version)
    assert code == "InvalidParameterException"
    assert message == f"Unsupported Kubernetes minor version update from 1.36 to {version}"


def test_a_minor_cannot_be_left_out_and_an_unknown_one_is_said_to_be_unknown(old: Tenant) -> None:
    assert "unsupported Kubernetes version 1.37" in _refused(old, "1.37")[1]
    code, message = code_of(lambda: _move(old, "newest"))
    assert (code, "unsupported Kubernetes version newest" in message) == ("InvalidParameterException", True)
    assert code_of(lambda: old.eks.update_cluster_version(name="none", version="1.36"))[0] == (
        "ResourceNotFoundException"
    )


def test_node_groups_have_to_be_at_the_cluster_s_version(old: Tenant) -> None:
    old.ready_nodegroup()
    group = old.world.service.context.store.get(old.key("demo")).nodegroups["system"]
    group.version = "1.34"
    code, message = _refused(old, "1.36", force=True)
    assert code == "InvalidRequestException"
    assert "Nodegroups system must be updated to match cluster version 1.35 before updating" in message


def test_an_error_of_readiness_stops_an_update_that_is_not_forced(old: Tenant) -> None:
    kube = old.kube("demo")
    old.world.call(lambda: kube.add_node("ancient", "i-1", {}, kubelet="v1.32.9-eks-1"))
    code, message = _refused(old, "1.36")
    assert code == "InvalidStateException"
    assert "Kubelet version skew" in message
    old.update_in("Successful", _move(old, "1.36", force=True))


def test_a_control_plane_that_does_not_come_up_leaves_the_cluster_as_it_was(old: Tenant) -> None:
    old.world.planes.failure = "kube-apiserver-next: ended with exit code 1"
    failed = old.update_in("Failed", _move(old, "1.36"))
    assert failed["errors"][0]["errorCode"] == "Unknown"
    assert "kube-apiserver-next" in failed["errors"][0]["errorMessage"]
    assert (old.settled()["version"], old.settled()["status"]) == ("1.35", "ACTIVE")


def test_subnets_that_are_gone_fail_even_a_forced_update(old: Tenant) -> None:
    cluster = old.world.service.context.store.get(old.key("demo"))
    cluster.subnet_ids = [*cluster.subnet_ids, "subnet-0123456789abcdef0"]
    assert _refused(old, "1.36")[0] == "InvalidStateException"
    failed = old.update_in("Failed", _move(old, "1.36", force=True))
    assert failed["errors"][0]["errorCode"] == "SubnetNotFound"
    assert failed["errors"][0]["resourceIds"] == ["subnet-0123456789abcdef0"]


def test_an_upgrade_can_be_taken_back_within_a_week(old: Tenant) -> None:
    old.update_in("Successful", _move(old, "1.36"))
    back = _move(old, "1.35")
    assert back["type"] == "VersionRollback"
    old.update_in("Successful", back)
    assert old.settled()["version"] == "1.35"
    code, message = _refused(old, "1.34")
    assert (code, "no control plane for Kubernetes 1.34" in message) == ("InvalidParameterException", True)


def test_a_rollback_is_refused_after_a_week_and_while_kubelets_are_newer(old: Tenant) -> None:
    old.update_in("Successful", _move(old, "1.36"))
    kube = old.kube("demo")
    old.world.call(lambda: kube.add_node("new", "i-1", {}, kubelet="v1.36.2-eks-1"))
    code, message = _refused(old, "1.35")
    assert (code, "Kubelet version skew" in message) == ("InvalidStateException", True)
    cluster = old.world.service.context.store.get(old.key("demo"))
    assert cluster.upgraded_at is not None
    cluster.upgraded_at -= ROLLBACK_SECONDS + 1
    assert _refused(old, "1.35", force=True)[0] == "InvalidParameterException"
