# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Reads a stack and compares it with what is wanted. Writes nothing. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._aws.client import side_by_side
from .._stack_drift.api import Clients, observe
from .._stack_drift.model import Drift, expected_of
from .._stack_drift.plan import drifts, lost_sentence, unseen_types
from .api import get_template, list_resources, with_reasons
from .checks import check_capabilities, parameter_values, required_capabilities
from .conditions import resources_made
from .model import Stack, StackResource, Wanted
from .plan import differences, notices
from .states import blocked_sentence, is_updatable, next_step
from .template import load_template, read_template
from .waiters import wait_at_rest


@dataclass(frozen=True)
class Request:
    """The options of the module. Without a template only the facts of the stack are read."""

    stack_name: str
    template: str | None = None
    template_body: str | None = None
    template_parameters: Mapping[str, Any] = field(default_factory=dict)
    tags: Mapping[str, Any] | None = None
    capabilities: tuple[str, ...] = ()
    wait_timeout_seconds: int = 0
    drift: bool = False

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Request:
        """From the parameters of the module."""
        return cls(
            stack_name=params["stack_name"],
            template=params["template"],
            template_body=params["template_body"],
            template_parameters=params["template_parameters"] or {},
            tags=params["tags"],
            capabilities=tuple(params["capabilities"]),
            wait_timeout_seconds=params["wait_timeout"],
            drift=params["drift"],
        )


def wanted_of(request: Request) -> Wanted | None:
    """What the options ask for, None without a template. Raises EksopsError for what CloudFormation would refuse."""
    if request.template is None and request.template_body is None:
        return None
    where = request.template or "template_body"
    body = request.template_body if request.template is None else read_template(request.template)
    template = load_template(body or "", where)
    check_capabilities(required_capabilities(template), request.capabilities, where)
    values = parameter_values(template, request.template_parameters, "template_parameters")
    tags = None if request.tags is None else {str(key): str(value) for key, value in request.tags.items()}
    return Wanted(template, values, tags)


def run(clients: Clients, request: Request) -> dict[str, Any]:
    """The module's result."""
    wanted = wanted_of(request)
    client = clients.client("cloudformation")
    stack = wait_at_rest(client, request.stack_name, request.wait_timeout_seconds)
    if stack is None:
        return present(None, [], wanted, []) | drift_result(None, [], [])
    jobs: dict[str, Any] = {
        "resources": lambda: with_reasons(client, stack.stack_id, list_resources(client, stack.stack_id))
    }
    # A stack in review has no template yet.
    if (wanted is not None or request.drift) and stack.status != "REVIEW_IN_PROGRESS":
        jobs["template"] = lambda: get_template(client, stack.stack_id)
    read = side_by_side(jobs)
    found: list[dict[str, Any]] = []
    by_hand, unseen = [], []
    if "template" in read:
        template = load_template(read["template"], f"the template of stack {stack.name}")
        if wanted is not None:
            found = [item.as_dict() for item in differences(stack, template, wanted)]
        if request.drift and is_updatable(stack.status):
            expected = expected_of(stack, template, read["resources"])
            by_hand, unseen = drifts(expected, observe(clients, expected)), unseen_types(expected)
    return present(stack, read["resources"], wanted, found) | drift_result(stack.name, by_hand, unseen)


def drift_result(name: str | None, found: list[Drift], unseen: list[str]) -> dict[str, Any]:
    """What was done to the stack's resources by hand."""
    return {
        "drift": [item.as_dict() for item in found],
        "lost": lost_sentence(name, found) if name else None,
        "drift_unseen": unseen,
    }


def present(
    stack: Stack | None, resources: list[StackResource], wanted: Wanted | None, found: list[dict[str, Any]]
) -> dict[str, Any]:
    """One shape for a stack that is there and one that is not."""
    absent = stack is None or stack.status == "REVIEW_IN_PROGRESS"
    return {
        "exists": stack is not None,
        "stack_id": stack.stack_id if stack else None,
        "status": stack.status if stack else None,
        "status_reason": stack.reason if stack else None,
        "updatable": stack is None or is_updatable(stack.status),
        "blocked": blocked_sentence(stack, resources) if stack else None,
        "next_step": next_step(stack.status) if stack else None,
        "differs": wanted is not None and (absent or bool(found)),
        "differences": found,
        "resources_to_create": resources_made(wanted.template, wanted.parameters) if wanted and absent else [],
        "resources": [item.as_dict() for item in resources],
        "outputs": dict(stack.outputs) if stack else {},
        "parameters": dict(stack.parameters) if stack else {},
        "tags": dict(stack.tags) if stack else {},
        "template_parameters": dict(wanted.parameters) if wanted else {},
        "notices": notices(stack) if stack and wanted else [],
    }
