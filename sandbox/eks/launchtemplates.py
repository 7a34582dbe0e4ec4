"""A user's launch template for a node group: what may be in it, and how EKS makes its own template from it.

https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
"""

from __future__ import annotations

import base64
import email
from dataclasses import dataclass
from email.message import Message
from email.mime.multipart import MIMEMultipart
from typing import Any

from botocore.exceptions import ClientError

from sandbox.eks.context import Caller, Context
from sandbox.eks.errors import invalid_parameter, not_supported
from sandbox.eks.model import Cluster, CustomTemplate

CUSTOM = "CUSTOM"
#: What EKS decides itself, so that no template may.
_PROHIBITED = ("IamInstanceProfile", "InstanceMarketOptions", "HibernationOptions")
_BY_REQUEST = ("diskSize", "remoteAccess")


@dataclass(frozen=True)
class Template:
    """One version of a user's launch template with its data."""

    reference: CustomTemplate
    data: dict[str, Any]

    @property
    def image_id(self) -> str | None:
        """The image, where the template brings its own."""
        return self.data.get("ImageId")

    @property
    def instance_type(self) -> str | None:
        """The instance type, where the template has one."""
        return self.data.get("InstanceType")


async def read(context: Context, where: Caller | Cluster, wanted: dict[str, str]) -> Template:
    """The version that a request names, by default the template's default one. Raises InvalidParameterException."""
    if ("id" in wanted) == ("name" in wanted):
        raise invalid_parameter("Either the id or the name of the launch template must be given, and not both.")
    by = {"LaunchTemplateId": wanted["id"]} if "id" in wanted else {"LaunchTemplateName": wanted["name"]}
    version = wanted.get("version", "$Default")
    try:
        answer = await context.call("ec2", where, "describe_launch_template_versions", Versions=[version], **by)
    except ClientError as error:
        raise invalid_parameter(error.response["Error"]["Message"]) from error
    found = answer["LaunchTemplateVersions"]
    if not found:
        raise invalid_parameter(f"The launch template has no version {version}.")
    one = found[0]
    number = str(one["VersionNumber"])
    reference = CustomTemplate(one["LaunchTemplateId"], one["LaunchTemplateName"], number)
    return Template(reference, one["LaunchTemplateData"])


def check(template: Template, params: dict[str, Any], family: str | None) -> None:
    """Raise InvalidParameterException for what may not be in the template, or not in both of it and the request.

    ``family``: that of the images that EKS chooses; None when the template brings its own.
    """
    data = template.data
    for name in _PROHIBITED:
        if data.get(name):
            raise invalid_parameter(f"The launch template must not have {name}.")
    if any("SubnetId" in one for one in data.get("NetworkInterfaces", [])):
        raise invalid_parameter("The launch template must not have subnets in its network interfaces.")
    _check_request(template, params)
    if not template.image_id and data.get("UserData"):
        _check_user_data(data["UserData"], family)


def _check_request(template: Template, params: dict[str, Any]) -> None:
    for name in _BY_REQUEST:
        if name in params:
            raise invalid_parameter(f"{name} must be in the launch template, not in the request.")
    if template.instance_type and params.get("instanceTypes"):
        raise invalid_parameter("Instance types must be in the launch template or in the request, not in both.")
    if template.image_id:
        for name in ("amiType", "version", "releaseVersion"):
            if params.get(name) not in (None, CUSTOM):
                raise invalid_parameter(f"{name} must not be given with a launch template that has an image.")


def _check_user_data(encoded: str, family: str | None) -> None:
    if family == "bottlerocket":
        raise not_supported("user data for Bottlerocket in a launch template without an image")
    if not _parse(encoded).is_multipart():
        raise invalid_parameter("User data was not in the MIME multipart format.")


def merged(template: Template, ours: dict[str, Any], own_tags: list[dict[str, str]]) -> dict[str, Any]:
    """The data of EKS' own template: the user's, with what EKS adds."""
    data = {name: value for name, value in template.data.items() if name not in ("UserData", "TagSpecifications")}
    data["ImageId"] = template.image_id or ours["ImageId"]
    data["IamInstanceProfile"] = ours["IamInstanceProfile"]
    if not data.get("SecurityGroupIds") and not any(one.get("Groups") for one in data.get("NetworkInterfaces", [])):
        data["SecurityGroupIds"] = ours["SecurityGroupIds"]
    user_data = template.data.get("UserData")
    if template.image_id is None:
        data["UserData"] = _joined(user_data, ours["UserData"]) if user_data else ours["UserData"]
    elif user_data:
        data["UserData"] = user_data
    given = {one["ResourceType"]: one["Tags"] for one in template.data.get("TagSpecifications", [])}
    kinds = {"instance": [], "volume": []} | given
    data["TagSpecifications"] = [{"ResourceType": kind, "Tags": [*tags, *own_tags]} for kind, tags in kinds.items()]
    return data


def _joined(theirs: str, ours: str) -> str:
    """The user's parts, then that of EKS."""
    whole = MIMEMultipart(boundary="//")
    for encoded in (theirs, ours):
        for part in _parse(encoded).walk():
            if not part.is_multipart():
                whole.attach(part)
    return base64.b64encode(whole.as_bytes()).decode()


def _parse(encoded: str) -> Message:
    return email.message_from_bytes(base64.b64decode(encoded))
