"""Updates of clusters, node groups and add-ons: making them, finishing them, DescribeUpdate and ListUpdates.

https://docs.aws.amazon.com/eks/latest/APIReference/API_Update.html
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from sandbox.eks.context import Caller, Context, now, page, refuse
from sandbox.eks.errors import not_found
from sandbox.eks.model import Cluster, Update


def begin(
    cluster: Cluster,
    kind: str,
    params: dict[str, Any],
    *,
    nodegroup: str | None = None,
    addon: str | None = None,
) -> Update:
    """A new update under way; ``params`` are shown as EKS shows them, text as it is and anything else as JSON."""
    shown = [
        {"type": name, "value": value if isinstance(value, str) else json.dumps(value)}
        for name, value in params.items()
        if value is not None
    ]
    update = Update(str(uuid.uuid4()), kind, "InProgress", shown, now(), nodegroup_name=nodegroup, addon_name=addon)
    cluster.updates[update.id] = update
    return update


def finish(update: Update) -> None:
    """The update is done."""
    update.status = "Successful"


def fail(update: Update, code: str, message: str, resource_ids: list[str]) -> None:
    """The update did not work."""
    update.status = "Failed"
    update.errors.append({"errorCode": code, "errorMessage": message, "resourceIds": resource_ids})


def give_up(cluster: Cluster, update: Update, text: str) -> None:
    """What was under way with the cluster itself ended by a failure nobody foresaw; a cluster outlives that."""
    fail(update, "Unknown", text, [cluster.arn])
    if cluster.status == "UPDATING":
        cluster.status = "ACTIVE"


def present(update: Update) -> dict[str, Any]:
    """The update as the API shows it."""
    return {
        "id": update.id,
        "status": update.status,
        "type": update.type,
        "params": update.params,
        "createdAt": update.created_at,
        "errors": update.errors,
    }


class Updates:
    """The operations."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def describe_update(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeUpdate.html."""
        refuse(params, "capabilityName")
        cluster = self._context.store.get(caller.key(params["name"]))
        update = cluster.updates.get(params["updateId"])
        if update is None or not _belongs(update, params):
            raise not_found(f"No update found for ID: {params['updateId']}", clusterName=cluster.name)
        return {"update": present(update)}

    async def list_updates(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_ListUpdates.html."""
        refuse(params, "capabilityName")
        cluster = self._context.store.get(caller.key(params["name"]))
        return page(params, [one.id for one in cluster.updates.values() if _belongs(one, params)], "updateIds")


def _belongs(update: Update, params: dict[str, Any]) -> bool:
    return (update.nodegroup_name, update.addon_name) == (params.get("nodegroupName"), params.get("addonName"))
