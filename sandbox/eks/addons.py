"""The operations on add-ons. What becomes of them afterwards is in ``addonkeeper``.

https://docs.aws.amazon.com/eks/latest/userguide/eks-add-ons.html
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Coroutine
from functools import partial
from typing import Any

from sandbox.eks import addonconfig, addonversions, podidentity, tags, tokens, updates
from sandbox.eks.addonkeeper import AddonKeeper
from sandbox.eks.context import Caller, Context, now, page, refuse
from sandbox.eks.errors import in_use, invalid_parameter, invalid_request, not_found
from sandbox.eks.model import Addon, Cluster, Update
from sandbox.eks.presentation import issue_view

_BUSY = ("CREATING", "UPDATING", "DELETING")


class Addons:
    """CreateAddon and its family."""

    def __init__(self, context: Context, keeper: AddonKeeper) -> None:
        self._context = context
        self._keeper = keeper

    async def create_addon(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAddon.html."""
        refuse(params, "serviceAccountRoleArn", "namespaceConfig")
        cluster, name = self._context.active(caller, params["clusterName"]), params["addonName"]
        version = addonversions.choose(name, params.get("addonVersion"), cluster.version)
        addonconfig.parse(name, params.get("configurationValues"))
        await self._check_associations(cluster, name, params.get("podIdentityAssociations", []))
        if name in cluster.addons:
            raise in_use("Addon already exists.", clusterName=cluster.name, addonName=name)
        stamp = now()
        addon = Addon(
            name=name,
            arn=caller.arn(f"addon/{cluster.name}/{name}/{uuid.uuid4()}"),
            version=version,
            status="CREATING",
            tags=tags.check(params.get("tags")),
            created_at=stamp,
            modified_at=stamp,
            configuration_values=params.get("configurationValues"),
        )
        _associate(cluster, addon, params.get("podIdentityAssociations", []))
        cluster.addons[name] = addon
        answer = {"addon": _view(addon, cluster)}
        tokens.remember(cluster, "CreateAddon", params, answer, f"addon/{name}")
        self._context.store.save(cluster)
        force = params.get("resolveConflicts") == "OVERWRITE"
        self._start(self._keeper.install(cluster, addon, force=force), cluster, addon)
        return answer

    async def describe_addon(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddon.html."""
        cluster = self._context.store.get(caller.key(params["clusterName"]))
        return {"addon": _view(_addon(cluster, params["addonName"]), cluster)}

    async def list_addons(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_ListAddons.html."""
        cluster = self._context.store.get(caller.key(params["clusterName"]))
        return page(params, sorted(cluster.addons), "addons")

    async def update_addon(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateAddon.html."""
        refuse(params, "serviceAccountRoleArn")
        cluster = self._context.active(caller, params["clusterName"])
        addon = _addon(cluster, params["addonName"])
        version = addonversions.choose(addon.name, params.get("addonVersion") or addon.version, cluster.version)
        addonconfig.parse(addon.name, params.get("configurationValues"))
        wanted = params.get("podIdentityAssociations")
        if wanted is not None:
            await self._check_associations(cluster, addon.name, wanted, ours=addon.associations)
        if addon.status in _BUSY:
            raise in_use(f"Addon is in status {addon.status}.", clusterName=cluster.name, addonName=addon.name)
        update = updates.begin(
            cluster,
            "AddonUpdate",
            {
                "AddonVersion": version,
                "ResolveConflicts": params.get("resolveConflicts"),
                "ConfigurationValues": params.get("configurationValues"),
                "PodIdentityAssociations": wanted,
            },
            addon=addon.name,
        )
        addon.version, addon.status, addon.modified_at = version, "UPDATING", now()
        addon.configuration_values = params.get("configurationValues", addon.configuration_values)
        if wanted is not None:
            _disassociate(cluster, addon)
            _associate(cluster, addon, wanted)
        answer = {"update": updates.present(update)}
        tokens.remember(cluster, "UpdateAddon", params, answer, f"addon/{addon.name}")
        self._context.store.save(cluster)
        force = params.get("resolveConflicts") == "OVERWRITE"
        self._start(self._keeper.install(cluster, addon, force=force, update=update), cluster, addon, update)
        return answer

    async def delete_addon(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DeleteAddon.html."""
        cluster = self._context.active(caller, params["clusterName"])
        addon = _addon(cluster, params["addonName"])
        if addon.status in ("CREATING", "UPDATING"):
            raise invalid_request(f"Addon is in status {addon.status}.", clusterName=cluster.name)
        if addon.status != "DELETING":
            addon.status, addon.modified_at = "DELETING", now()
            addon.preserve = params.get("preserve", False)
            if not addon.preserve:
                _disassociate(cluster, addon)
            self._context.store.save(cluster)
            self._start(self._keeper.uninstall(cluster, addon), cluster, addon)
        return {"addon": _view(addon, cluster)}

    async def describe_addon_versions(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddonVersions.html."""
        return page(params, addonversions.describe(params), "addons")

    async def describe_addon_configuration(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddonConfiguration.html."""
        name, version = params["addonName"], params["addonVersion"]
        offer = addonversions.OFFERS.get(name)
        if offer is None or not any(version in offered for offered in offer.versions.values()):
            raise not_found(f"Addon {name} in version {version} is not supported", addonName=name)
        policies = list(offer.recommended_policies)
        return {
            "addonName": name,
            "addonVersion": version,
            "configurationSchema": json.dumps(addonconfig.schema(name)),
            "podIdentityConfiguration": [
                {"serviceAccount": account, "recommendedManagedPolicies": policies}
                for account in offer.service_accounts
            ],
        }

    def _start(
        self, work: Coroutine[Any, Any, None], cluster: Cluster, addon: Addon, update: Update | None = None
    ) -> None:
        give_up = partial(self._keeper.give_up, addon, update)
        self._context.spawn(work, f"{addon.status.lower()} {addon.arn}", give_up, cluster)

    async def _check_associations(
        self, cluster: Cluster, addon: str, wanted: list[dict[str, str]], ours: list[str] | None = None
    ) -> None:
        known = addonversions.OFFERS[addon].service_accounts
        for one in wanted:
            account = one["serviceAccount"]
            if account not in known:
                raise invalid_parameter(f"Addon {addon} has no service account {account} for pod identity.")
            await podidentity.check_role(self._context, cluster, one["roleArn"])
            earlier = podidentity.find(cluster, "kube-system", account)
            if earlier is not None and earlier.id not in (ours or []):
                raise in_use(f"Association already exists: {earlier.id}", clusterName=cluster.name, addonName=addon)


def _associate(cluster: Cluster, addon: Addon, wanted: list[dict[str, str]]) -> None:
    made = [
        podidentity.add(cluster, "kube-system", one["serviceAccount"], one["roleArn"], owner_arn=addon.arn)
        for one in wanted
    ]
    addon.associations = [association.id for association in made]


def _disassociate(cluster: Cluster, addon: Addon) -> None:
    for identity in addon.associations:
        podidentity.remove(cluster, identity)
    addon.associations = []


def _addon(cluster: Cluster, name: str) -> Addon:
    addon = cluster.addons.get(name)
    if addon is None:
        raise not_found(f"No addon: {name} found in cluster: {cluster.name}", clusterName=cluster.name, addonName=name)
    return addon


def _view(addon: Addon, cluster: Cluster) -> dict[str, Any]:
    return {
        "addonName": addon.name,
        "clusterName": cluster.name,
        "status": addon.status,
        "addonVersion": addon.version,
        "health": {"issues": [issue_view(issue) for issue in addon.issues]},
        "addonArn": addon.arn,
        "createdAt": addon.created_at,
        "modifiedAt": addon.modified_at,
        "tags": addon.tags,
        "configurationValues": addon.configuration_values,
        "podIdentityAssociations": [
            cluster.associations[identity].arn for identity in addon.associations if identity in cluster.associations
        ],
        "namespaceConfig": {"namespace": "kube-system"},
    }
