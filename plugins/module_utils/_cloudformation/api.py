# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The CloudFormation reads, two lines each; every failure is an AwsError. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .._aws.client import Client
from .model import Stack, StackResource


def find_stack(client: Client, name: str) -> Stack | None:
    """The stack, None when there is none.

    A deleted stack is found by its id only: https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html
    """
    answer = client.find("describe_stacks", StackName=name)
    stacks = [Stack.from_api(item) for item in (answer or {}).get("Stacks", [])]
    return next((stack for stack in stacks if stack.status != "DELETE_COMPLETE"), None)


def get_template(client: Client, name: str) -> str | Mapping[str, Any]:
    """The template as it was submitted: text, or a mapping when it was JSON (boto3 parses it)."""
    answer = client.call("get_template", StackName=name, TemplateStage="Original")
    body: str | Mapping[str, Any] = answer["TemplateBody"]
    return body


def list_resources(client: Client, name: str) -> list[StackResource]:
    """Every resource of the stack, the deleted ones left out."""
    found = client.pages("list_stack_resources", "StackResourceSummaries", StackName=name)
    return [item for item in map(StackResource.from_api, found) if item.status != "DELETE_COMPLETE"]


def with_reasons(client: Client, name: str, resources: list[StackResource]) -> list[StackResource]:
    """The resources; a failed one has the reason of its last failure, which the listing leaves out at times.

    Events come newest first: https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStackEvents.html
    """
    if not any(item.status.endswith("_FAILED") and not item.reason for item in resources):
        return resources
    reasons: dict[str, str] = {}
    for event in client.pages("describe_stack_events", "StackEvents", StackName=name):
        if event.get("ResourceStatus", "").endswith("_FAILED") and event.get("ResourceStatusReason"):
            reasons.setdefault(event["LogicalResourceId"], event["ResourceStatusReason"])
    return [
        replace(item, reason=item.reason or reasons.get(item.logical_id)) if item.status.endswith("_FAILED") else item
        for item in resources
    ]
