"""Installs add-ons, takes them away, and keeps their status true to their pods.

https://docs.aws.amazon.com/eks/latest/APIReference/API_AddonIssue.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sandbox.eks import addonconfig, addonobjects, tokens, updates
from sandbox.eks.context import LOG, Context, now
from sandbox.eks.kube import KubeError
from sandbox.eks.model import Addon, Cluster, Issue, Update

_WATCHED = ("CREATING", "UPDATING", "ACTIVE", "DEGRADED")
_FAILED = {"CREATING": "CREATE_FAILED", "UPDATING": "UPDATE_FAILED", "DELETING": "DELETE_FAILED"}


@dataclass(frozen=True)
class _Installed:
    objects: list[dict[str, Any]]
    update: Update | None


class AddonKeeper:
    """What happens to add-ons outside of the API's calls."""

    def __init__(self, context: Context) -> None:
        self._context = context
        # By ARN, the add-ons whose objects are applied: only they have pods to be judged by.
        self._installed: dict[str, _Installed] = {}

    async def install(self, cluster: Cluster, addon: Addon, *, force: bool, update: Update | None = None) -> None:
        """Apply the add-on's objects; ``watch`` finds out what becomes of them."""
        self._installed.pop(addon.arn, None)
        try:
            values = addonconfig.parse(addon.name, addon.configuration_values)
            objects = addonobjects.render(cluster, addon.name, addon.version, values)
            await addonobjects.apply(self._context.kube(cluster), objects, force=force)
        except KubeError as error:
            code = "ConfigurationConflict" if error.status == 409 else "ClusterUnreachable"
            text = (
                f"Conflicts found when trying to apply. Will not continue due to resolve conflicts mode. "
                f"Conflicts: {error.message}"
                if error.status == 409
                else str(error)
            )
            self._failed(addon, update, code, text)
        else:
            addon.unhealthy_since = now()
            self._installed[addon.arn] = _Installed(objects, update)
        self._context.store.save(cluster)

    async def uninstall(self, cluster: Cluster, addon: Addon) -> None:
        """Take the add-on away; the objects of a preserved one stay and are nobody's from now on."""
        self._installed.pop(addon.arn, None)
        try:
            if not addon.preserve:
                objects = addonobjects.render(cluster, addon.name, addon.version, {})
                await addonobjects.delete(self._context.kube(cluster), objects)
        except KubeError as error:
            self._failed(addon, None, "ClusterUnreachable", str(error))
        else:
            cluster.addons.pop(addon.name, None)
            tokens.forget(cluster, f"addon/{addon.name}")
        self._context.store.save(cluster)

    def resume(self, cluster: Cluster, addon: Addon) -> None:
        """Judge an add-on of an earlier run by its pods again."""
        values = addonconfig.parse(addon.name, addon.configuration_values)
        self._installed[addon.arn] = _Installed(addonobjects.render(cluster, addon.name, addon.version, values), None)

    async def watch(self, cluster: Cluster) -> bool:
        """Bring the status of every add-on up to date; True while one is on its way."""
        busy = False
        for addon in list(cluster.addons.values()):
            if addon.status in _WATCHED and addon.arn in self._installed:
                try:
                    await self._judge(cluster, addon)
                except Exception:
                    LOG.exception("looking after %s", addon.arn)  # the others need the round all the same
            busy = busy or addon.status in ("CREATING", "UPDATING", "DELETING") or addon.unhealthy_since is not None
        return busy

    async def _judge(self, cluster: Cluster, addon: Addon) -> None:
        installed, before = self._installed[addon.arn], addon.status
        try:
            found = await addonobjects.health(self._context.kube(cluster), installed.objects)
        except KubeError as error:
            found = addonobjects.Health(True, str(error))
        if self._installed.get(addon.arn) is not installed or addon.status != before or not found.observed:
            return  # an operation was faster, or there is nothing to see yet
        if found.lacking is None:
            addon.status, addon.issues, addon.unhealthy_since = "ACTIVE", [], None
        else:
            addon.unhealthy_since = addon.unhealthy_since or now()
            if now() - addon.unhealthy_since < self._context.timings.addon_settle_seconds:
                return
            text = "The add-on is unhealthy because it doesn't have the desired number of replicas."
            addon.status, addon.issues = "DEGRADED", [Issue("InsufficientNumberOfReplicas", text)]
        if installed.update is not None and installed.update.status == "InProgress":
            updates.finish(installed.update)
        if addon.status != before:
            LOG.info("%s is %s%s", addon.arn, addon.status, f": {found.lacking}" if found.lacking else "")
            self._context.store.save(cluster)

    def give_up(self, addon: Addon, update: Update | None, text: str) -> None:
        """What was under way ended by a failure that nobody foresaw."""
        if addon.status in _FAILED:
            self._failed(addon, update, "InternalFailure", text)

    def _failed(self, addon: Addon, update: Update | None, code: str, text: str) -> None:
        addon.status = _FAILED[addon.status]
        addon.issues = [Issue(code, text)]
        if update is not None:
            updates.fail(update, code, text, [])
        LOG.warning("%s is %s: %s", addon.arn, addon.status, text)
