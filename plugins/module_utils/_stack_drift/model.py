# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What a stack's resources should be, and what of them is otherwise. Pure: standard library only. Private.

CloudFormation compares templates and does not look at what was done to its resources by hand; it calls that drift:
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-drift.html
Its own DetectStackDrift takes up to minutes, and counts tags that EKS and others add. So the services are read here,
for what can be changed by hand: https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DetectStackDrift.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._cloudformation.model import Stack, StackResource
from .resolve import Scope, is_known, resolve

Live = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""What the services have: kind (``subnet``) -> id -> as the API tells it. A thing that is gone is not in it."""


@dataclass(frozen=True)
class Expected:
    """A resource as the stack made it; properties that only CloudFormation can tell are left out."""

    logical_id: str
    physical_id: str
    type: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A property as text, empty when it is not stated."""
        return str(self.properties.get(name, ""))

    def flag(self, name: str) -> bool:
        """A property that is a truth value; CloudFormation's default is false for those that are asked here."""
        return self.text(name).lower() == "true"


@dataclass(frozen=True)
class Call:
    """The write that puts something right: the service, the operation as boto3 calls it, and its parameters."""

    service: str
    operation: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Drift:
    """One thing that is otherwise than the stack made it. Without a call it cannot be put right in place."""

    resource: Expected
    aspect: str
    before: Any = None
    after: Any = None
    call: Call | None = None

    @property
    def name(self) -> str:
        """The resource by both of its names."""
        return f"{self.resource.logical_id} ({self.resource.physical_id})"

    def as_dict(self) -> dict[str, Any]:
        """The difference as a module returns it."""
        return {
            "logical_id": self.resource.logical_id,
            "physical_id": self.resource.physical_id,
            "type": self.resource.type,
            "aspect": self.aspect,
            "before": self.before,
            "after": self.after,
            "repairable": self.call is not None,
        }


def gone(resource: Expected) -> Drift:
    """A resource that is not there any more."""
    return Drift(resource, "existence", before="deleted by hand", after="there")


def expected_of(stack: Stack, template: Mapping[str, Any], resources: list[StackResource]) -> list[Expected]:
    """Every resource that the stack holds, in the order of the template."""
    ids = {item.logical_id: item.physical_id for item in resources if item.physical_id and _is_held(item)}
    scope = Scope(template, stack.parameters, ids, stack.name, stack.stack_id)
    found = []
    for logical_id, declared in template["Resources"].items():
        if logical_id not in ids:
            continue
        properties = resolve(declared.get("Properties") or {}, scope)
        own = properties.get("Tags") if isinstance(properties.get("Tags"), list) else []
        # Tags of the stack are put on all of its resources that can have tags; a resource's own ones win:
        # https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-resource-tags.html
        tags = {**stack.tags, **{tag["Key"]: str(tag["Value"]) for tag in own if is_known(tag)}}
        known = {name: value for name, value in properties.items() if is_known(value)}
        found.append(Expected(logical_id, ids[logical_id], declared.get("Type", ""), known, tags))
    return found


def _is_held(item: StackResource) -> bool:
    return item.status.endswith("_COMPLETE") and not item.status.startswith("DELETE")
