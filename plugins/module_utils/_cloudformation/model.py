# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Plain data of a CloudFormation comparison. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

DifferenceKind = Literal["resource", "output", "condition", "mapping", "template", "parameter", "tag"]


@dataclass(frozen=True)
class Difference:
    """One thing that the stack has otherwise than wanted; ``before`` is the stack's side, ``after`` ours."""

    kind: DifferenceKind
    name: str
    action: Literal["add", "modify", "remove"]
    before: Any = None
    after: Any = None
    type: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The difference as a module returns it."""
        return {
            "kind": self.kind,
            "name": self.name,
            "action": self.action,
            "type": self.type,
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True)
class Wanted:
    """What a stack should be: a canonical template, parameter values as text, and tags (None: not compared)."""

    template: Mapping[str, Any]
    parameters: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] | None = None


@dataclass(frozen=True)
class StackResource:
    """One resource of a stack as ListStackResources tells it."""

    logical_id: str
    physical_id: str | None
    type: str
    status: str
    reason: str | None = None

    @classmethod
    def from_api(cls, data: Mapping[str, Any]) -> StackResource:
        """From one entry of StackResourceSummaries."""
        return cls(
            logical_id=data["LogicalResourceId"],
            physical_id=data.get("PhysicalResourceId"),
            type=data["ResourceType"],
            status=data["ResourceStatus"],
            reason=data.get("ResourceStatusReason"),
        )

    def as_dict(self) -> dict[str, Any]:
        """The resource as a module returns it."""
        return {
            "logical_id": self.logical_id,
            "physical_id": self.physical_id,
            "type": self.type,
            "status": self.status,
            "status_reason": self.reason,
        }


@dataclass(frozen=True)
class Stack:
    """A stack that exists."""

    name: str
    stack_id: str
    status: str
    reason: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    protected: bool = False

    @classmethod
    def from_api(cls, data: Mapping[str, Any]) -> Stack:
        """From one entry of Stacks of DescribeStacks."""
        return cls(
            name=data["StackName"],
            stack_id=data["StackId"],
            status=data["StackStatus"],
            reason=data.get("StackStatusReason"),
            parameters={item["ParameterKey"]: item.get("ParameterValue", "") for item in data.get("Parameters", [])},
            outputs={item["OutputKey"]: item.get("OutputValue", "") for item in data.get("Outputs", [])},
            tags={item["Key"]: item["Value"] for item in data.get("Tags", [])},
            protected=bool(data.get("EnableTerminationProtection")),
        )
