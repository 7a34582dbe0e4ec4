"""Launches instances as EC2 does: everything is checked first, and what the launch template says is what they get.

moto's own way loses security groups, the instance profile, the volumes of the image and the tags of interfaces.
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
"""

from __future__ import annotations

import secrets
from functools import cache
from typing import Any

from sandbox.emulators.ec2 import hooks, permissions, volumes
from sandbox.emulators.ec2.errors import client_error
from sandbox.emulators.ec2.launchspec import LaunchSpec, disks
from sandbox.emulators.iam import IamStore


@cache
def instance_types() -> dict[str, dict[str, Any]]:
    """moto's instance type data by name."""
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    found: dict[str, dict[str, Any]] = INSTANCE_TYPES
    return found


@cache
def _offered(region: str) -> frozenset[tuple[str, str]]:
    from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

    offers = INSTANCE_TYPE_OFFERINGS["availability-zone"].get(region, [])
    return frozenset((one["InstanceType"], one["Location"]) for one in offers)


def template_version(backend: Any, wanted: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, int]]:
    """Data, id and number of a launch template's version. Raises EC2's errors for unknown ones."""
    if name := wanted.get("LaunchTemplateName"):
        template = backend.get_launch_template_by_name(name)
    else:
        template = backend.get_launch_template(wanted.get("LaunchTemplateId"))
    version = template.get_version(wanted.get("Version") or "$Default")
    return version.data, (template.id, version.number)


def check(backend: Any, spec: LaunchSpec) -> None:
    """Raise EC2's error for the first thing about a launch that cannot be, or that the caller may not do."""
    image = _image(backend, spec)
    kind = _instance_type(spec)
    _matching_architecture(image, kind, spec)
    profile_arn = _profile(backend, spec)
    subnet = _subnet(backend, spec)
    if (spec.instance_type, subnet.availability_zone) not in _offered(backend.region_name):
        zone = subnet.availability_zone
        text = f"Your requested instance type ({spec.instance_type}) is not supported in your requested Availability "
        raise client_error("Unsupported", f"{text}Zone ({zone}).")
    if spec.zone and spec.zone != subnet.availability_zone:
        text = f"The subnet {subnet.id} is not in the requested Availability Zone {spec.zone}."
        raise client_error("InvalidParameterValue", text)
    groups = _groups(backend, spec, subnet)
    for group in groups:
        if group.vpc_id != subnet.vpc_id:
            text = f"Security group {group.id} and subnet {subnet.id} belong to different networks."
            raise client_error("InvalidParameter", text)
    if subnet.available_ip_address_count < 1:
        text = (
            f"There are not enough free addresses in subnet '{subnet.id}' to satisfy the requested number of instances."
        )
        raise client_error("InsufficientFreeAddressesInSubnet", text)
    permissions.require(backend, spec, subnet, groups, profile_arn)
    _refuse_on_demand(backend, spec, subnet)


def _refuse_on_demand(backend: Any, spec: LaunchSpec, subnet: Any) -> None:
    """Raise the error of a fault that concerns the launch."""
    found = hooks.of(backend)
    if found is None:
        return
    kind, zone = spec.instance_type or "", subnet.availability_zone
    subject = hooks.subject(backend.region_name, spec.image_id or "", kind, zone, spot=spec.spot)
    if refusal := found.refusal(backend.region_name, subject, subnet.id):
        raise client_error(refusal.code, refusal.message)


def launch(backend: Any, spec: LaunchSpec, *, fleet_id: str | None = None) -> Any:
    """One new instance from a spec that ``check`` passed; moto's object of it."""
    from moto.ec2.utils import parse_user_data

    subnet = _subnet(backend, spec)
    groups = _groups(backend, spec, subnet)
    image = _image(backend, spec)
    wanted = disks(image.block_device_mappings, spec.disks)
    interface = {"DeviceIndex": 0, "SubnetId": subnet.id, "DeleteOnTermination": True}
    if spec.public_ip is not None:
        interface["AssociatePublicIpAddress"] = spec.public_ip
    reservation = backend.run_instances(
        spec.image_id,
        1,
        parse_user_data(spec.user_data),
        [],
        security_group_ids=[group.id for group in groups],
        instance_type=spec.instance_type,
        is_instance_type_default=False,
        region_name=backend.region_name,
        nics=[interface],
        private_ip=spec.private_ip,
        associate_public_ip=spec.public_ip,
        key_name=spec.key_name,
        ebs_optimized=spec.ebs_optimized,
        monitoring_state="enabled" if spec.monitoring else "disabled",
        metadata_options=spec.metadata_options,
        block_device_mappings=volumes.without_public_snapshots(backend, image, wanted),
        tags={},
    )
    instance = reservation.instances[0]
    volumes.finish(backend, instance, wanted)
    _finish(backend, instance, spec, fleet_id)
    return instance


def _finish(backend: Any, instance: Any, spec: LaunchSpec, fleet_id: str | None) -> None:
    """What moto does not set: profile, placement, market, tags of the instance and of what came with it."""
    if arn := _profile(backend, spec):
        instance.iam_instance_profile = {"Arn": arn, "Id": IamStore().profile_id(backend.account_id, arn)}
    instance.placement.tenancy = spec.tenancy
    instance.placement.availability_zone_id = backend.get_subnet(instance.subnet_id).availability_zone_id
    if spec.spot:
        instance.lifecycle = "spot"
        instance.spot_instance_request_id = f"sir-{secrets.token_hex(4)}"
    # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/launch-instances-from-launch-template.html
    tags = dict(spec.tags.get("instance", {}))
    if spec.template:
        tags |= {"aws:ec2launchtemplate:id": spec.template[0], "aws:ec2launchtemplate:version": str(spec.template[1])}
    if fleet_id:
        tags["aws:ec2:fleet-id"] = fleet_id
    instance.add_tags(tags)
    for _, device in instance.get_block_device_mapping:
        backend.volumes[device.volume_id].add_tags(spec.tags.get("volume", {}))
    for interface in instance.nics.values():
        interface.add_tags(spec.tags.get("network-interface", {}))


def _image(backend: Any, spec: LaunchSpec) -> Any:
    image_id = spec.image_id
    if not image_id:
        raise client_error("MissingParameter", "The request must contain the parameter ImageId")
    if not image_id.startswith("ami-"):
        raise client_error("InvalidAMIID.Malformed", f'Invalid id: "{image_id}" (expecting "ami-...")')
    if image_id not in backend.amis:
        raise client_error("InvalidAMIID.NotFound", f"The image id '[{image_id}]' does not exist")
    return backend.amis[image_id]


def _instance_type(spec: LaunchSpec) -> dict[str, Any]:
    name = spec.instance_type or "m1.small"
    if name not in instance_types():
        raise client_error("InvalidParameterValue", f"Invalid value '{name}' for InstanceType.")
    return instance_types()[name]


def _matching_architecture(image: Any, kind: dict[str, Any], spec: LaunchSpec) -> None:
    known = kind["ProcessorInfo"]["SupportedArchitectures"]
    if image.architecture not in known:
        text = f"The architecture '{','.join(known)}' of the specified instance type does not match the architecture "
        text += f"'{image.architecture}' of the specified AMI. Specify an instance type and an AMI that have matching "
        raise client_error("InvalidParameterValue", text + "architectures, and try again.")


def _profile(backend: Any, spec: LaunchSpec) -> str | None:
    """The ARN of the launch's instance profile; IAM is ministack's, not moto's own."""
    if not spec.profile_name and not spec.profile_arn:
        return None
    arn = IamStore().instance_profile(backend.account_id, name=spec.profile_name, arn=spec.profile_arn)
    if arn is None:
        part, value = ("name", spec.profile_name) if spec.profile_name else ("arn", spec.profile_arn)
        text = (
            f"Value ({value}) for parameter iamInstanceProfile.{part} is invalid. Invalid IAM Instance Profile {part}"
        )
        raise client_error("InvalidParameterValue", text)
    return arn


def _subnet(backend: Any, spec: LaunchSpec) -> Any:
    if spec.subnet_id:
        return backend.get_subnet(spec.subnet_id)
    defaults = backend.get_default_subnets()
    if not defaults:
        text = "No default VPC for this user. GroupName is only supported for EC2-Classic and default VPC."
        raise client_error("VPCIdNotSpecified", text)
    return defaults.get(spec.zone) or defaults[min(defaults)]


def _groups(backend: Any, spec: LaunchSpec, subnet: Any) -> list[Any]:
    groups = []
    for wanted in (*spec.group_ids, *spec.group_names):
        by_name = wanted in spec.group_names
        group = (
            backend.get_security_group_by_name_or_id(wanted, subnet.vpc_id)
            if by_name
            else backend.get_security_group_from_id(wanted)
        )
        if group is None:
            raise client_error("InvalidGroup.NotFound", f"The security group '{wanted}' does not exist")
        groups.append(group)
    return groups or [backend.get_default_security_group(subnet.vpc_id)]
