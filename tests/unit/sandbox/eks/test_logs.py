"""Where control plane logs are on there is a log group, and it outlives the cluster."""

from __future__ import annotations

from tests.unit.waiting import until

from .world import Tenant

AUDIT = {"clusterLogging": [{"types": ["audit"], "enabled": True}]}


def _groups(tenant: Tenant) -> list[str]:
    return [group["logGroupName"] for group in tenant.client("logs").describe_log_groups()["logGroups"]]


def test_a_cluster_without_logs_has_no_group(tenant: Tenant) -> None:
    tenant.cluster()
    assert _groups(tenant) == []


def test_the_group_is_made_with_the_cluster_and_stays_when_it_goes(tenant: Tenant) -> None:
    tenant.cluster(logging=AUDIT)
    assert _groups(tenant) == ["/aws/eks/demo/cluster"]
    tenant.eks.delete_cluster(name="demo")
    until(lambda: tenant.eks.list_clusters()["clusters"] == [], "the end of the cluster")
    assert _groups(tenant) == ["/aws/eks/demo/cluster"]


def test_the_group_is_made_when_logs_are_switched_on_and_may_be_there_already(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.client("logs").create_log_group(logGroupName="/aws/eks/demo/cluster")
    tenant.eks.update_cluster_config(name="demo", logging=AUDIT)
    tenant.settled()
    assert tenant.eks.describe_cluster(name="demo")["cluster"]["status"] == "ACTIVE"
    tenant.client("logs").delete_log_group(logGroupName="/aws/eks/demo/cluster")
    more = {"clusterLogging": [{"types": ["api"], "enabled": True}]}
    tenant.eks.update_cluster_config(name="demo", logging=more)
    tenant.settled()
    until(lambda: _groups(tenant) == ["/aws/eks/demo/cluster"], "the group")
