"""Tags of EKS resources: checks, and the three tagging operations, which work on ARNs.

https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html
"""

from __future__ import annotations

from typing import Any

from sandbox.eks.context import Caller, Context
from sandbox.eks.errors import EksError, invalid_parameter
from sandbox.eks.model import Cluster

_MOST = 50


def check(tags: dict[str, str] | None) -> dict[str, str]:
    """``tags``, or none. Raises InvalidParameterException for a key that AWS keeps for itself."""
    for key in tags or {}:
        if key.lower().startswith("aws:"):
            raise invalid_parameter(f"Tag key '{key}' is invalid: the prefix aws: is reserved.")
    return dict(tags or {})


class Tagging:
    """TagResource, UntagResource, ListTagsForResource."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def tag_resource(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_TagResource.html."""
        cluster, tags = self._tags_of(caller, params["resourceArn"])
        try:
            new = check(params["tags"])
        except EksError as error:
            raise EksError("BadRequestException", error.message) from error
        if len(tags | new) > _MOST:
            raise EksError("BadRequestException", f"A resource can have {_MOST} tags at most.")
        tags.update(new)
        self._context.store.save(cluster)
        return {}

    async def untag_resource(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_UntagResource.html."""
        cluster, tags = self._tags_of(caller, params["resourceArn"])
        for key in params["tagKeys"]:
            tags.pop(key, None)
        self._context.store.save(cluster)
        return {}

    async def list_tags_for_resource(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_ListTagsForResource.html."""
        return {"tags": dict(self._tags_of(caller, params["resourceArn"])[1])}

    def look_up(self, arn: str) -> dict[str, str]:
        """The tags of a resource of any account, none for one that does not exist; policies ask for them.

        Where an ARN ends in an id that its caller does not know, the id is ``*``.
        """
        start = arn.removesuffix("*")
        for cluster in self._context.store:
            for resource in _resources(cluster):
                if resource.arn == arn or (start != arn and resource.arn.startswith(start)):
                    return dict(resource.tags)
        return {}

    def _tags_of(self, caller: Caller, arn: str) -> tuple[Cluster, dict[str, str]]:
        if not arn.startswith(caller.arn("")):
            raise EksError("BadRequestException", f"{arn} is not an EKS resource of this account and region.")
        for cluster in self._context.store.of(caller.account, caller.region):
            for resource in _resources(cluster):
                if resource.arn == arn:
                    tags: dict[str, str] = resource.tags
                    return cluster, tags
        raise EksError("NotFoundException", f"No resource found for ARN: {arn}")


def _resources(cluster: Cluster) -> list[Any]:
    parts = (cluster.nodegroups, cluster.addons, cluster.entries, cluster.associations)
    return [cluster, *(resource for part in parts for resource in part.values())]
