# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""An EKS cluster as wanted and as observed. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from .._core.errors import EksopsError
from .._eks.common import health_issues, instant, kubernetes_version, text_tags

LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")
AUTHENTICATION_MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")
"""In the only direction in which EKS changes them:
https://docs.aws.amazon.com/eks/latest/userguide/setting-up-access-entries.html"""


@dataclass(frozen=True)
class ClusterSpec:
    """The cluster as wanted. None means "not stated": the default of EKS at creation, left alone later.

    :ivar discovery_tags: tags on the cluster's security group and on ``discovery_subnet_ids``.
    """

    name: str
    kubernetes_version: str | None = None
    role_arn: str | None = None
    subnet_ids: tuple[str, ...] | None = None
    security_group_ids: tuple[str, ...] | None = None
    endpoint_public_access: bool | None = None
    endpoint_private_access: bool | None = None
    public_access_cidrs: tuple[str, ...] | None = None
    authentication_mode: str | None = None
    bootstrap_cluster_creator_admin_permissions: bool = True
    bootstrap_self_managed_addons: bool = False
    service_ipv4_cidr: str | None = None
    zonal_shift: bool | None = None
    logging_types: tuple[str, ...] | None = None
    support_type: str | None = None
    deletion_protection: bool | None = None
    tags: dict[str, str] | None = None
    purge_tags: bool = False
    discovery_tags: dict[str, str] | None = None
    discovery_subnet_ids: tuple[str, ...] | None = None

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> ClusterSpec:
        """From module options of the same names. Raises EksopsError for a value that cannot be meant."""
        values = {item.name: params[item.name] for item in fields(cls) if params.get(item.name) is not None}
        values["kubernetes_version"] = kubernetes_version(params.get("kubernetes_version"))
        for name in (
            "subnet_ids",
            "security_group_ids",
            "public_access_cidrs",
            "logging_types",
            "discovery_subnet_ids",
        ):
            if values.get(name) is not None:
                values[name] = tuple(values[name])
        for name in ("tags", "discovery_tags"):
            values[name] = text_tags(params.get(name))
        spec = cls(**values)
        spec._check()
        return spec

    def _check(self) -> None:
        for name, allowed in (("logging_types", LOG_TYPES), ("authentication_mode", AUTHENTICATION_MODES)):
            value = getattr(self, name)
            given = value if isinstance(value, tuple) else (value,)
            wrong = [item for item in given if item is not None and item not in allowed]
            if wrong:
                raise EksopsError(f"{wrong[0]!r} is not known", where=name, allowed=", ".join(allowed))
        if self.endpoint_public_access is False and self.endpoint_private_access is False:
            raise EksopsError(
                "With neither public nor private access nobody reaches the cluster's endpoint",
                where="endpoint_public_access, endpoint_private_access",
                allowed="at least one of them true",
            )


@dataclass(frozen=True)
class Cluster:
    """The cluster as EKS describes it, in the form that modules return. Values that are not known yet are None.

    :ivar exists: false for a prediction of check mode.
    """

    name: str
    exists: bool = True
    arn: str | None = None
    account_id: str | None = None
    partition: str | None = None
    region: str | None = None
    status: str | None = None
    kubernetes_version: str | None = None
    platform_version: str | None = None
    endpoint: str | None = None
    certificate_authority_data: str | None = None
    oidc_issuer: str | None = None
    role_arn: str | None = None
    vpc_id: str | None = None
    subnet_ids: tuple[str, ...] = ()
    security_group_ids: tuple[str, ...] = ()
    cluster_security_group_id: str | None = None
    endpoint_public_access: bool | None = None
    endpoint_private_access: bool | None = None
    public_access_cidrs: tuple[str, ...] = ()
    service_ipv4_cidr: str | None = None
    ip_family: str | None = None
    authentication_mode: str | None = None
    logging_types: tuple[str, ...] = ()
    support_type: str | None = None
    zonal_shift: bool | None = None
    deletion_protection: bool | None = None
    tags: dict[str, str] = field(default_factory=dict)
    health_issues: tuple[dict[str, Any], ...] = ()
    created_at: str | None = None

    @classmethod
    def from_api(cls, raw: Mapping[str, Any]) -> Cluster:
        """From the ``cluster`` of DescribeCluster.

        https://docs.aws.amazon.com/eks/latest/APIReference/API_Cluster.html
        """
        network = raw.get("kubernetesNetworkConfig") or {}
        return cls(
            name=raw["name"],
            status=raw.get("status"),
            kubernetes_version=raw.get("version"),
            platform_version=raw.get("platformVersion"),
            endpoint=raw.get("endpoint"),
            certificate_authority_data=(raw.get("certificateAuthority") or {}).get("data"),
            oidc_issuer=((raw.get("identity") or {}).get("oidc") or {}).get("issuer"),
            role_arn=raw.get("roleArn"),
            service_ipv4_cidr=network.get("serviceIpv4Cidr"),
            ip_family=network.get("ipFamily"),
            authentication_mode=(raw.get("accessConfig") or {}).get("authenticationMode"),
            logging_types=_enabled_logs(raw),
            support_type=(raw.get("upgradePolicy") or {}).get("supportType"),
            zonal_shift=bool((raw.get("zonalShiftConfig") or {}).get("enabled", False)),
            deletion_protection=bool(raw.get("deletionProtection", False)),
            tags=dict(raw.get("tags") or {}),
            health_issues=health_issues(raw),
            created_at=instant(raw.get("createdAt")),
            **_vpc(raw.get("resourcesVpcConfig") or {}),
            **_identity(raw.get("arn")),
        )

    @classmethod
    def predicted(cls, spec: ClusterSpec) -> Cluster:
        """What a creation would make, as far as it can be known before it."""
        return cls(
            name=spec.name,
            exists=False,
            kubernetes_version=spec.kubernetes_version,
            role_arn=spec.role_arn,
            subnet_ids=spec.subnet_ids or (),
            security_group_ids=spec.security_group_ids or (),
            endpoint_public_access=spec.endpoint_public_access,
            endpoint_private_access=spec.endpoint_private_access,
            public_access_cidrs=spec.public_access_cidrs or (),
            service_ipv4_cidr=spec.service_ipv4_cidr,
            authentication_mode=spec.authentication_mode or "API",
            logging_types=spec.logging_types or (),
            support_type=spec.support_type,
            zonal_shift=spec.zonal_shift,
            deletion_protection=spec.deletion_protection,
            tags=dict(spec.tags or {}),
        )

    def as_dict(self) -> dict[str, Any]:
        """The cluster as modules return it: plain data, lists instead of tuples."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}


def _vpc(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "vpc_id": raw.get("vpcId"),
        "subnet_ids": tuple(raw.get("subnetIds") or ()),
        "security_group_ids": tuple(raw.get("securityGroupIds") or ()),
        "cluster_security_group_id": raw.get("clusterSecurityGroupId"),
        "endpoint_public_access": raw.get("endpointPublicAccess"),
        "endpoint_private_access": raw.get("endpointPrivateAccess"),
        "public_access_cidrs": tuple(raw.get("publicAccessCidrs") or ()),
    }


def _identity(arn: str | None) -> dict[str, Any]:
    # arn:<partition>:eks:<region>:<account>:cluster/<name>
    parts = (arn or "").split(":")
    if len(parts) < 6:
        return {"arn": arn}
    return {"arn": arn, "partition": parts[1], "region": parts[3], "account_id": parts[4]}


def _enabled_logs(raw: Mapping[str, Any]) -> tuple[str, ...]:
    setups = (raw.get("logging") or {}).get("clusterLogging") or []
    return tuple(sorted({kind for setup in setups if setup.get("enabled") for kind in setup.get("types") or []}))
