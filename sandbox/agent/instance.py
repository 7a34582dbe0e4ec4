"""An EC2 instance as the agent sees it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: States in which the machine is on.
ON = frozenset({"pending", "running"})


@dataclass(frozen=True)
class Instance:
    """What DescribeInstances tells of one instance; ``launched_at`` in seconds since the epoch."""

    id: str
    state: str
    image_id: str
    type: str
    zone: str
    subnet_id: str
    private_ip: str
    private_dns: str
    profile_arn: str | None
    launched_at: float
    root_volume: str | None
    capacity_type: str = "on-demand"

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> Instance:
        """From an item of DescribeInstances."""
        root = item.get("RootDeviceName")
        volumes = {d["DeviceName"]: d.get("Ebs", {}).get("VolumeId") for d in item.get("BlockDeviceMappings", ())}
        return cls(
            id=item["InstanceId"],
            state=item["State"]["Name"],
            image_id=item["ImageId"],
            type=item["InstanceType"],
            zone=item["Placement"]["AvailabilityZone"],
            subnet_id=item.get("SubnetId", ""),
            private_ip=item.get("PrivateIpAddress", ""),
            private_dns=item.get("PrivateDnsName", ""),
            profile_arn=(item.get("IamInstanceProfile") or {}).get("Arn"),
            launched_at=item["LaunchTime"].timestamp(),
            root_volume=volumes.get(root) or next(iter(volumes.values()), None),
            capacity_type="spot" if item.get("InstanceLifecycle") == "spot" else "on-demand",
        )

    @property
    def region(self) -> str:
        """The region of its zone; local zones are named after their parent region."""
        return "-".join(self.zone.split("-")[:3]).rstrip("abcdefghijklmnopqrstuvwxyz")

    @property
    def provider_id(self) -> str:
        """The node's ``spec.providerID``."""
        return f"aws:///{self.zone}/{self.id}"
