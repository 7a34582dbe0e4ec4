"""Clusters and node groups as the API shows them. Pure."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sandbox.eks.model import Cluster, Issue, Nodegroup

LOG_TYPES = ["api", "audit", "authenticator", "controllerManager", "scheduler"]


def cluster_view(cluster: Cluster) -> dict[str, Any]:
    """https://docs.aws.amazon.com/eks/latest/APIReference/API_Cluster.html."""
    return {
        "name": cluster.name,
        "arn": cluster.arn,
        "createdAt": cluster.created_at,
        "version": cluster.version,
        "endpoint": cluster.endpoint,
        "roleArn": cluster.role_arn,
        "resourcesVpcConfig": _vpc_config(cluster),
        "kubernetesNetworkConfig": {
            "serviceIpv4Cidr": cluster.service_cidr,
            "ipFamily": "ipv4",
            "elasticLoadBalancing": {"enabled": False},
        },
        "logging": {"clusterLogging": _logging(cluster.log_types)},
        "identity": {"oidc": {"issuer": cluster.oidc_issuer}} if cluster.endpoint else None,
        "status": cluster.status,
        "certificateAuthority": {"data": cluster.ca_data},
        "clientRequestToken": cluster.client_request_token,
        "platformVersion": cluster.platform_version,
        "tags": cluster.tags,
        "health": {"issues": [issue_view(issue) for issue in cluster.issues]},
        "accessConfig": {
            "bootstrapClusterCreatorAdminPermissions": cluster.bootstrap_creator_admin,
            "authenticationMode": cluster.authentication_mode,
        },
        "upgradePolicy": {"supportType": cluster.support_type},
        "zonalShiftConfig": {"enabled": cluster.zonal_shift},
        "computeConfig": {"enabled": False},
        "storageConfig": {"blockStorage": {"enabled": False}},
        "deletionProtection": cluster.deletion_protection,
        "controlPlaneScalingConfig": {"tier": "standard"},
    }


def _vpc_config(cluster: Cluster) -> dict[str, Any]:
    return {
        "subnetIds": cluster.subnet_ids,
        "securityGroupIds": cluster.security_group_ids,
        "clusterSecurityGroupId": cluster.cluster_security_group_id,
        "vpcId": cluster.vpc_id,
        "endpointPublicAccess": cluster.endpoint_public_access,
        "endpointPrivateAccess": cluster.endpoint_private_access,
        "publicAccessCidrs": cluster.public_access_cidrs if cluster.endpoint_public_access else [],
    }


def nodegroup_view(group: Nodegroup, cluster_name: str) -> dict[str, Any]:
    """https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html."""
    return {
        "nodegroupName": group.name,
        "nodegroupArn": group.arn,
        "clusterName": cluster_name,
        "version": group.version,
        "releaseVersion": group.release_version,
        "createdAt": group.created_at,
        "modifiedAt": group.modified_at,
        "status": group.status,
        "capacityType": group.capacity_type,
        "scalingConfig": {"minSize": group.min_size, "maxSize": group.max_size, "desiredSize": group.desired_size},
        "instanceTypes": None if group.types_in_template else group.instance_types,
        "subnets": group.subnets,
        "amiType": group.ami_type,
        "nodeRole": group.node_role,
        "labels": group.labels,
        "taints": [{"key": one.key, "value": one.value, "effect": one.effect} for one in group.taints],
        "resources": {"autoScalingGroups": [{"name": group.auto_scaling_group}]},
        "diskSize": None if group.custom_template else group.disk_size,
        "launchTemplate": asdict(group.custom_template) if group.custom_template else None,
        "health": {"issues": [issue_view(issue) for issue in group.issues]},
        "updateConfig": group.update_config,
        "tags": group.tags,
    }


def issue_view(issue: Issue) -> dict[str, Any]:
    """One entry of a resource's health."""
    return {"code": issue.code, "message": issue.message, "resourceIds": issue.resource_ids}


def _logging(enabled: list[str]) -> list[dict[str, Any]]:
    disabled = [one for one in LOG_TYPES if one not in enabled]
    parts = [{"types": enabled, "enabled": True}, {"types": disabled, "enabled": False}]
    return [part for part in parts if part["types"]]
