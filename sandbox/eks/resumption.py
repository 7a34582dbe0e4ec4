"""Goes on with what an earlier run of the sandbox left: its clusters come back, what was under way is ended or done."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import Any

from sandbox.eks import nodegroupspec, updates
from sandbox.eks.addonkeeper import AddonKeeper
from sandbox.eks.context import Context, now
from sandbox.eks.lifecycle import Lifecycle
from sandbox.eks.model import Addon, Cluster, Nodegroup, Taint, Update
from sandbox.eks.nodegroupkeeper import NodegroupKeeper

_STOPPED = "The sandbox was stopped while this was under way."


class Resumption:
    """What happens once, when the service starts."""

    def __init__(self, context: Context, life: Lifecycle, nodegroups: NodegroupKeeper, addons: AddonKeeper) -> None:
        self._context, self._life = context, life
        self._nodegroups, self._addons = nodegroups, addons

    async def all(self) -> None:
        """Return when every cluster that was there is there again, or has failed."""
        await asyncio.gather(*map(self._cluster, self._context.store))

    async def _cluster(self, cluster: Cluster) -> None:
        if cluster.endpoint is not None and cluster.status != "DELETING":
            await self._life.resume(cluster)
        give_up = partial(self._life.give_up, cluster)
        if cluster.status == "CREATING":
            self._context.spawn(self._life.create(cluster), f"creating {cluster.arn}", give_up, cluster)
        elif cluster.status == "DELETING":
            self._context.spawn(self._life.delete(cluster), f"deleting {cluster.arn}", give_up, cluster)
        elif cluster.status in ("ACTIVE", "UPDATING"):
            self._parts(cluster)

    def _parts(self, cluster: Cluster) -> None:
        """What belongs to a cluster that is back."""
        open_updates = [update for update in cluster.updates.values() if update.status == "InProgress"]
        for update in open_updates:
            if update.nodegroup_name is None and update.addon_name is None:
                updates.fail(update, "Unknown", _STOPPED, [cluster.name])
                cluster.status = "ACTIVE"
        refresh = cluster.insights_refresh
        if refresh is not None and refresh.status == "IN_PROGRESS":
            refresh.status, refresh.message, refresh.ended_at = "FAILED", _STOPPED, now()
        for group in list(cluster.nodegroups.values()):
            self._nodegroup(cluster, group, _of(open_updates, nodegroup_name=group.name))
        for addon in list(cluster.addons.values()):
            self._addon(cluster, addon, _of(open_updates, addon_name=addon.name))
        self._context.store.save(cluster)

    def _nodegroup(self, cluster: Cluster, group: Nodegroup, update: Update | None) -> None:
        keeper = self._nodegroups
        if group.status == "CREATING" and group.launch_template_version is None:
            work = keeper.create(cluster, group)
        elif group.status == "UPDATING" and update is not None and update.type == "VersionUpdate":
            if not _has_begun(group, update):
                updates.fail(update, "Unknown", _STOPPED, [group.name])
                group.status = "ACTIVE"
                return
            work = keeper.replace(cluster, group, update, None)
        elif group.status == "UPDATING" and update is not None:
            labels, taints = _before(group, update)
            work = keeper.update(cluster, group, update, labels, taints)
        elif group.status == "DELETING":
            work = keeper.delete(cluster, group)
        else:
            return
        give_up = partial(keeper.give_up, group, update)
        self._context.spawn(work, f"{group.status.lower()} {group.arn}", give_up, cluster)

    def _addon(self, cluster: Cluster, addon: Addon, update: Update | None) -> None:
        if addon.status in ("CREATING", "UPDATING"):
            # What was applied before the stop is EKS' own, so nothing of it is in conflict.
            work = self._addons.install(cluster, addon, force=False, update=update)
        elif addon.status == "DELETING":
            work = self._addons.uninstall(cluster, addon)
        else:
            if addon.status in ("ACTIVE", "DEGRADED"):
                self._addons.resume(cluster, addon)
            return
        give_up = partial(self._addons.give_up, addon, update)
        self._context.spawn(work, f"{addon.status.lower()} {addon.arn}", give_up, cluster)


def _of(open_updates: list[Update], **names: str) -> Update | None:
    matching = (one for one in open_updates if all(getattr(one, key) == value for key, value in names.items()))
    return next(matching, None)


def _has_begun(group: Nodegroup, update: Update) -> bool:
    """Whether a group is what an update of its version makes of it, so that its nodes have to follow."""
    shown = {one["type"]: one["value"] for one in update.params}
    template = group.custom_template.version if group.custom_template else None
    now_has = (group.version, group.release_version, template)
    return now_has == (shown["Version"], shown["ReleaseVersion"], shown.get("LaunchTemplateVersion"))


def _before(group: Nodegroup, update: Update) -> tuple[dict[str, str], list[Taint]]:
    """What the nodes may still have from before the update: all that it takes away; what it adds is added again."""
    params: dict[str, Any] = {one["type"]: one["value"] for one in update.params}
    gone_labels: list[str] = json.loads(params.get("LabelsToRemove", "[]"))
    gone_taints = nodegroupspec.taints_of(json.loads(params.get("TaintsToRemove", "[]")))
    return dict.fromkeys(gone_labels, ""), gone_taints
