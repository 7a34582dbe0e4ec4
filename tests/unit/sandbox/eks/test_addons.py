"""Add-ons through boto3, and their objects in the cluster."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.unit.waiting import until

from .helpers import REGION, code_of, gone
from .world import Tenant

_COREDNS = "/apis/apps/v1/namespaces/kube-system/deployments/coredns"
_AGENT = "/apis/apps/v1/namespaces/kube-system/daemonsets/eks-pod-identity-agent"


def test_a_daemon_is_active_without_nodes_and_a_deployment_is_not(tenant: Tenant) -> None:
    tenant.cluster()
    created = tenant.eks.create_addon(clusterName="demo", addonName="eks-pod-identity-agent")["addon"]
    assert created["status"] == "CREATING"
    assert tenant.addon_in("ACTIVE", "eks-pod-identity-agent")["health"] == {"issues": []}
    assert _AGENT in tenant.kube("demo").objects
    tenant.eks.create_addon(clusterName="demo", addonName="coredns")
    degraded = tenant.addon_in("DEGRADED", "coredns")
    assert degraded["health"]["issues"][0]["code"] == "InsufficientNumberOfReplicas"
    tenant.ready_nodegroup()
    assert tenant.addon_in("ACTIVE", "coredns")["health"] == {"issues": []}
    assert tenant.eks.list_addons(clusterName="demo")["addons"] == ["coredns", "eks-pod-identity-agent"]


def test_what_was_begun_is_looked_after_at_once(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long EKS rests between two looks at what nobody works on."""
    context = tenant.world.service.context
    monkeypatch.setattr(context, "timings", replace(context.timings, busy_seconds=60.0, idle_seconds=60.0))
    tenant.cluster()
    tenant.eks.create_addon(clusterName="demo", addonName="eks-pod-identity-agent")
    tenant.addon_in("ACTIVE", "eks-pod-identity-agent")
    tenant.nodegroup()
    tenant.join()
    monkeypatch.undo()
    tenant.eks.create_addon(clusterName="demo", addonName="kube-proxy")
    tenant.nodegroup_in("ACTIVE")


def test_the_default_version_comes_from_the_table_and_shows_in_the_image(tenant: Tenant) -> None:
    tenant.cluster()
    offered = tenant.eks.describe_addon_versions(addonName="coredns", kubernetesVersion="1.36")["addons"][0]
    default = next(
        one["addonVersion"] for one in offered["addonVersions"] if one["compatibilities"][0]["defaultVersion"]
    )
    newest = offered["addonVersions"][0]["addonVersion"]
    addon = tenant.eks.create_addon(clusterName="demo", addonName="coredns")["addon"]
    assert addon["addonVersion"] == default
    tenant.addon_in("DEGRADED", "coredns")
    image = f"602401143452.dkr.ecr.{REGION}.amazonaws.com/eks/coredns"
    assert _image(tenant) == f"{image}:{default}"
    update = tenant.eks.update_addon(clusterName="demo", addonName="coredns", addonVersion=newest)["update"]
    assert update["type"] == "AddonUpdate"

    def done() -> Any:
        found = tenant.eks.describe_update(name="demo", updateId=update["id"], addonName="coredns")["update"]
        return found["status"] == "Successful"

    until(done, "the update")
    assert _image(tenant) == f"{image}:{newest}"
    assert tenant.eks.describe_addon(clusterName="demo", addonName="coredns")["addon"]["addonVersion"] == newest


def test_configuration_values_reach_the_workload(tenant: Tenant) -> None:
    tenant.cluster()
    values = {"replicaCount": 3, "tolerations": [{"operator": "Exists"}], "nodeSelector": {"a": "b"}}
    tenant.eks.create_addon(clusterName="demo", addonName="coredns", configurationValues=json.dumps(values))
    tenant.addon_in("DEGRADED", "coredns")
    spec = tenant.kube("demo").objects[_COREDNS]["spec"]
    assert spec["replicas"] == 3
    assert spec["template"]["spec"]["tolerations"] == [{"operator": "Exists"}]
    assert spec["template"]["spec"]["nodeSelector"] == {"a": "b"}
    version = tenant.eks.describe_addon(clusterName="demo", addonName="coredns")["addon"]["addonVersion"]
    answer = tenant.eks.describe_addon_configuration(addonName="coredns", addonVersion=version)
    assert "replicaCount" in json.loads(answer["configurationSchema"])["properties"]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"replicas": 3}, "$.replicas: is not defined in the schema"),
        ({"replicaCount": "3"}, "str found, integer expected"),
        ({"replicaCount": -1}, "minimum value of 0"),
        ({"nodeSelector": {"a": 1}}, "$.nodeSelector.a: int found, string expected"),
    ],
)
def test_bad_configuration_values_are_refused(standing: Tenant, values: dict[str, Any], says: str) -> None:
    wanted = {"clusterName": "demo", "addonName": "coredns", "configurationValues": json.dumps(values)}
    code, message = code_of(lambda: standing.eks.create_addon(**wanted))
    assert code == "InvalidParameterException"
    assert says in message


def test_values_of_somebody_else_are_a_conflict_unless_overwritten(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.kube("demo").managers[_COREDNS] = "kubectl"
    tenant.eks.create_addon(clusterName="demo", addonName="coredns")
    failed = tenant.addon_in("CREATE_FAILED", "coredns")
    assert failed["health"]["issues"][0]["code"] == "ConfigurationConflict"
    tenant.eks.delete_addon(clusterName="demo", addonName="coredns", preserve=True)
    place = {"clusterName": "demo", "addonName": "coredns"}
    until(gone(lambda: tenant.eks.describe_addon(**place)), "the end of the add-on")
    tenant.eks.create_addon(**place, resolveConflicts="OVERWRITE")
    tenant.addon_in("DEGRADED", "coredns")


def test_deleting_removes_the_objects_unless_they_are_preserved(tenant: Tenant) -> None:
    tenant.cluster()
    for name in ("coredns", "eks-pod-identity-agent"):
        tenant.eks.create_addon(clusterName="demo", addonName=name)
    tenant.addon_in("DEGRADED", "coredns")
    tenant.addon_in("ACTIVE", "eks-pod-identity-agent")
    tenant.eks.delete_addon(clusterName="demo", addonName="coredns", preserve=True)
    tenant.eks.delete_addon(clusterName="demo", addonName="eks-pod-identity-agent")
    until(lambda: not tenant.eks.list_addons(clusterName="demo")["addons"], "the end of the add-ons")
    assert _COREDNS in tenant.kube("demo").objects
    assert _AGENT not in tenant.kube("demo").objects


def test_an_addon_owns_its_pod_identity_association(tenant: Tenant) -> None:
    tenant.cluster()
    wanted = [{"serviceAccount": "aws-node", "roleArn": tenant.pod_role()}]
    addon = tenant.eks.create_addon(clusterName="demo", addonName="vpc-cni", podIdentityAssociations=wanted)["addon"]
    summary = tenant.eks.list_pod_identity_associations(clusterName="demo")["associations"][0]
    assert summary["ownerArn"] == addon["addonArn"]
    assert addon["podIdentityAssociations"] == [summary["associationArn"]]
    refused = code_of(
        lambda: tenant.eks.delete_pod_identity_association(clusterName="demo", associationId=summary["associationId"])
    )
    assert refused[0] == "InvalidRequestException"
    tenant.addon_in("ACTIVE", "vpc-cni")
    tenant.eks.delete_addon(clusterName="demo", addonName="vpc-cni")
    assert tenant.eks.list_pod_identity_associations(clusterName="demo")["associations"] == []


def test_bad_addons_name_what_is_wrong(tenant: Tenant) -> None:
    tenant.cluster()
    for change, code, says in (
        ({"addonName": "nothing"}, "InvalidParameterException", "Addon nothing specified is not supported"),
        ({"addonName": "metrics-server"}, "InvalidParameterException", "cannot run the add-on metrics-server"),
        ({"addonVersion": "v0"}, "InvalidParameterException", "version specified is not supported"),
        ({"clusterName": "none"}, "ResourceNotFoundException", "none"),
        ({"serviceAccountRoleArn": "arn"}, "InvalidParameterException", "serviceAccountRoleArn is not supported"),
        (
            {"podIdentityAssociations": [{"serviceAccount": "x", "roleArn": "arn"}]},
            "InvalidParameterException",
            "no service account x",
        ),
    ):
        wanted = {"clusterName": "demo", "addonName": "coredns"} | change
        found = code_of(partial(tenant.eks.create_addon, **wanted))
        assert found[0] == code
        assert says in found[1]
    place = {"clusterName": "demo", "addonName": "coredns"}
    assert code_of(lambda: tenant.eks.describe_addon(**place))[0] == "ResourceNotFoundException"
    tenant.eks.create_addon(**place)
    assert code_of(lambda: tenant.eks.create_addon(**place))[0] == "ResourceInUseException"


def test_a_kube_proxy_goes_with_clusters_up_to_three_minors_newer(standing: Tenant) -> None:
    [addon] = standing.eks.describe_addon_versions(addonName="kube-proxy")["addons"]
    found = {
        one["addonVersion"]: {part["clusterVersion"]: part["defaultVersion"] for part in one["compatibilities"]}
        for one in addon["addonVersions"]
    }
    assert found["v1.33.10-eksbuild.13"] == {"1.36": False, "1.35": False, "1.34": False, "1.33": False}
    assert "1.36" not in found["v1.32.13-eksbuild.16"]
    assert found["v1.36.0-eksbuild.7"] == {"1.36": True}
    only = standing.eks.describe_addon_versions(addonName="kube-proxy", kubernetesVersion="1.35")["addons"][0]
    assert {part["clusterVersion"] for one in only["addonVersions"] for part in one["compatibilities"]} == {"1.35"}


def test_versions_can_be_filtered(tenant: Tenant) -> None:
    names = {one["addonName"] for one in tenant.eks.describe_addon_versions()["addons"]}
    assert {"vpc-cni", "kube-proxy", "coredns", "eks-pod-identity-agent", "metrics-server"} <= names
    networking = tenant.eks.describe_addon_versions(types=["networking"])["addons"]
    assert {one["addonName"] for one in networking} == {"vpc-cni", "kube-proxy", "coredns"}
    assert tenant.eks.describe_addon_versions(owners=["community"])["addons"] == []
    missing = code_of(lambda: tenant.eks.describe_addon_versions(addonName="nothing"))
    assert missing[0] == "ResourceNotFoundException"


def _image(tenant: Tenant) -> str:
    image: str = tenant.kube("demo").objects[_COREDNS]["spec"]["template"]["spec"]["containers"][0]["image"]
    return image
