"""Clusters through boto3: life, defaults, and every refusal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.waiting import until

from .helpers import REGION, code_of, gone
from .world import Tenant


def test_a_cluster_is_creating_without_an_endpoint_and_then_active_with_one(tenant: Tenant) -> None:
    created = tenant.create()
    assert created["status"] == "CREATING"
    assert "endpoint" not in created
    assert created["certificateAuthority"] == {}
    active = tenant.settled()
    assert active["status"] == "ACTIVE"
    assert active["endpoint"] == tenant.kube("demo").url
    assert active["certificateAuthority"]["data"] == "Y2E="
    assert active["identity"]["oidc"]["issuer"].startswith(f"https://oidc.eks.{REGION}.amazonaws.com/id/")
    assert active["arn"] == f"arn:aws:eks:{REGION}:{tenant.id}:cluster/demo"
    assert tenant.key("demo") in tenant.world.agents.running


def test_a_cluster_has_the_defaults_of_aws(tenant: Tenant) -> None:
    found = tenant.cluster(accessConfig={})
    assert found["version"] == "1.36"
    assert found["accessConfig"] == {
        "authenticationMode": "CONFIG_MAP",
        "bootstrapClusterCreatorAdminPermissions": True,
    }
    assert found["kubernetesNetworkConfig"]["serviceIpv4Cidr"] == "10.100.0.0/16"
    assert found["resourcesVpcConfig"]["endpointPublicAccess"] is True
    assert found["resourcesVpcConfig"]["endpointPrivateAccess"] is False
    assert found["resourcesVpcConfig"]["publicAccessCidrs"] == ["0.0.0.0/0"]
    assert found["upgradePolicy"] == {"supportType": "EXTENDED"}
    assert found["zonalShiftConfig"] == {"enabled": False}
    assert found["health"] == {"issues": []}
    assert [one["enabled"] for one in found["logging"]["clusterLogging"]] == [False]


def test_the_cluster_security_group_lets_its_members_talk(tenant: Tenant) -> None:
    identity = tenant.cluster()["resourcesVpcConfig"]["clusterSecurityGroupId"]
    group = tenant.client("ec2").describe_security_groups(GroupIds=[identity])["SecurityGroups"][0]
    tags = {tag["Key"]: tag["Value"] for tag in group["Tags"]}
    assert tags["aws:eks:cluster-name"] == "demo"
    assert tags["kubernetes.io/cluster/demo"] == "owned"
    assert group["GroupName"].startswith("eks-cluster-sg-demo-")
    assert group["IpPermissions"][0]["UserIdGroupPairs"][0]["GroupId"] == identity
    assert group["IpPermissionsEgress"][0]["IpRanges"] == [{"CidrIp": "0.0.0.0/0"}]


def test_a_new_cluster_has_self_managed_addons_and_the_pod_identity_webhook(tenant: Tenant) -> None:
    tenant.cluster()
    objects = tenant.kube("demo").objects
    namespace = "/apis/apps/v1/namespaces/kube-system"
    assert f"{namespace}/daemonsets/aws-node" in objects
    assert f"{namespace}/daemonsets/kube-proxy" in objects
    assert objects[f"{namespace}/deployments/coredns"]["spec"]["replicas"] == 2
    assert objects["/api/v1/namespaces/kube-system/services/kube-dns"]["spec"]["clusterIP"] == "10.100.0.10"
    hook = objects["/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/pod-identity-webhook"]
    spec = tenant.world.planes.specs[tenant.key("demo")]
    assert hook["webhooks"][0]["clientConfig"]["url"] == spec.admission_url
    assert tenant.eks.list_addons(clusterName="demo")["addons"] == []


def test_self_managed_addons_can_be_left_out(tenant: Tenant) -> None:
    tenant.cluster(bootstrapSelfManagedAddons=False)
    assert not any("daemonsets" in path for path in tenant.kube("demo").objects)


def test_a_control_plane_that_does_not_start_fails_the_cluster(tenant: Tenant) -> None:
    tenant.world.planes.failure = "kube-apiserver ended: no such flag"
    failed = tenant.cluster()
    assert failed["status"] == "FAILED"
    assert failed["health"]["issues"][0]["code"] == "InternalFailure"
    assert "no such flag" in failed["health"]["issues"][0]["message"]
    tenant.eks.delete_cluster(name="demo")
    until(gone(lambda: tenant.eks.describe_cluster(name="demo")), "the end of the cluster")


def test_deleting_takes_everything_away(tenant: Tenant) -> None:
    before = tenant.client("ec2").describe_security_groups()["SecurityGroups"]
    tenant.cluster()
    assert tenant.eks.delete_cluster(name="demo")["cluster"]["status"] == "DELETING"
    until(gone(lambda: tenant.eks.describe_cluster(name="demo")), "the end of the cluster")
    assert tenant.client("ec2").describe_security_groups()["SecurityGroups"] == before
    assert tenant.key("demo") not in tenant.world.agents.running
    assert tenant.key("demo") not in tenant.world.planes.kubes
    assert tenant.eks.list_clusters()["clusters"] == []


def test_a_protected_cluster_is_not_deleted(tenant: Tenant) -> None:
    tenant.cluster(deletionProtection=True)
    code, message = code_of(lambda: tenant.eks.delete_cluster(name="demo"))
    assert code == "InvalidRequestException"
    assert "deletion protection" in message


def test_a_cluster_that_is_being_created_is_not_deleted(tenant: Tenant) -> None:
    tenant.world.planes.held.add("demo")
    tenant.create()
    refused = code_of(lambda: tenant.eks.delete_cluster(name="demo"))
    tenant.world.planes.held.clear()
    assert refused[0] == "ResourceInUseException"
    tenant.settled()


def test_names_are_unique_in_an_account_and_free_in_another(tenant: Tenant) -> None:
    tenant.cluster()
    code, message = code_of(tenant.create)
    assert (code, message) == ("ResourceInUseException", "Cluster already exists with name: demo")


def test_the_same_token_gives_the_same_cluster_and_other_parameters_an_error(tenant: Tenant) -> None:
    first = tenant.create(clientRequestToken="once")
    assert tenant.create(clientRequestToken="once")["arn"] == first["arn"]
    assert code_of(lambda: tenant.create(clientRequestToken="once", tags={"a": "b"}))[0] == "InvalidParameterException"
    tenant.settled()


def test_clusters_are_listed_in_pages(tenant: Tenant) -> None:
    for name in ("one", "two", "three"):
        tenant.cluster(name)
    first = tenant.eks.list_clusters(maxResults=2)
    assert first["clusters"] == ["one", "three"]
    assert tenant.eks.list_clusters(maxResults=2, nextToken=first["nextToken"])["clusters"] == ["two"]
    assert code_of(lambda: tenant.eks.list_clusters(nextToken="o-9"))[0] == "InvalidParameterException"


def test_a_cluster_that_is_not_there(tenant: Tenant) -> None:
    expected = ("ResourceNotFoundException", "No cluster found for name: none.")
    assert code_of(lambda: tenant.eks.describe_cluster(name="none")) == expected
    assert code_of(lambda: tenant.eks.delete_cluster(name="none")) == expected


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"name": "no spaces"}, "regular expression"),
        ({"name": "x" * 101}, "at most 100"),
        ({"version": "1.31"}, "unsupported Kubernetes version 1.31"),
        ({"version": "1.34"}, "has no control plane for Kubernetes 1.34"),
        ({"roleArn": "arn:aws:iam::123456789012:role/none"}, "does not exist or the trusted entity"),
        ({"encryptionConfig": []}, "encryptionConfig is not supported"),
        ({"computeConfig": {"enabled": True}}, "computeConfig is not supported"),
        ({"kubernetesNetworkConfig": {"ipFamily": "ipv6"}}, "ipv6 is not supported"),
        ({"kubernetesNetworkConfig": {"serviceIpv4Cidr": "8.8.8.0/24"}}, "must be within"),
        ({"kubernetesNetworkConfig": {"serviceIpv4Cidr": "10.0.0.0/8"}}, "between /24 and /12"),
        ({"kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.31.0.0/16"}}, "overlaps"),
        ({"tags": {"aws:mine": "x"}}, "reserved"),
        (
            {"accessConfig": {"authenticationMode": "CONFIG_MAP", "bootstrapClusterCreatorAdminPermissions": False}},
            "must be true",
        ),
    ],
)
def test_bad_requests_name_what_is_wrong(tenant: Tenant, change: dict[str, Any], says: str) -> None:
    code, message = code_of(lambda: tenant.create(**change))
    assert code == "InvalidParameterException"
    assert says in message
    assert tenant.eks.list_clusters()["clusters"] == []


def test_subnets_must_be_two_in_two_zones_and_exist(tenant: Tenant) -> None:
    def create(**config: Any) -> tuple[str, str]:
        base = {"subnetIds": tenant.subnets}
        return code_of(lambda: tenant.create(resourcesVpcConfig=base | config))

    assert "two different AZs" in create(subnetIds=tenant.subnets[:1])[1]
    assert "subnet-0123" in create(subnetIds=[tenant.subnets[0], "subnet-0123"])[1]
    ec2 = tenant.client("ec2")
    zone = ec2.describe_subnets(SubnetIds=tenant.subnets[:1])["Subnets"][0]["AvailabilityZone"]
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    here = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.9.{n}.0/24", AvailabilityZone=zone)["Subnet"]["SubnetId"]
        for n in (1, 2)
    ]
    assert "two different AZs" in create(subnetIds=here)[1]
    assert "must belong to one VPC" in create(subnetIds=[tenant.subnets[1], here[0]])[1]
    group = ec2.create_security_group(GroupName="g", Description="g", VpcId=vpc)["GroupId"]
    assert "is not in vpc" in create(securityGroupIds=[group])[1]
    assert "cannot both be false" in create(endpointPublicAccess=False)[1]
    assert "not valid" in create(publicAccessCidrs=["everywhere"])[1]


def test_a_role_that_eks_may_not_assume_is_refused(tenant: Tenant) -> None:
    code, message = code_of(lambda: tenant.create(roleArn=tenant.node_role))
    assert code == "InvalidParameterException"
    assert "could not be assumed" in message


def test_versions_are_described_with_their_support(tenant: Tenant) -> None:
    found = tenant.eks.describe_cluster_versions()["clusterVersions"]
    assert [one["clusterVersion"] for one in found][:2] == ["1.36", "1.35"]
    assert found[0]["versionStatus"] == "STANDARD_SUPPORT"
    only = tenant.eks.describe_cluster_versions(defaultOnly=True)["clusterVersions"]
    assert [one["clusterVersion"] for one in only] == ["1.36"]
    extended = tenant.eks.describe_cluster_versions(versionStatus="EXTENDED_SUPPORT")["clusterVersions"]
    assert "1.32" in [one["clusterVersion"] for one in extended]


def test_what_the_sandbox_has_not_is_an_error_that_the_log_shows(tenant: Tenant) -> None:
    code, message = code_of(lambda: tenant.eks.list_fargate_profiles(clusterName="demo"))
    assert code == "UnsupportedOperationException"
    assert "ListFargateProfiles" in message
