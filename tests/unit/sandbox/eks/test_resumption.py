"""After a restart: clusters are back where they were, and what was under way goes on or has failed with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.contracts import ControlPlaneLimitError
from sandbox.eks.lifecycle import failure_code
from sandbox.eks.model import Cluster

from .world import Tenant


def resume(tenant: Tenant, change: Callable[[Cluster], None] = lambda _: None) -> None:
    """What a kill left, as ``change`` makes it, and the start of the next run; only this account's clusters."""
    world = tenant.world
    context = world.service.context
    cluster = context.store.get(tenant.key("demo"))
    world.call(lambda: change(cluster))
    world.agents.running.discard(cluster.key)
    world.run(world.service._resumption._cluster(cluster))


def test_a_cluster_is_back_with_its_nodes(tenant: Tenant) -> None:
    before = tenant.cluster()
    resume(tenant)
    assert tenant.eks.describe_cluster(name="demo")["cluster"] == before
    assert tenant.key("demo") in tenant.world.agents.running


def test_one_that_does_not_come_back_says_why_and_is_tried_again(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.world.planes.failure = "kube-apiserver: address already in use"
    resume(tenant)
    failed = tenant.eks.describe_cluster(name="demo")["cluster"]
    assert failed["status"] == "FAILED"
    [issue] = failed["health"]["issues"]
    assert (issue["code"], issue["message"]) == ("InternalFailure", "kube-apiserver: address already in use")
    resume(tenant)
    assert tenant.eks.describe_cluster(name="demo")["cluster"]["status"] == "ACTIVE"


def test_one_too_many_is_a_limit_to_eks() -> None:
    assert failure_code(ControlPlaneLimitError("3 run")) == "ResourceLimitExceeded"
    assert failure_code(RuntimeError("no")) == "InternalFailure"


def test_one_that_was_being_made_is_made_with_the_group_it_has(tenant: Tenant) -> None:
    group = tenant.cluster()["resourcesVpcConfig"]["clusterSecurityGroupId"]

    def as_before(cluster: Cluster) -> None:
        cluster.status, cluster.endpoint, cluster.cluster_security_group_id = "CREATING", None, None

    resume(tenant, as_before)
    made = tenant.settled()
    assert made["status"] == "ACTIVE"
    assert made["resourcesVpcConfig"]["clusterSecurityGroupId"] == group
    [found] = tenant.client("ec2").describe_security_groups(GroupIds=[group])["SecurityGroups"]
    assert len(found["IpPermissions"]) == 1


def test_one_that_was_being_deleted_goes(tenant: Tenant) -> None:
    tenant.cluster()
    resume(tenant, lambda cluster: setattr(cluster, "status", "DELETING"))
    tenant.eks.get_waiter("cluster_deleted").wait(name="demo", WaiterConfig={"Delay": 0.1})


def test_a_node_group_that_was_being_made_is_made_with_what_there_is(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.nodegroup()
    tenant.join()
    tenant.nodegroup_in("ACTIVE")

    def as_before(cluster: Cluster) -> None:
        group = cluster.nodegroups["system"]
        group.status, group.launch_template_id, group.launch_template_version = "CREATING", None, None

    resume(tenant, as_before)
    tenant.nodegroup_in("ACTIVE")
    assert len(tenant.client("ec2").describe_launch_templates()["LaunchTemplates"]) == 1
    assert len(tenant.instances()) == 2


def test_an_update_of_a_node_group_is_finished(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.ready_nodegroup(labels={"team": "a", "old": "x"})
    change = {"addOrUpdateLabels": {"team": "b"}, "removeLabels": ["old"]}
    update = tenant.eks.update_nodegroup_config(clusterName="demo", nodegroupName="system", labels=change)["update"]
    tenant.nodegroup_in("ACTIVE")
    kube = tenant.kube("demo")
    names = [path for path in kube.objects if path.startswith("/api/v1/nodes/")]

    def as_before(cluster: Cluster) -> None:
        cluster.nodegroups["system"].status = "UPDATING"
        cluster.updates[update["id"]].status = "InProgress"
        for name in names:
            kube.objects[name]["metadata"]["labels"] |= {"team": "a", "old": "x"}

    resume(tenant, as_before)
    tenant.nodegroup_in("ACTIVE")
    place: dict[str, Any] = {"name": "demo", "nodegroupName": "system", "updateId": update["id"]}
    assert tenant.eks.describe_update(**place)["update"]["status"] == "Successful"
    labels = [kube.objects[name]["metadata"]["labels"] for name in names]
    assert {one["team"] for one in labels} == {"b"}
    assert not any("old" in one for one in labels)


def test_an_update_of_a_cluster_has_failed_with_a_reason(tenant: Tenant) -> None:
    tenant.cluster()
    update = tenant.eks.update_cluster_config(name="demo", deletionProtection=True)["update"]
    tenant.settled()

    def as_before(cluster: Cluster) -> None:
        cluster.status = "UPDATING"
        cluster.updates[update["id"]].status = "InProgress"

    resume(tenant, as_before)
    assert tenant.eks.describe_cluster(name="demo")["cluster"]["status"] == "ACTIVE"
    found = tenant.eks.describe_update(name="demo", updateId=update["id"])["update"]
    assert found["status"] == "Failed"
    assert "stopped while this was under way" in found["errors"][0]["errorMessage"]
    tenant.eks.update_cluster_config(name="demo", deletionProtection=False)


def test_add_ons_are_installed_judged_or_taken_away(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.ready_nodegroup()
    names = ("vpc-cni", "coredns", "kube-proxy")
    for name in names:
        tenant.eks.create_addon(clusterName="demo", addonName=name)
    for name in names:
        tenant.addon_in("ACTIVE", name)
    tenant.world.service._addons._installed.clear()

    def as_before(cluster: Cluster) -> None:
        cluster.addons["coredns"].status = "CREATING"
        cluster.addons["kube-proxy"].status = "DELETING"

    resume(tenant, as_before)
    tenant.addon_in("ACTIVE", "coredns")
    tenant.eks.get_waiter("addon_deleted").wait(clusterName="demo", addonName="kube-proxy", WaiterConfig={"Delay": 0.1})
    arn = tenant.eks.describe_addon(clusterName="demo", addonName="vpc-cni")["addon"]["addonArn"]
    assert arn in tenant.world.service._addons._installed
