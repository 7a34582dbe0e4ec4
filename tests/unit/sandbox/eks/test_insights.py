"""Insights through boto3: what a cluster's state makes of each check."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.unit.waiting import until

from .helpers import code_of
from .world import Tenant

NAMES = {
    "Kubelet version skew",
    "kube-proxy version skew",
    "EKS add-on version compatibility",
    "Cluster health issues",
    "Amazon Linux 2 compatibility",
}


def _insights(tenant: Tenant, **wanted: list[str]) -> dict[str, dict[str, Any]]:
    answer = tenant.eks.list_insights(clusterName="demo", filter=wanted)["insights"]
    return {one["name"]: one for one in answer}


def _refreshed(tenant: Tenant) -> None:
    assert tenant.eks.start_insights_refresh(clusterName="demo")["status"] == "IN_PROGRESS"

    def look() -> bool:
        found = tenant.eks.describe_insights_refresh(clusterName="demo")
        return bool(found["status"] == "COMPLETED" and found["endedAt"] >= found["startedAt"])

    until(look, "the refresh")


def _status(tenant: Tenant, name: str) -> str:
    return str(_insights(tenant)[name]["insightStatus"]["status"])


def _described(tenant: Tenant, name: str) -> dict[str, Any]:
    key = _insights(tenant)[name]["id"]
    found: dict[str, Any] = tenant.eks.describe_insight(clusterName="demo", id=key)["insight"]
    return found


def test_a_fresh_cluster_passes_every_check_for_the_next_version(tenant: Tenant) -> None:
    tenant.cluster(version="1.35")
    found = _insights(tenant)
    assert set(found) == NAMES
    assert {one["insightStatus"]["status"] for one in found.values()} == {"PASSING"}
    assert {one["kubernetesVersion"] for one in found.values()} == {"1.36"}
    assert {one["category"] for one in found.values()} == {"UPGRADE_READINESS"}
    assert "recommendation" not in found["Kubelet version skew"]
    detail = _described(tenant, "Kubelet version skew")
    assert "worker nodes" in detail["recommendation"]
    assert detail["resources"] == []


def test_the_newest_version_has_nowhere_to_be_upgraded_to(standing: Tenant) -> None:
    assert _insights(standing) == {}
    code = code_of(lambda: standing.eks.describe_insight(clusterName="demo", id="none"))[0]
    assert code == "ResourceNotFoundException"
    assert code_of(lambda: standing.eks.describe_insights_refresh(clusterName="demo"))[0] == code


def test_kubelets_too_far_behind_are_errors_and_those_that_will_be_are_warnings(tenant: Tenant) -> None:
    tenant.cluster(version="1.35")
    kube = tenant.kube("demo")
    for name, kubelet in (("a", "v1.32.1-eks-1"), ("b", "v1.33.9-eks-2"), ("c", "v1.35.2-eks-3")):
        tenant.world.call(partial(kube.add_node, name, f"i-{name}", {}, kubelet=kubelet))
    detail = _described(tenant, "Kubelet version skew")
    assert detail["insightStatus"]["status"] == "ERROR"
    found = {one["kubernetesResourceUri"]: one["insightStatus"]["status"] for one in detail["resources"]}
    assert found == {"/api/v1/nodes/a": "ERROR", "/api/v1/nodes/b": "WARNING"}
    tenant.world.call(lambda: kube.objects.pop("/api/v1/nodes/a"))
    assert _status(tenant, "Kubelet version skew") == "ERROR"  # until the next refresh
    _refreshed(tenant)
    assert _status(tenant, "Kubelet version skew") == "WARNING"


def test_the_time_of_transition_is_that_of_the_last_change(tenant: Tenant) -> None:
    tenant.cluster(version="1.35")
    before = _insights(tenant)
    kube = tenant.kube("demo")
    tenant.world.call(lambda: kube.add_node("a", "i-a", {}, kubelet="v1.32.1-eks-1"))
    _refreshed(tenant)
    after = _insights(tenant)
    health, skew = "Cluster health issues", "Kubelet version skew"
    assert after[health]["lastTransitionTime"] == before[health]["lastTransitionTime"]
    assert after[health]["lastRefreshTime"] > before[health]["lastRefreshTime"]
    assert after[skew]["lastTransitionTime"] > before[skew]["lastTransitionTime"]
    assert after[skew]["id"] == before[skew]["id"]


def test_kube_proxy_s_version_is_that_of_its_image(tenant: Tenant) -> None:
    tenant.cluster(version="1.35")
    path = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy"
    container = tenant.kube("demo").objects[path]["spec"]["template"]["spec"]["containers"][0]
    container["image"] = "registry/eks/kube-proxy:v1.32.0-minimal-eksbuild.2"
    assert _status(tenant, "kube-proxy version skew") == "ERROR"


def test_an_add_on_that_the_next_version_does_not_take_is_named_with_those_it_takes(tenant: Tenant) -> None:
    tenant.cluster(version="1.35")
    tenant.eks.create_addon(clusterName="demo", addonName="coredns", addonVersion="v1.13.2-eksbuild.4")
    tenant.eks.create_addon(clusterName="demo", addonName="kube-proxy")
    detail = _described(tenant, "EKS add-on version compatibility")
    assert detail["insightStatus"]["status"] == "ERROR"
    assert [one["arn"].split("/")[2] for one in detail["resources"]] == ["coredns"]
    versions = ["v1.14.3-eksbuild.3", "v1.13.2-eksbuild.11"]
    details = detail["categorySpecificSummary"]["addonCompatibilityDetails"]
    assert details == [{"name": "coredns", "compatibleVersions": versions}]


def test_requests_to_deprecated_apis_are_told_from_the_api_server_s_metrics(tenant: Tenant) -> None:
    tenant.cluster(version="1.35")
    name = "apiserver_requested_deprecated_apis"
    labels = 'group="{}",removed_release="{}",resource="things",subresource="",version="v1beta1"'
    used = [("a.k8s.io", "1.36"), ("b.k8s.io", "1.38"), ("c.k8s.io", "1.35"), ("d.k8s.io", "")]
    lines = [f"# TYPE {name} gauge", *(f"{name}{{{labels.format(*one)}}} 1" for one in used)]
    tenant.kube("demo").metrics = "\n".join(lines) + "\n"
    found = {name: one for name, one in _insights(tenant).items() if name not in NAMES}
    statuses = {name: (one["kubernetesVersion"], one["insightStatus"]["status"]) for name, one in found.items()}
    assert statuses == {
        "Deprecated APIs removed in Kubernetes v1.36": ("1.36", "ERROR"),
        "Deprecated APIs removed in Kubernetes v1.38": ("1.38", "WARNING"),
    }
    detail = _described(tenant, "Deprecated APIs removed in Kubernetes v1.36")
    usage = detail["categorySpecificSummary"]["deprecationDetails"][0]
    assert (usage["usage"], usage["stopServingVersion"]) == ("/apis/a.k8s.io/v1beta1/things", "1.36")


def test_what_a_cluster_was_made_with_and_has_lost_is_a_health_issue(tenant: Tenant) -> None:
    tenant.cluster(version="1.35")
    tenant.client("iam").delete_role(RoleName="cluster")
    detail = _described(tenant, "Cluster health issues")
    assert detail["insightStatus"]["status"] == "ERROR"
    assert "IamRoleNotFound" in detail["insightStatus"]["reason"]


def test_filters_and_pages(tenant: Tenant) -> None:
    tenant.cluster(version="1.35")
    kube = tenant.kube("demo")
    tenant.world.call(lambda: kube.add_node("a", "i-a", {}, kubelet="v1.32.1-eks-1"))
    assert set(_insights(tenant, statuses=["ERROR", "WARNING"])) == {"Kubelet version skew"}
    assert set(_insights(tenant, categories=["MISCONFIGURATION"])) == set()
    assert set(_insights(tenant, kubernetesVersions=["1.36"])) == NAMES
    pages = [
        [one["name"] for one in page["insights"]]
        for page in tenant.eks.get_paginator("list_insights").paginate(
            clusterName="demo", PaginationConfig={"PageSize": 2}
        )
    ]
    assert [len(one) for one in pages] == [2, 2, 1]
    assert {name for one in pages for name in one} == NAMES


def test_after_an_upgrade_the_insights_are_about_the_way_back(tenant: Tenant) -> None:
    tenant.cluster(version="1.35")
    update = tenant.eks.update_cluster_version(name="demo", version="1.36")["update"]
    tenant.update_in("Successful", update)
    found = _insights(tenant, categories=["ROLLBACK_READINESS"])
    assert set(found) == NAMES - {"Amazon Linux 2 compatibility"}
    assert {one["kubernetesVersion"] for one in found.values()} == {"1.35"}
