"""Tags: found quickly, and gone with what they were on.

moto looks through all tags of a region for each resource that it shows, and keeps the tags of deleted ones for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

_PLAIN = {"resource-id"}
# Where moto makes up names: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_TagDescription.html
_RESOURCE_TYPES = {
    "nat": "natgateway",
    "eipalloc": "elastic-ip",
    "sir": "spot-instances-request",
    "fl": "vpc-flow-log",
    "h": "dedicated-host",
    "pl": "prefix-list",
}
_TAKES_AWAY = ("Delete", "Terminate", "Release", "Deregister")


@cache
def mend() -> None:
    """Make moto's look-up of one resource's tags direct, and call resource types by EC2's names."""
    from moto.ec2.models.tags import TagBackend
    from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE, get_prefix

    EC2_PREFIX_TO_RESOURCE.update(_RESOURCE_TYPES)
    slow = TagBackend.describe_tags

    def describe_tags(self: Any, filters: dict[str, list[str]] | None = None) -> list[dict[str, str]]:
        if filters is None or set(filters) != _PLAIN or any("*" in one or "?" in one for one in filters["resource-id"]):
            found: list[dict[str, str]] = slow(self, filters)
            return found
        return [
            {
                "resource_id": resource,
                "key": key,
                "value": value,
                "resource_type": EC2_PREFIX_TO_RESOURCE.get(get_prefix(resource), ""),
            }
            for resource in filters["resource-id"]
            for key, value in self.tags.get(resource, {}).items()
        ]

    TagBackend.describe_tags = describe_tags


def reserved_key(parameters: Mapping[str, str]) -> str | None:
    """A tag key that only AWS may set: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html"""
    keys = (value for name, value in parameters.items() if name.startswith("Tag.") and name.endswith(".Key"))
    return next((key for key in keys if key.lower().startswith("aws:")), None)


def takes_away(action: str) -> bool:
    """Whether the operation deletes something."""
    return action.startswith(_TAKES_AWAY)


def forget(backend: Any) -> None:
    """Drop the tags of resources that are gone."""
    stores = _stores(backend)
    for resource in list(backend.tags):
        exists = stores.get(resource.partition("-")[0])
        if exists is not None and not exists(resource):
            del backend.tags[resource]


def exists(backend: Any, resource: str) -> bool:
    """False for a resource that certainly does not exist."""
    prefix = resource.partition("-")[0]
    if prefix == "i":
        return any(one.id == resource for found in list(backend.reservations.values()) for one in found.instances)
    known = _stores(backend).get(prefix)
    return known is None or known(resource)


def _stores(backend: Any) -> dict[str, Callable[[str], bool]]:
    """For each kind of id whether a resource of that id exists."""
    subnets = {name for zone in backend.subnets.values() for name in zone}
    groups = {name for vpc in backend.groups.values() for name in vpc}
    addresses = {one.allocation_id for one in backend.addresses}
    return {
        "vpc": backend.vpcs.__contains__,
        "subnet": subnets.__contains__,
        "sg": groups.__contains__,
        "eipalloc": addresses.__contains__,
        "igw": backend.internet_gateways.__contains__,
        "rtb": backend.route_tables.__contains__,
        "eni": backend.enis.__contains__,
        "vol": backend.volumes.__contains__,
        "lt": backend.launch_templates.__contains__,
        "vpce": backend.vpc_end_points.__contains__,
    }
