"""Launch templates: what moto loses of them. Mixed into moto's class of EC2 answers.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateLaunchTemplate.html
"""

from __future__ import annotations

import re
from typing import Any

from sandbox.emulators.ec2.errors import client_error, dry_run
from sandbox.emulators.ec2.launchspec import tag_map

_NAME = re.compile(r"[a-zA-Z0-9().\-/_]{3,128}")


class LaunchTemplates:
    """Operations on launch templates."""

    params: Any
    ec2_backend: Any
    current_account: str
    partition: str

    def create_launch_template(self) -> Any:
        """moto adds the template's own tags to those of the instances, and takes any name."""
        from moto.core.responses import ActionResult
        from moto.ec2.utils import parse_user_data

        name = self.params.get("LaunchTemplateName", "")
        if not _NAME.fullmatch(name):
            text = f"A launch template name must be between 3 and 128 letters, digits and ().-/_, and is '{name}'"
            raise client_error("InvalidLaunchTemplateName.MalformedException", text)
        data = dict(self.params.get("LaunchTemplateData") or {})
        data["UserData"] = parse_user_data(data.get("UserData"))
        if self.params.get("DryRun"):
            raise dry_run()
        tags = tag_map(self.params.get("TagSpecifications"))
        template = self.ec2_backend.create_launch_template(name, self.params.get("VersionDescription"), data, tags)
        return ActionResult({"LaunchTemplate": self._shown(template)})

    def describe_launch_templates(self) -> Any:
        """moto ignores ids that do not exist, stops at fifteen and shows the tags of the first day."""
        from moto.core.responses import ActionResult

        wanted = self.params.get("LaunchTemplateIds") or []
        for template_id in wanted:
            self._existing(template_id)
        templates = self.ec2_backend.describe_launch_templates(
            template_names=self.params.get("LaunchTemplateNames") or [],
            template_ids=wanted,
            filters={one["Name"]: one.get("Values", []) for one in self.params.get("Filters") or []},
        )
        start = int(self.params.get("NextToken") or 0)
        end = start + int(self.params.get("MaxResults") or 200)
        page = [self._shown(template) for template in templates[start:end]]
        return ActionResult({"LaunchTemplates": page, "NextToken": str(end) if end < len(templates) else None})

    def delete_launch_template(self) -> Any:
        """moto names an unknown id as an unknown name."""
        from moto.core.responses import ActionResult

        template_id, name = self.params.get("LaunchTemplateId"), self.params.get("LaunchTemplateName")
        if name:
            template_id = self.ec2_backend.get_launch_template_by_name(name).id
        self._existing(template_id)
        if self.params.get("DryRun"):
            raise dry_run()
        template = self.ec2_backend.delete_launch_template(None, template_id)
        return ActionResult({"LaunchTemplate": self._shown(template)})

    def _existing(self, template_id: str | None) -> None:
        if template_id not in self.ec2_backend.launch_templates:
            text = f"The specified launch template, with template ID {template_id}, does not exist."
            raise client_error("InvalidLaunchTemplateId.NotFound", text)

    def _shown(self, template: Any) -> dict[str, Any]:
        return {
            "CreateTime": template.create_time,
            "CreatedBy": f"arn:{self.partition}:iam::{self.current_account}:root",
            "DefaultVersionNumber": template.default_version_number,
            "LatestVersionNumber": template.latest_version_number,
            "LaunchTemplateId": template.id,
            "LaunchTemplateName": template.name,
            "Tags": template.get_tags(),
        }
