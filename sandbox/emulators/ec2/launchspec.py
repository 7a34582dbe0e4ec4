"""What an instance is launched with, from a launch template, its overrides and the request's own parameters. Pure.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-launch-templates.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Tags = dict[str, dict[str, str]]


@dataclass(frozen=True)
class LaunchSpec:
    """Everything that one launch needs; ``tags`` by resource type, ``template`` as (id, version)."""

    image_id: str | None = None
    instance_type: str | None = None
    subnet_id: str | None = None
    zone: str | None = None
    group_ids: tuple[str, ...] = ()
    group_names: tuple[str, ...] = ()
    profile_name: str | None = None
    profile_arn: str | None = None
    user_data: str | None = None
    key_name: str | None = None
    disks: tuple[dict[str, Any], ...] = ()
    metadata_options: dict[str, Any] = field(default_factory=dict)
    monitoring: bool = False
    ebs_optimized: bool = False
    public_ip: bool | None = None
    private_ip: str | None = None
    tenancy: str = "default"
    spot: bool = False
    priority: float | None = None
    tags: Tags = field(default_factory=dict)
    template: tuple[str, int] | None = None


def tag_map(specifications: list[dict[str, Any]] | None) -> Tags:
    """Tags by resource type, from TagSpecifications."""
    found: Tags = {}
    for specification in specifications or []:
        tags = found.setdefault(specification.get("ResourceType", ""), {})
        tags |= {tag["Key"]: tag.get("Value", "") for tag in specification.get("Tags") or []}
    return found


def merge_tags(*layers: Tags) -> Tags:
    """Tags of several layers; a later one wins key by key."""
    merged: Tags = {}
    for layer in layers:
        for kind, tags in layer.items():
            merged[kind] = merged.get(kind, {}) | tags
    return merged


def merged(template: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Launch template data with the parameters of a request laid over it: what is given replaces, tags are merged."""
    data = {key: value for key, value in template.items() if value is not None}
    data |= {key: value for key, value in given.items() if value is not None and key != "TagSpecifications"}
    data["_tags"] = merge_tags(tag_map(template.get("TagSpecifications")), tag_map(given.get("TagSpecifications")))
    if "SecurityGroupIds" in given or "SecurityGroups" in given or "NetworkInterfaces" in given:
        for key in ("SecurityGroupIds", "SecurityGroups", "NetworkInterfaces"):
            if key not in given:
                data.pop(key, None)
    return data


def from_data(data: Mapping[str, Any], *, spot: bool, template: tuple[str, int] | None) -> LaunchSpec:
    """A launch spec from merged data. Names are those of RequestLaunchTemplateData and of fleet overrides."""
    interfaces = sorted(data.get("NetworkInterfaces") or [], key=lambda one: int(one.get("DeviceIndex") or 0))
    primary = interfaces[0] if interfaces else {}
    placement = data.get("Placement") or {}
    profile = data.get("IamInstanceProfile") or {}
    market = (data.get("InstanceMarketOptions") or {}).get("MarketType")
    user_data = data.get("UserData")
    return LaunchSpec(
        image_id=data.get("ImageId"),
        instance_type=data.get("InstanceType"),
        subnet_id=data.get("SubnetId") or primary.get("SubnetId"),
        zone=data.get("AvailabilityZone") or placement.get("AvailabilityZone"),
        group_ids=tuple(primary.get("Groups") or data.get("SecurityGroupIds") or ()),
        group_names=tuple(data.get("SecurityGroups") or ()),
        profile_name=profile.get("Name"),
        profile_arn=profile.get("Arn"),
        user_data=str(user_data) if user_data else None,
        key_name=data.get("KeyName"),
        disks=tuple(data.get("BlockDeviceMappings") or ()),
        metadata_options=dict(data.get("MetadataOptions") or {}),
        monitoring=bool((data.get("Monitoring") or {}).get("Enabled")),
        ebs_optimized=bool(data.get("EbsOptimized")),
        public_ip=primary.get("AssociatePublicIpAddress"),
        private_ip=primary.get("PrivateIpAddress") or data.get("PrivateIpAddress"),
        tenancy=placement.get("Tenancy") or "default",
        spot=spot or market == "spot",
        priority=data.get("Priority"),
        tags=data.get("_tags") or {},
        template=template,
    )


def disks(of_image: list[dict[str, Any]], given: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    """The volumes of an instance: the image's, changed and added to by the launch's block device mappings.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/block-device-mapping-concepts.html
    """
    found: dict[str, dict[str, Any]] = {one["DeviceName"]: dict(one.get("Ebs") or {}) for one in of_image}
    for one in given:
        device = one.get("DeviceName", "")
        if one.get("NoDevice") is not None:
            found.pop(device, None)
        elif "Ebs" in one:
            inherited = found.get(device, {"DeleteOnTermination": False, "VolumeType": "gp2"})
            found[device] = inherited | {key: value for key, value in one["Ebs"].items() if value is not None}
    return [{"DeviceName": device, "Ebs": ebs} for device, ebs in found.items()]
