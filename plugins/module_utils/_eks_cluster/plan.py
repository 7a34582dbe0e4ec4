# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What to write so that a cluster is as wanted. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from .._core.errors import EksopsError
from .._core.plan import Plan, Step
from .._eks.common import health_text, tag_changes
from .model import AUTHENTICATION_MODES, LOG_TYPES, Cluster, ClusterSpec

KIND = "Cluster"
TAGS = "Tags"
DISCOVERY = "Discovery tags"
CLUSTER_GROUP = "cluster security group"
"""Stands for the group of a cluster that is still to be created."""
ON_THE_WAY = ("CREATING", "PENDING", "UPDATING")

ResourceTags = Mapping[str, Mapping[str, str]]
"""Tags by resource id, of the subnets and the security group that discovery is about."""


def present_plan(spec: ClusterSpec, cluster: Cluster | None, tags: ResourceTags | None = None) -> Plan:
    """The writes that lead to the wanted cluster.

    :param tags: the present tags of what is to carry the discovery tags; what is missing in it has none.
    Raises EksopsError when the cluster is in no state to be changed, or differs in what EKS never changes.
    """
    if cluster is None:
        _require(spec)
        create = Step("create", KIND, spec.name, after=creation(spec))
        return Plan((create, *_discovery(spec, None, tags or {})))
    _refuse_state(cluster)
    _refuse_immutable(spec, cluster)
    # Karpenter needs the tags, and they need nobody: an update of EKS takes minutes.
    return Plan((*_discovery(spec, cluster, tags or {}), *_updates(spec, cluster)), _notices(spec, cluster))


def absent_plan(spec: ClusterSpec, cluster: Cluster | None, tags: ResourceTags | None = None) -> Plan:
    """The writes that take the cluster away, and the discovery tags off what is left.

    Raises EksopsError when deletion protection is on and not asked to be switched off.
    """
    steps: list[Step] = []
    if cluster is not None and cluster.status != "DELETING":
        if cluster.deletion_protection:
            if spec.deletion_protection is not False:
                raise EksopsError(
                    f"Cluster {cluster.name} is protected against deletion",
                    where="deletion_protection",
                    next_step="set deletion_protection to false if it really is to go",
                )
            steps.append(Step("update", "DeletionProtectionUpdate", cluster.name, before=True, after=False))
        steps.append(Step("delete", KIND, cluster.name, before=_summary(cluster)))
    steps.extend(_untag(spec, tags or {}))
    return Plan(tuple(steps))


def creation(spec: ClusterSpec) -> dict[str, Any]:
    """What CreateCluster is asked for, without what is not stated; the token comes at the time of the call.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html
    """
    request: dict[str, Any] = {
        "name": spec.name,
        "roleArn": spec.role_arn,
        "version": spec.kubernetes_version,
        "resourcesVpcConfig": _stated(
            subnetIds=_list(spec.subnet_ids),
            securityGroupIds=_list(spec.security_group_ids),
            endpointPublicAccess=spec.endpoint_public_access,
            endpointPrivateAccess=spec.endpoint_private_access,
            publicAccessCidrs=_list(spec.public_access_cidrs),
        ),
        "accessConfig": {
            "authenticationMode": spec.authentication_mode or "API",
            "bootstrapClusterCreatorAdminPermissions": spec.bootstrap_cluster_creator_admin_permissions,
        },
        "bootstrapSelfManagedAddons": spec.bootstrap_self_managed_addons,
        "kubernetesNetworkConfig": _stated(serviceIpv4Cidr=spec.service_ipv4_cidr) or None,
        "logging": _logging(spec.logging_types) if spec.logging_types else None,
        "upgradePolicy": {"supportType": spec.support_type} if spec.support_type else None,
        "zonalShiftConfig": None if spec.zonal_shift is None else {"enabled": spec.zonal_shift},
        "deletionProtection": spec.deletion_protection,
        "tags": spec.tags or None,
    }
    return _stated(**request)


def update_request(step: Step) -> dict[str, Any]:
    """What UpdateClusterConfig is asked for by one step; one kind of change per call, as EKS demands.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateClusterConfig.html
    """
    after = step.after
    requests: dict[str, dict[str, Any]] = {
        "EndpointAccessUpdate": {"resourcesVpcConfig": after},
        "VpcConfigUpdate": {"resourcesVpcConfig": after},
        "LoggingUpdate": {"logging": _logging(tuple(after or ()))} if step.kind == "LoggingUpdate" else {},
        "AccessConfigUpdate": {"accessConfig": {"authenticationMode": after}},
        "UpgradePolicyUpdate": {"upgradePolicy": {"supportType": after}},
        "ZonalShiftConfigUpdate": {"zonalShiftConfig": {"enabled": after}},
        "DeletionProtectionUpdate": {"deletionProtection": after},
    }
    return requests[step.kind]


def _require(spec: ClusterSpec) -> None:
    missing = [name for name in ("role_arn", "subnet_ids", "kubernetes_version") if not getattr(spec, name)]
    if missing:
        raise EksopsError(
            f"Cluster {spec.name} does not exist, and creating it needs {', '.join(missing)}",
            where=", ".join(missing),
            next_step="state them, or check account, region and name of the cluster that should exist",
        )


def _refuse_state(cluster: Cluster) -> None:
    if cluster.status == "DELETING":
        raise EksopsError(
            f"Cluster {cluster.name} is being deleted (status DELETING)",
            where="name",
            next_step="wait until it is gone and run again, or choose another name",
        )
    if cluster.status == "FAILED":
        issues = health_text(cluster.health_issues)
        raise EksopsError(
            f"Cluster {cluster.name} failed to be created (status FAILED{': ' + issues if issues else ''})",
            where="name",
            next_step="delete it (delete_cluster.yml), mend the cause and run again",
        )


def _refuse_immutable(spec: ClusterSpec, cluster: Cluster) -> None:
    for name, want, have in (
        ("role_arn", spec.role_arn, cluster.role_arn),
        ("service_ipv4_cidr", spec.service_ipv4_cidr, cluster.service_ipv4_cidr),
    ):
        if want is not None and want != have:
            raise EksopsError(
                f"Cluster {cluster.name} has {name} {have}, and EKS never changes it to {want}",
                where=name,
                allowed=str(have),
                next_step="state the value it has, or make a new cluster",
            )
    want_mode, have_mode = spec.authentication_mode, cluster.authentication_mode
    if want_mode and have_mode and AUTHENTICATION_MODES.index(want_mode) < AUTHENTICATION_MODES.index(have_mode):
        raise EksopsError(
            f"Cluster {cluster.name} has authentication mode {have_mode}, and EKS never goes back to {want_mode}",
            where="authentication_mode",
            allowed=", ".join(AUTHENTICATION_MODES[AUTHENTICATION_MODES.index(have_mode) :]),
            next_step="state the mode it has",
        )


def _updates(spec: ClusterSpec, cluster: Cluster) -> list[Step]:
    name = cluster.name
    steps = [
        *_section("EndpointAccessUpdate", spec, cluster, _ENDPOINT),
        *_section("VpcConfigUpdate", spec, cluster, _VPC),
    ]
    if spec.logging_types is not None and set(spec.logging_types) != set(cluster.logging_types):
        before, after = sorted(cluster.logging_types), sorted(spec.logging_types)
        steps.append(Step("update", "LoggingUpdate", name, before=before, after=after))
    steps.extend(_mode_steps(spec, cluster))
    for kind, want, have in (
        ("UpgradePolicyUpdate", spec.support_type, cluster.support_type),
        ("ZonalShiftConfigUpdate", spec.zonal_shift, cluster.zonal_shift),
        ("DeletionProtectionUpdate", spec.deletion_protection, cluster.deletion_protection),
    ):
        if want is not None and want != have:
            steps.append(Step("update", kind, name, before=have, after=want))
    put, drop = tag_changes(cluster.tags, spec.tags, purge=spec.purge_tags)
    if put or drop:
        before_tags = {key: cluster.tags[key] for key in [*put, *drop] if key in cluster.tags}
        steps.append(Step("update", TAGS, name, before=before_tags, after=put))
    return steps


_ENDPOINT = (
    ("endpoint_public_access", "endpointPublicAccess"),
    ("endpoint_private_access", "endpointPrivateAccess"),
    ("public_access_cidrs", "publicAccessCidrs"),
)
_VPC = (("subnet_ids", "subnetIds"), ("security_group_ids", "securityGroupIds"))


def _section(kind: str, spec: ClusterSpec, cluster: Cluster, names: tuple[tuple[str, str], ...]) -> list[Step]:
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for field, key in names:
        want, have = getattr(spec, field), getattr(cluster, field)
        # Allowed addresses mean nothing while the public endpoint is off.
        if field == "public_access_cidrs" and spec.endpoint_public_access is False:
            continue
        if want is not None and _comparable(want) != _comparable(have):
            before[key], after[key] = _plain(have), _plain(want)
    return [Step("update", kind, cluster.name, before=before, after=after)] if after else []


def _mode_steps(spec: ClusterSpec, cluster: Cluster) -> list[Step]:
    """One step per mode on the way: EKS does not jump from CONFIG_MAP to API."""
    want, have = spec.authentication_mode, cluster.authentication_mode
    if not want or not have or want == have:
        return []
    way = AUTHENTICATION_MODES[AUTHENTICATION_MODES.index(have) : AUTHENTICATION_MODES.index(want) + 1]
    return [
        Step("update", "AccessConfigUpdate", cluster.name, before=before, after=after)
        for before, after in pairwise(way)
    ]


def _notices(spec: ClusterSpec, cluster: Cluster) -> tuple[str, ...]:
    if spec.kubernetes_version and spec.kubernetes_version != cluster.kubernetes_version:
        return (
            f"Cluster {cluster.name} runs Kubernetes {cluster.kubernetes_version}, {spec.kubernetes_version} is stated:"
            " playbook upgrade_cluster.yml moves it, this run does not.",
        )
    return ()


def _discovery(spec: ClusterSpec, cluster: Cluster | None, tags: ResourceTags) -> list[Step]:
    if not spec.discovery_tags:
        return []
    subnets = spec.discovery_subnet_ids or ()
    group = cluster.cluster_security_group_id if cluster else CLUSTER_GROUP
    steps = []
    for resource in (*subnets, *((group,) if group else ())):
        put = tag_changes(tags.get(resource, {}), spec.discovery_tags, purge=False)[0]
        if put:
            before = {key: tags[resource][key] for key in put if key in tags.get(resource, {})}
            steps.append(Step("update", DISCOVERY, resource, before=before, after=put))
    return steps


def _untag(spec: ClusterSpec, tags: ResourceTags) -> list[Step]:
    steps = []
    for resource in spec.discovery_subnet_ids or ():
        # Only with the very value: a tag of the same key for another cluster is not ours.
        ours = {
            key: value for key, value in (spec.discovery_tags or {}).items() if tags.get(resource, {}).get(key) == value
        }
        if ours:
            steps.append(Step("delete", DISCOVERY, resource, before=ours))
    return steps


def _summary(cluster: Cluster) -> dict[str, Any]:
    return {"arn": cluster.arn, "version": cluster.kubernetes_version, "tags": cluster.tags}


def _logging(types: tuple[str, ...]) -> dict[str, Any]:
    off = [kind for kind in LOG_TYPES if kind not in types]
    setups = [{"types": sorted(types), "enabled": True}] if types else []
    return {"clusterLogging": [*setups, *([{"types": off, "enabled": False}] if off else [])]}


def _stated(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _list(value: tuple[str, ...] | None) -> list[str] | None:
    return None if value is None else list(value)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _comparable(value: Any) -> Any:
    return frozenset(value) if isinstance(value, tuple) else value
