"""UpdateClusterConfig: one kind of change at a time, as an update that can be followed.

https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateClusterConfig.html
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sandbox.eks import access, clusters, logs, network, tokens, updates
from sandbox.eks.context import Caller, Context, refuse
from sandbox.eks.errors import in_use, invalid_parameter, invalid_request
from sandbox.eks.model import Cluster, Update

_MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")
_KINDS = (
    "accessConfig",
    "deletionProtection",
    "logging",
    "resourcesVpcConfig",
    "upgradePolicy",
    "zonalShiftConfig",
)
_NOT_HERE = (
    "computeConfig",
    "controlPlaneScalingConfig",
    "kubeApiServerConfig",
    "kubeControllerManagerConfig",
    "kubernetesNetworkConfig",
    "kubeSchedulerConfig",
    "remoteNetworkConfig",
    "storageConfig",
)


class Change:
    """A change of a cluster, checked and not yet made."""

    def __init__(self, kind: str, params: dict[str, Any], apply: Callable[[], None]) -> None:
        self.kind = kind
        self.params = params
        self.apply = apply


class ClusterConfig:
    """The operation."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def update_cluster_config(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateClusterConfig.html."""
        refuse(params, *_NOT_HERE)
        kinds = [kind for kind in _KINDS if kind in params]
        if len(kinds) != 1:
            raise invalid_parameter(f"Only one type of update can be allowed, one of {', '.join(_KINDS)}.")
        cluster = self._context.store.get(caller.key(params["name"]))
        change = await self._check(caller, cluster, kinds[0], params[kinds[0]])
        if cluster.status == "UPDATING":
            raise in_use(f"Cluster {cluster.name} has an update in progress.", clusterName=cluster.name)
        if cluster.status != "ACTIVE":
            raise invalid_request(f"Cluster is in status {cluster.status}.", clusterName=cluster.name)
        update = updates.begin(cluster, change.kind, change.params)
        cluster.status = "UPDATING"
        answer = {"update": updates.present(update)}
        tokens.remember(cluster, "UpdateClusterConfig", params, answer, "cluster")
        self._context.store.save(cluster)
        give_up = partial(updates.give_up, cluster, update)
        self._context.spawn(self._apply(cluster, change, update), f"updating {cluster.arn}", give_up, cluster)
        return answer

    async def _apply(self, cluster: Cluster, change: Change, update: Update) -> None:
        change.apply()
        await logs.ensure_group(self._context, cluster)
        if cluster.status == "UPDATING":
            cluster.status = "ACTIVE"
        updates.finish(update)
        self._context.store.save(cluster)

    async def _check(self, caller: Caller, cluster: Cluster, kind: str, wanted: Any) -> Change:
        if kind == "accessConfig":
            return _authentication_mode(cluster, wanted)
        if kind == "resourcesVpcConfig":
            return await self._vpc_config(caller, cluster, wanted)
        if kind == "logging":
            types = clusters.log_types(wanted, cluster.log_types)
            return Change("LoggingUpdate", {"ClusterLogging": wanted}, _setter(cluster, log_types=types))
        if kind == "upgradePolicy":
            support = wanted.get("supportType", cluster.support_type)
            return Change("UpgradePolicyUpdate", {"UpgradePolicy": wanted}, _setter(cluster, support_type=support))
        if kind == "zonalShiftConfig":
            enabled = wanted.get("enabled", False)
            return Change("ZonalShiftConfigUpdate", {"ZonalShiftConfig": wanted}, _setter(cluster, zonal_shift=enabled))
        setter = _setter(cluster, deletion_protection=wanted)
        return Change("DeletionProtectionUpdate", {"DeletionProtection": wanted}, setter)

    async def _vpc_config(self, caller: Caller, cluster: Cluster, wanted: dict[str, Any]) -> Change:
        refuse(wanted, "controlPlaneEgressMode")
        if "subnetIds" in wanted or "securityGroupIds" in wanted:
            subnets = wanted.get("subnetIds", cluster.subnet_ids)
            groups = wanted.get("securityGroupIds", cluster.security_group_ids)
            place = await network.cluster_place(self._context, caller, subnets)
            if place.vpc_id != cluster.vpc_id:
                raise invalid_parameter("Provided subnets belong to a VPC other than the cluster's.")
            await network.check_security_groups(self._context, caller, groups, cluster.vpc_id)
            shown = {"Subnets": wanted.get("subnetIds"), "SecurityGroups": wanted.get("securityGroupIds")}
            setter = _setter(cluster, subnet_ids=subnets, security_group_ids=groups)
            return Change("VpcConfigUpdate", shown, setter)
        return _endpoint_access(cluster, wanted)


def _endpoint_access(cluster: Cluster, wanted: dict[str, Any]) -> Change:
    public = wanted.get("endpointPublicAccess", cluster.endpoint_public_access)
    private = wanted.get("endpointPrivateAccess", cluster.endpoint_private_access)
    cidrs = wanted.get("publicAccessCidrs", cluster.public_access_cidrs)
    clusters.check_endpoint_access(public, private)
    network.check_cidrs(cidrs)
    current = (cluster.endpoint_public_access, cluster.endpoint_private_access, cluster.public_access_cidrs)
    if (public, private, cidrs) == current:
        raise invalid_parameter("Cluster is already at the desired configuration.")
    shown = {
        "EndpointPublicAccess": str(public).lower(),
        "EndpointPrivateAccess": str(private).lower(),
        "PublicAccessCidrs": cidrs,
    }
    setter = _setter(cluster, endpoint_public_access=public, endpoint_private_access=private, public_access_cidrs=cidrs)
    return Change("EndpointAccessUpdate", shown, setter)


def _authentication_mode(cluster: Cluster, wanted: dict[str, Any]) -> Change:
    """Modes go one way. https://docs.aws.amazon.com/eks/latest/userguide/setting-up-access-entries.html."""
    mode = wanted.get("authenticationMode")
    if mode is None or mode == cluster.authentication_mode:
        raise invalid_parameter(f"The authentication mode is already {cluster.authentication_mode}.")
    if _MODES.index(mode) != _MODES.index(cluster.authentication_mode) + 1:
        raise invalid_parameter(f"Unsupported authentication mode update from {cluster.authentication_mode} to {mode}")

    def apply() -> None:
        cluster.authentication_mode = mode
        access.give_creator_admin(cluster)

    return Change("AccessConfigUpdate", {"AuthenticationMode": mode}, apply)


def _setter(cluster: Cluster, **values: Any) -> Callable[[], None]:
    def apply() -> None:
        for name, value in values.items():
            setattr(cluster, name, value)

    return apply
