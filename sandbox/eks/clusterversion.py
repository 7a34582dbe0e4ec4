"""UpdateClusterVersion: one minor at a time, the control plane alone; nodes and add-ons stay as they are.

https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html
https://docs.aws.amazon.com/eks/latest/userguide/rollback-cluster.html
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sandbox.eks import health, tokens, updates, versionrules
from sandbox.eks.context import LOG, Caller, Context, now, refuse
from sandbox.eks.errors import in_use, invalid_request, invalid_state
from sandbox.eks.insights import Insights
from sandbox.eks.lifecycle import Lifecycle
from sandbox.eks.model import Cluster, Update
from sandbox.eks.versionrules import Move

#: Codes of a cluster's health as an update that they stop names them.
#: https://docs.aws.amazon.com/eks/latest/APIReference/API_ClusterIssue.html
#: https://docs.aws.amazon.com/eks/latest/APIReference/API_ErrorDetail.html
_ERRORS = {
    "Ec2SubnetNotFound": "SubnetNotFound",
    "Ec2SecurityGroupNotFound": "SecurityGroupNotFound",
    "InsufficientFreeAddresses": "IpNotAvailable",
    "IamRoleNotFound": "AccessDenied",
}


class ClusterVersion:
    """The operation."""

    def __init__(self, context: Context, life: Lifecycle, insights: Insights) -> None:
        self._context, self._life, self._insights = context, life, insights

    async def update_cluster_version(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateClusterVersion.html."""
        refuse(params, "rollbackConfig")
        cluster = self._context.store.get(caller.key(params["name"]))
        self._check_status(cluster)
        move = self._move(cluster, params)
        await self._check_readiness(cluster, move, force=params.get("force", False))
        # Another request may have been faster while the cluster was looked at.
        self._check_status(cluster)
        move = self._move(cluster, params)
        shown = {"Version": move.target.name, "PlatformVersion": move.target.platform}
        update = updates.begin(cluster, move.kind, shown)
        cluster.status = "UPDATING"
        answer = {"update": updates.present(update)}
        tokens.remember(cluster, "UpdateClusterVersion", params, answer, "cluster")
        self._context.store.save(cluster)
        give_up = partial(updates.give_up, cluster, update)
        self._context.spawn(self._update(cluster, move, update), f"updating {cluster.arn}", give_up, cluster)
        return answer

    def _move(self, cluster: Cluster, params: dict[str, Any]) -> Move:
        return versionrules.move(cluster, params["version"], self._context.startable_minors, now())

    @staticmethod
    def _check_status(cluster: Cluster) -> None:
        if cluster.status == "UPDATING":
            raise in_use(f"Cluster {cluster.name} has an update in progress.", clusterName=cluster.name)
        if cluster.status != "ACTIVE":
            raise invalid_request(f"Cluster is in status {cluster.status}.", clusterName=cluster.name)

    async def _check_readiness(self, cluster: Cluster, move: Move, *, force: bool) -> None:
        """Insights that say ERROR stop an update that is not forced. They are refreshed first.

        https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateClusterVersion.html#API_UpdateClusterVersion_Errors
        """
        if force:
            return
        await self._insights.refresh(cluster)
        category = "ROLLBACK_READINESS" if move.kind == versionrules.ROLLBACK else "UPGRADE_READINESS"
        blocking = [
            one.view["name"]
            for one in cluster.insights.values()
            if one.view["category"] == category and one.view["insightStatus"]["status"] == "ERROR"
        ]
        if blocking:
            raise invalid_state(
                f"Amazon EKS detected readiness issues ({', '.join(sorted(blocking))}). Call the ListInsights API to "
                "view them, or pass the force flag to override them.",
                clusterName=cluster.name,
            )

    async def _update(self, cluster: Cluster, move: Move, update: Update) -> None:
        issues = [one for one in await health.issues(self._context, cluster) if one.code in _ERRORS]
        if issues:
            updates.fail(update, _ERRORS[issues[0].code], issues[0].message, issues[0].resource_ids)
        else:
            await self._move_control_plane(cluster, move, update)
        if cluster.status == "UPDATING":
            cluster.status = "ACTIVE"
        self._context.store.save(cluster)

    async def _move_control_plane(self, cluster: Cluster, move: Move, update: Update) -> None:
        """A control plane that does not come up in the other version stays in the one that it has."""
        try:
            await self._context.control_planes.update(self._life.spec(cluster, move.target.name))
        except RuntimeError as error:
            LOG.error("%s stays in version %s: %s", cluster.arn, cluster.version, error)
            updates.fail(update, "Unknown", str(error), [cluster.name])
            return
        upgraded = move.kind == versionrules.UPDATE
        cluster.upgraded_from, cluster.upgraded_at = (cluster.version, now()) if upgraded else (None, None)
        cluster.version, cluster.platform_version = move.target.name, move.target.platform
        cluster.insights.clear()
        updates.finish(update)
        LOG.info("%s runs version %s", cluster.arn, cluster.version)
