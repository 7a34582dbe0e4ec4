"""What the nodes of a group are made from: image, instance types, and a launch template of the user's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sandbox.eks import amitypes, launchtemplates, nodegroupspec
from sandbox.eks.amitypes import Release
from sandbox.eks.context import Caller, Context
from sandbox.eks.launchtemplates import CUSTOM
from sandbox.eks.model import CustomTemplate, Nodegroup
from sandbox.eks.nodegroupspec import InstanceTypes

_DEFAULT_TYPE = "t3.medium"
#: The fields of a node group that say what its nodes are made from.
FIELDS = (
    "release_version",
    "image_id",
    "ami_type",
    "instance_types",
    "max_pods",
    "custom_template",
    "types_in_template",
)


@dataclass(frozen=True)
class Make:
    """All of it. The release of an image of the user's is the image's id, and its AMI type ``CUSTOM``."""

    ami_type: str
    release: Release
    types: InstanceTypes
    template: CustomTemplate | None = None
    types_in_template: bool = False

    def give(self, group: Nodegroup) -> None:
        """Let a group's nodes to come be made so."""
        group.ami_type, group.release_version, group.image_id = (
            self.ami_type,
            self.release.version,
            self.release.image_id,
        )
        group.instance_types, group.max_pods = self.types.names, self.types.max_pods
        group.custom_template, group.types_in_template = self.template, self.types_in_template


async def of(context: Context, caller: Caller, params: dict[str, Any], version: str) -> Make:
    """What a request to create or update a group asks for. Raises InvalidParameterException."""
    wanted = params.get("launchTemplate")
    template = await launchtemplates.read(context, caller, wanted) if wanted else None
    of_template = template.instance_type if template else None
    names = params.get("instanceTypes") or [of_template or _DEFAULT_TYPE]
    types = await nodegroupspec.instance_types(context, caller, names)
    by_template = of_template is not None and not params.get("instanceTypes")
    if template is not None and template.image_id:
        launchtemplates.check(template, params, None)
        release = Release(template.image_id, template.image_id)
        return Make(CUSTOM, release, types, template.reference, by_template)
    ami_type = amitypes.choose(params.get("amiType"), types.architectures, version)
    if template is not None:
        launchtemplates.check(template, params, ami_type.family)
    release = await amitypes.find(context, caller, ami_type, version, params.get("releaseVersion"))
    return Make(ami_type.name, release, types, template.reference if template else None, by_template)
