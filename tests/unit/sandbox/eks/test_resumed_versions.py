"""Moves between versions that a stop of the sandbox broke off."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.eks import updates
from sandbox.eks.model import Cluster, Refresh

from .test_nodegroupversion import NEW, OLD, Machines
from .test_resumption import resume
from .world import Tenant

KIND = {"nodegroupName": "system"}


def _group(tenant: Tenant) -> dict[str, Any]:
    found: dict[str, Any] = tenant.eks.describe_nodegroup(clusterName="demo", **KIND)["nodegroup"]
    return found


def _broken_off(release: str) -> Any:
    """A group of ``release`` whose update to the new release is under way."""

    def change(cluster: Cluster) -> None:
        group = cluster.nodegroups["system"]
        group.status, group.release_version = "UPDATING", release
        shown = {"Version": "1.36", "ReleaseVersion": NEW}
        updates.begin(cluster, "VersionUpdate", shown, nodegroup=group.name)

    return change


@pytest.fixture
def aged(tenant: Tenant) -> Tenant:
    tenant.cluster()
    tenant.ready_nodegroup(releaseVersion=OLD)
    return tenant


def _update(tenant: Tenant, **of: str) -> dict[str, Any]:
    [key] = tenant.eks.list_updates(name="demo", **of)["updateIds"]
    found: dict[str, Any] = tenant.eks.describe_update(name="demo", updateId=key, **of)["update"]
    return found


def test_an_update_of_a_group_that_has_begun_goes_on(aged: Tenant) -> None:
    before = {one["InstanceId"] for one in aged.instances()}
    resume(aged, _broken_off(NEW))
    machines = Machines(aged)
    machines.until(lambda: _update(aged, **KIND)["status"] == "Successful", "the update")
    assert (_group(aged)["status"], _group(aged)["releaseVersion"]) == ("ACTIVE", NEW)
    assert not before & {one["InstanceId"] for one in aged.instances()}


def test_one_that_has_not_begun_has_failed(aged: Tenant) -> None:
    before = {one["InstanceId"] for one in aged.instances()}
    resume(aged, _broken_off(OLD))
    found = _update(aged, **KIND)
    assert (found["status"], _group(aged)["status"]) == ("Failed", "ACTIVE")
    assert found["errors"][0]["errorMessage"] == "The sandbox was stopped while this was under way."
    assert {one["InstanceId"] for one in aged.instances()} == before


def test_a_cluster_whose_version_was_being_moved_is_back_in_the_one_it_had(tenant: Tenant) -> None:
    tenant.cluster(version="1.35")

    def change(cluster: Cluster) -> None:
        cluster.status = "UPDATING"
        cluster.insights_refresh = Refresh("IN_PROGRESS", 1.0)
        updates.begin(cluster, "VersionUpdate", {"Version": "1.36"})

    resume(tenant, change)
    cluster = tenant.eks.describe_cluster(name="demo")["cluster"]
    assert (cluster["status"], cluster["version"]) == ("ACTIVE", "1.35")
    assert _update(tenant)["status"] == "Failed"
    assert tenant.eks.describe_insights_refresh(clusterName="demo")["status"] == "FAILED"
