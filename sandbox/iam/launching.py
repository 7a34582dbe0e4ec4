"""What launching an instance needs, when it is known what with: RunInstances, and each launch of a fleet.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ExamplePolicies_EC2.html#iam-example-runinstances
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.iam.model import Value
from sandbox.iam.operation import Need, Tags, request_tags
from sandbox.iam.passing import passed
from sandbox.iam.reference import resource_type

#: What a launch makes and may tag.
_MADE = ("instance", "network-interface", "volume", "spot-instances-request")


@dataclass(frozen=True)
class Launch:
    """Everything that matters of one launch. ``tags``: what is given to new resources, by their type."""

    account: str
    region: str
    image_id: str
    subnet_id: str
    security_group_ids: tuple[str, ...]
    instance_type: str
    zone: str
    spot: bool = False
    template_id: str | None = None
    key_name: str | None = None
    role_arn: str | None = None
    profile_arn: str | None = None
    tenancy: str = "default"
    tags: Mapping[str, Tags] = field(default_factory=dict)

    def arn(self, kind: str, name: str = "*") -> str:
        """The ARN of one resource, or of all, in the account and region of the launch."""
        of = resource_type("ec2", kind)
        return of.at(self.account, self.region, **{of.variables[0]: name})


def launch_needs(launch: Launch) -> list[Need]:
    """RunInstances on all that is used and made, the tags of what is made, and the role."""
    common = _common(launch)
    found = [Need("ec2:RunInstances", arn, common) for arn in _used(launch)]
    made = [kind for kind in _MADE if kind != "spot-instances-request" or launch.spot]
    for kind in made:
        keys = common | (_instance(launch) if kind == "instance" else {})
        found.append(Need("ec2:RunInstances", launch.arn(kind), keys | request_tags(launch.tags.get(kind, {}))))
    for kind in made:
        if given := launch.tags.get(kind):
            keys = common | request_tags(given) | {"ec2:createaction": "RunInstances"}
            found.append(Need("ec2:CreateTags", launch.arn(kind), keys))
    return [*found, passed(launch.role_arn, "ec2.amazonaws.com")] if launch.role_arn else found


def _used(launch: Launch) -> list[str]:
    found = [launch.arn("image", launch.image_id), launch.arn("subnet", launch.subnet_id)]
    found += [launch.arn("security-group", one) for one in launch.security_group_ids]
    if launch.template_id:
        found.append(launch.arn("launch-template", launch.template_id))
    if launch.key_name:
        found.append(launch.arn("key-pair", launch.key_name))
    return found


def _common(launch: Launch) -> dict[str, Value]:
    keys: dict[str, Value] = {"ec2:region": launch.region, "ec2:availabilityzone": launch.zone}
    if launch.template_id:
        keys |= {"ec2:launchtemplate": launch.arn("launch-template", launch.template_id)}
    return keys


def _instance(launch: Launch) -> dict[str, Value]:
    keys: dict[str, Value] = {
        "ec2:instancetype": launch.instance_type,
        "ec2:tenancy": launch.tenancy,
        "ec2:instancemarkettype": "spot" if launch.spot else "on-demand",
    }
    return keys | {"ec2:instanceprofile": launch.profile_arn} if launch.profile_arn else keys
