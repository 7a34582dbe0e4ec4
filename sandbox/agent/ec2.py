"""What the agent reads of one account and region: instances, and the facts about them that do not change."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable
from typing import Any

from sandbox.contracts import Aws
from sandbox.threads import Threads

from .capacity import Shape
from .families import Image
from .instance import Instance

#: A terminated instance stays in DescribeInstances for an hour; the agent has no use for it.
_STATES = ["pending", "running", "stopping", "stopped", "shutting-down"]
_DEFAULT_DISK_GIB = 20

#: Few nodes boot at the same moment; the front has four times as many threads, so an account never keeps it busy.
_WORKERS = 4
_ROLE_SECONDS = 60.0


class Account:
    """EC2 and IAM of one account and region. Blocking, thread-safe; facts are read once and kept.

    Coroutines use it through ``run``, which has threads of its own.
    """

    def __init__(self, aws: Aws, account: str, region: str) -> None:
        self._aws, self._account, self._region = aws, account, region
        self._clients: dict[str, Any] = {}
        self._images: dict[str, Image] = {}
        self._shapes: dict[str, Shape] = {}
        self._subnets: dict[str, str] = {}
        self._zones: dict[str, str] = {}
        self._roles: dict[str, tuple[str, float]] = {}
        self._lock = threading.Lock()
        self._threads = Threads("agent", _WORKERS)

    async def run[**P, R](self, call: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Make a blocking call of this account in one of its threads."""
        return await self._threads.run(call, *arguments, **named)

    def close(self) -> None:
        """End the threads, once their calls have returned."""
        self._threads.close()

    def _client(self, service: str) -> Any:
        with self._lock:
            if service not in self._clients:
                self._clients[service] = self._aws.client(service, self._account, self._region)
            return self._clients[service]

    def states(self) -> dict[str, str]:
        """The state of every instance that is not terminated, by id: a third of the cost of their descriptions."""
        pages = self._client("ec2").get_paginator("describe_instance_status")
        wanted = [{"Name": "instance-state-name", "Values": _STATES}]
        return {
            item["InstanceId"]: item["InstanceState"]["Name"]
            for page in pages.paginate(IncludeAllInstances=True, Filters=wanted)
            for item in page["InstanceStatuses"]
        }

    def instances(self) -> dict[str, Instance]:
        """Every instance that is not terminated, by id."""
        pages = self._client("ec2").get_paginator("describe_instances")
        found: dict[str, Instance] = {}
        for page in pages.paginate(Filters=[{"Name": "instance-state-name", "Values": _STATES}]):
            for reservation in page["Reservations"]:
                found |= {item["InstanceId"]: Instance.of(item) for item in reservation["Instances"]}
        return found

    def user_data(self, instance_id: str) -> bytes:
        """The user data as the instance's metadata service would give it; empty when there is none."""
        answer = self._client("ec2").describe_instance_attribute(InstanceId=instance_id, Attribute="userData")
        return base64.b64decode((answer.get("UserData") or {}).get("Value") or "")

    def image(self, image_id: str) -> Image:
        """The image, by the name that its owner gave it."""
        if image_id not in self._images:
            found = self._client("ec2").describe_images(ImageIds=[image_id])["Images"]
            self._images[image_id] = Image.of(found[0].get("Name", "") if found else "")
        return self._images[image_id]

    def shape(self, instance_type: str) -> Shape:
        """The instance type. Raises LookupError for one that EC2 does not know."""
        if instance_type not in self._shapes:
            found = self._client("ec2").describe_instance_types(InstanceTypes=[instance_type])["InstanceTypes"]
            if not found:
                raise LookupError(f"no instance type {instance_type}")
            self._shapes[instance_type] = Shape.of(found[0])
        return self._shapes[instance_type]

    def zone_id(self, zone: str) -> str | None:
        """The id of a zone, which means the same place in every account."""
        if not self._zones:
            zones = self._client("ec2").describe_availability_zones()["AvailabilityZones"]
            self._zones = {entry["ZoneName"]: entry["ZoneId"] for entry in zones if entry.get("ZoneId")}
        return self._zones.get(zone)

    def subnet_cidr(self, subnet_id: str) -> str:
        """The IPv4 range of a subnet."""
        if subnet_id not in self._subnets:
            found = self._client("ec2").describe_subnets(SubnetIds=[subnet_id])["Subnets"]
            self._subnets[subnet_id] = found[0]["CidrBlock"]
        return self._subnets[subnet_id]

    def disk_gib(self, volume_id: str | None) -> int:
        """The size of a root volume in GiB."""
        if not volume_id:
            return _DEFAULT_DISK_GIB
        found = self._client("ec2").describe_volumes(VolumeIds=[volume_id])["Volumes"]
        return int(found[0]["Size"]) if found else _DEFAULT_DISK_GIB

    def role_arn(self, profile_arn: str) -> str:
        """The role in an instance profile. Raises LookupError when there is no profile, or no role in it."""
        known, until = self._roles.get(profile_arn, ("", 0.0))
        if time.monotonic() < until:
            return known
        name = profile_arn.rpartition("/")[2]
        iam = self._client("iam")
        try:
            roles = iam.get_instance_profile(InstanceProfileName=name)["InstanceProfile"]["Roles"]
        except iam.exceptions.NoSuchEntityException as error:
            raise LookupError(f"instance profile {name} does not exist") from error
        if not roles:
            raise LookupError(f"instance profile {name} has no role")
        self._roles[profile_arn] = (str(roles[0]["Arn"]), time.monotonic() + _ROLE_SECONDS)
        return str(roles[0]["Arn"])
