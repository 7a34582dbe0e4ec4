"""Clusters: create, describe, list, delete.

https://docs.aws.amazon.com/eks/latest/userguide/create-cluster.html
https://docs.aws.amazon.com/eks/latest/userguide/delete-cluster.html
"""

from __future__ import annotations

import secrets
from functools import partial
from typing import Any

from sandbox.eks import access, iam, network, tags, tokens, versions
from sandbox.eks.context import Caller, Context, now, page, refuse
from sandbox.eks.errors import in_use, invalid_parameter, invalid_request, not_supported
from sandbox.eks.lifecycle import Lifecycle
from sandbox.eks.model import Cluster
from sandbox.eks.presentation import cluster_view

_NOT_HERE = (
    "computeConfig",
    "controlPlaneScalingConfig",
    "encryptionConfig",
    "kubeApiServerConfig",
    "kubeControllerManagerConfig",
    "kubeSchedulerConfig",
    "outpostConfig",
    "remoteNetworkConfig",
    "storageConfig",
)


class Clusters:
    """The operations on clusters."""

    def __init__(self, context: Context, life: Lifecycle) -> None:
        self._context = context
        self._life = life

    async def create_cluster(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html."""
        refuse(params, *_NOT_HERE)
        name = params["name"]
        self._refuse_existing(caller, name)
        minor = versions.choose(params.get("version"), self._context.startable_minors)
        mode, admin = access.creation_modes(params.get("accessConfig", {}))
        vpc = _vpc_config(params["resourcesVpcConfig"])
        await self._check_role(caller, params["roleArn"])
        place = await network.cluster_place(self._context, caller, vpc["subnet_ids"])
        await network.check_security_groups(self._context, caller, vpc["security_group_ids"], place.vpc_id)
        network_config = params.get("kubernetesNetworkConfig", {})
        refuse_ipv6(network_config)
        cluster = Cluster(
            account=caller.account,
            region=caller.region,
            name=name,
            arn=caller.arn(f"cluster/{name}"),
            status="CREATING",
            version=minor.name,
            platform_version=minor.platform,
            role_arn=params["roleArn"],
            vpc_id=place.vpc_id,
            service_cidr=network.service_cidr(network_config.get("serviceIpv4Cidr"), place.vpc_cidrs),
            oidc_issuer=f"https://oidc.eks.{caller.region}.amazonaws.com/id/{secrets.token_hex(16).upper()}",
            authentication_mode=mode,
            bootstrap_creator_admin=admin,
            creator=await access.creator(self._context, caller),
            secret=secrets.token_urlsafe(24),
            created_at=now(),
            tags=tags.check(params.get("tags")),
            **vpc,
            **_choices(params),
        )
        return self._begin(cluster, params)

    async def describe_cluster(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeCluster.html."""
        return {"cluster": cluster_view(self._context.store.get(caller.key(params["name"])))}

    async def list_clusters(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_ListClusters.html."""
        names = [cluster.name for cluster in self._context.store.of(caller.account, caller.region)]
        return page(params, names, "clusters")

    async def describe_cluster_versions(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeClusterVersions.html."""
        return page(params, versions.describe(params), "clusterVersions")

    async def delete_cluster(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DeleteCluster.html."""
        cluster = self._context.store.get(caller.key(params["name"]))
        if cluster.nodegroups:
            raise in_use("Cluster has nodegroups attached", clusterName=cluster.name)
        if cluster.deletion_protection:
            raise invalid_request(
                "Cluster has deletion protection enabled; disable it before deleting the cluster.",
                clusterName=cluster.name,
            )
        if cluster.status in ("CREATING", "UPDATING"):
            raise in_use(f"Cluster is in status {cluster.status}.", clusterName=cluster.name)
        if cluster.status != "DELETING":
            cluster.status = "DELETING"
            self._context.store.save(cluster)
            give_up = partial(self._life.give_up, cluster)
            self._context.spawn(self._life.delete(cluster), f"deleting {cluster.arn}", give_up, cluster)
        return {"cluster": cluster_view(cluster)}

    def _begin(self, cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
        # Nothing was awaited since the last check of IAM and EC2; another request may have been faster all the same.
        if self._context.store.find(cluster.key) is not None:
            raise _exists(cluster.name)
        answer = {"cluster": cluster_view(cluster)}
        tokens.remember(cluster, "CreateCluster", params, answer, "cluster")
        self._context.store.add(cluster)
        give_up = partial(self._life.give_up, cluster)
        self._context.spawn(self._life.create(cluster), f"creating {cluster.arn}", give_up, cluster)
        return answer

    def _refuse_existing(self, caller: Caller, name: str) -> None:
        if self._context.store.find(caller.key(name)) is not None:
            raise _exists(name)

    async def _check_role(self, caller: Caller, arn: str) -> None:
        """https://docs.aws.amazon.com/eks/latest/userguide/cluster-iam-role.html."""
        role = await iam.look_up(self._context, arn, caller.region)
        if role is None or not iam.trusts(role.trust, "eks.amazonaws.com", "sts:AssumeRole"):
            raise invalid_parameter(
                f"Role with arn: {arn}, could not be assumed because it does not exist or the trusted entity is not "
                "correct"
            )


def refuse_ipv6(wanted: dict[str, Any]) -> None:
    """Raise InvalidParameterException for a network configuration that the sandbox has not."""
    if wanted.get("ipFamily", "ipv4") != "ipv4":
        raise not_supported("kubernetesNetworkConfig.ipFamily ipv6")
    if wanted.get("elasticLoadBalancing", {}).get("enabled"):
        raise not_supported("kubernetesNetworkConfig.elasticLoadBalancing")


def log_types(logging: dict[str, Any], before: list[str]) -> list[str]:
    """The types of control plane logs that are on after a request's changes."""
    enabled = set(before)
    for setup in logging.get("clusterLogging", []):
        types = set(setup.get("types", []))
        enabled = enabled | types if setup.get("enabled") else enabled - types
    return sorted(enabled)


def check_endpoint_access(public: bool, private: bool) -> None:
    """https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html."""
    if not public and not private:
        raise invalid_parameter("Private and public endpoint access cannot both be false.")


def _choices(params: dict[str, Any]) -> dict[str, Any]:
    """The parts of a request that a cluster keeps as they are, with EKS' defaults."""
    return {
        "support_type": params.get("upgradePolicy", {}).get("supportType", "EXTENDED"),
        "zonal_shift": params.get("zonalShiftConfig", {}).get("enabled", False),
        "deletion_protection": params.get("deletionProtection", False),
        "self_managed_addons": params.get("bootstrapSelfManagedAddons", True),
        "log_types": log_types(params.get("logging", {}), []),
        "client_request_token": params.get("clientRequestToken"),
    }


def _vpc_config(wanted: dict[str, Any]) -> dict[str, Any]:
    refuse(wanted, "controlPlaneEgressMode")
    config = {
        "subnet_ids": wanted.get("subnetIds", []),
        "security_group_ids": wanted.get("securityGroupIds", []),
        "endpoint_public_access": wanted.get("endpointPublicAccess", True),
        "endpoint_private_access": wanted.get("endpointPrivateAccess", False),
        "public_access_cidrs": wanted.get("publicAccessCidrs") or ["0.0.0.0/0"],
    }
    check_endpoint_access(config["endpoint_public_access"], config["endpoint_private_access"])
    network.check_cidrs(config["public_access_cidrs"])
    return config


def _exists(name: str) -> Exception:
    return in_use(f"Cluster already exists with name: {name}", clusterName=name)
