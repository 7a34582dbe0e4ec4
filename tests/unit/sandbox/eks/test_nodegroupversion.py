"""UpdateNodegroupVersion through boto3: nodes are replaced one after the other, or the group stays as it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.unit.waiting import until

from .helpers import code_of
from .world import Tenant

OLD, NEW = "1.36.1-20260904", "1.36.3-20261106"
PLACE = {"clusterName": "demo", "nodegroupName": "system"}
KIND = {"nodegroupName": "system"}


class Machines:
    """Lets instances become nodes as they appear, and forgets the nodes of those that have ended."""

    def __init__(self, tenant: Tenant, *, ready: bool = True) -> None:
        self._tenant, self.ready = tenant, ready
        self.seen: list[set[str]] = []

    def look(self) -> None:
        kube, here = self._tenant.kube("demo"), self._tenant.instances()
        names = {one["PrivateDnsName"] for one in here}
        if not self.seen or self.seen[-1] != names:
            self.seen.append(names)
        for one in here:
            if f"/api/v1/nodes/{one['PrivateDnsName']}" not in kube.objects:
                labels = {"eks.amazonaws.com/nodegroup": "system"}
                add = partial(kube.add_node, one["PrivateDnsName"], one["InstanceId"], labels, ready=self.ready)
                self._tenant.world.call(add)
        for path in [one for one in kube.objects if one.startswith("/api/v1/nodes/")]:
            if path.rpartition("/")[2] not in names:
                self._tenant.world.call(partial(kube.objects.pop, path, None))

    def until(self, found: Callable[[], Any], what: str) -> Any:
        def looked() -> Any:
            self.look()
            return found()

        return until(looked, what)


def _update(tenant: Tenant, **params: Any) -> dict[str, Any]:
    update: dict[str, Any] = tenant.eks.update_nodegroup_version(**PLACE, **params)["update"]
    return update


def _ended(tenant: Tenant, machines: Machines, update: dict[str, Any]) -> dict[str, Any]:
    def look() -> Any:
        found = tenant.eks.describe_update(name="demo", updateId=update["id"], **KIND)["update"]
        return found if found["status"] != "InProgress" else None

    found: dict[str, Any] = machines.until(look, "the end of the update")
    return found


def _group(tenant: Tenant) -> dict[str, Any]:
    found: dict[str, Any] = tenant.eks.describe_nodegroup(**PLACE)["nodegroup"]
    return found


@pytest.fixture
def aged(tenant: Tenant) -> Tenant:
    """An account with a cluster, and in it a node group of an old release."""
    tenant.cluster()
    assert tenant.ready_nodegroup(releaseVersion=OLD)["releaseVersion"] == OLD
    return tenant


def test_nodes_are_replaced_one_after_the_other_with_the_new_one_first(aged: Tenant) -> None:
    before = {one["PrivateDnsName"] for one in aged.instances()}
    kube, machines = aged.kube("demo"), Machines(aged)
    for node in sorted(before):
        aged.world.call(partial(kube.add_pod, f"on-{node}", node))
    update = _update(aged)
    assert (update["type"], update["status"]) == ("VersionUpdate", "InProgress")
    assert {one["type"]: one["value"] for one in update["params"]} == {"Version": "1.36", "ReleaseVersion": NEW}
    assert _group(aged)["status"] == "UPDATING"
    assert code_of(lambda: _update(aged))[0] == "ResourceInUseException"
    assert _ended(aged, machines, update)["status"] == "Successful"
    assert _group(aged)["releaseVersion"] == NEW
    assert aged.nodegroup_in("ACTIVE")["scalingConfig"]["desiredSize"] == 2
    after = aged.instances()
    assert not before & {one["PrivateDnsName"] for one in after}
    images = {one["ImageId"] for one in after}
    name = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id"
    assert images == {aged.client("ssm").get_parameter(Name=name)["Parameter"]["Value"]}
    # Never fewer than before, never more than one beyond.
    assert {len(one) for one in machines.seen} <= {2, 3}
    assert sorted(kube.evicted) == sorted(f"on-{node}" for node in before)
    zones = {one["SubnetId"] for one in after}
    assert zones == set(aged.subnets)


def test_old_nodes_take_no_new_pods_while_others_are_drained(aged: Tenant) -> None:
    before = sorted(one["PrivateDnsName"] for one in aged.instances())
    kube, machines = aged.kube("demo"), Machines(aged)
    for node in before:
        kube.blocked_evictions.add(f"on-{node}")
        aged.world.call(partial(kube.add_pod, f"on-{node}", node))
    update = _update(aged)

    def retired() -> bool:
        nodes = [kube.objects.get(f"/api/v1/nodes/{name}", {}) for name in before]
        label = "node.kubernetes.io/exclude-from-external-load-balancers"
        return all(
            one.get("spec", {}).get("unschedulable") and one["metadata"]["labels"].get(label) == "true" for one in nodes
        )

    machines.until(retired, "both old nodes cordoned")
    assert _ended(aged, machines, update)["status"] == "Failed"


def test_a_disruption_budget_fails_the_update_and_the_group_is_as_it_was(aged: Tenant) -> None:
    before = {one["PrivateDnsName"] for one in aged.instances()}
    kube, machines = aged.kube("demo"), Machines(aged)
    stuck = sorted(before)[0]
    kube.blocked_evictions.add("web")
    aged.world.call(partial(kube.add_pod, "web", stuck))
    failed = _ended(aged, machines, _update(aged))
    assert failed["status"] == "Failed"
    assert failed["errors"][0]["errorCode"] == "PodEvictionFailure"
    assert failed["errors"][0]["resourceIds"] == [stuck]
    group = aged.nodegroup_in("ACTIVE")
    assert group["releaseVersion"] == OLD
    machines.until(lambda: len(aged.instances()) == 2, "two instances")
    assert stuck in {one["PrivateDnsName"] for one in aged.instances()}
    node = kube.objects[f"/api/v1/nodes/{stuck}"]
    assert "unschedulable" not in node["spec"]
    images = {one["ImageId"] for one in aged.instances()}
    assert len(images) == 1


def test_force_deletes_what_a_disruption_budget_keeps(aged: Tenant) -> None:
    kube, machines = aged.kube("demo"), Machines(aged)
    kube.blocked_evictions.add("web")
    aged.world.call(partial(kube.add_pod, "web", aged.instances()[0]["PrivateDnsName"]))
    assert _ended(aged, machines, _update(aged, force=True))["status"] == "Successful"
    assert kube.evicted == []
    assert "/api/v1/namespaces/default/pods/web" not in kube.objects


def test_nodes_that_do_not_become_ready_fail_the_update(aged: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    machines, context = Machines(aged, ready=False), aged.world.service.context
    monkeypatch.setattr(context, "timings", replace(context.timings, nodegroup_deadline_seconds=1.0))
    failed = _ended(aged, machines, _update(aged))
    assert failed["errors"][0]["errorCode"] == "NodeCreationFailure"
    assert _group(aged)["releaseVersion"] == OLD


def test_the_minimal_strategy_ends_a_node_before_it_launches_one(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.ready_nodegroup(releaseVersion=OLD, updateConfig={"maxUnavailable": 1, "updateStrategy": "MINIMAL"})
    machines = Machines(tenant)
    assert _ended(tenant, machines, _update(tenant))["status"] == "Successful"
    assert {len(one) for one in machines.seen} <= {1, 2}


def test_a_group_follows_its_cluster_to_the_next_version(tenant: Tenant) -> None:
    tenant.cluster(version="1.35")
    tenant.ready_nodegroup()
    early = code_of(lambda: _update(tenant, version="1.36"))
    assert early[0] == "InvalidParameterException"
    assert "must not be newer than the cluster version 1.35" in early[1]
    update = tenant.eks.update_cluster_version(name="demo", version="1.36")["update"]
    tenant.update_in("Successful", update)
    machines = Machines(tenant)
    assert _ended(tenant, machines, _update(tenant, version="1.36"))["status"] == "Successful"
    assert (_group(tenant)["version"], _group(tenant)["releaseVersion"]) == ("1.36", NEW)
    back = _ended(tenant, machines, _update(tenant, version="1.35"))
    assert (back["status"], _group(tenant)["version"]) == ("Successful", "1.35")


@pytest.mark.parametrize(
    ("params", "code", "says"),
    [
        ({"version": "1.37"}, "InvalidParameterException", "unsupported Kubernetes version 1.37"),
        ({"version": "1.35"}, "InvalidParameterException", "cannot go back from 1.36 to 1.35"),
        ({"releaseVersion": "1.36.9-20300101"}, "InvalidParameterException", "is not valid for kubernetes version"),
        ({"releaseVersion": OLD}, "InvalidParameterException", f"cannot go back from {NEW} to {OLD}"),
        ({"launchTemplate": {"name": "mine"}}, "InvalidRequestException", "only if it was deployed with one"),
    ],
)
def test_bad_requests_name_what_is_wrong(tenant: Tenant, params: dict[str, Any], code: str, says: str) -> None:
    tenant.cluster()
    tenant.ready_nodegroup()
    refused = code_of(lambda: _update(tenant, **params))
    assert (refused[0], says in refused[1]) == (code, True)
    assert _group(tenant)["status"] == "ACTIVE"


def test_a_group_that_is_not_there_or_not_ready_is_refused(tenant: Tenant) -> None:
    tenant.cluster()
    assert code_of(lambda: _update(tenant))[0] == "ResourceNotFoundException"
    tenant.nodegroup()
    assert code_of(lambda: _update(tenant))[0] == "ResourceInUseException"
