# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read, plan, apply for one service-linked role. Private to the collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._aws.client import Client
from .._aws.errors import AwsError
from .._aws.module import planned
from .._core.errors import EksopsError
from .._core.plan import Plan
from .api import create_role, find_role
from .model import ServiceLinkedRole, check_service, consequence
from .plan import plan_role


@dataclass(frozen=True)
class Request:
    """The options of the module."""

    service: str
    description: str | None
    required: bool


def run(client: Client, request: Request, *, check_mode: bool) -> dict[str, Any]:
    """The module's result. Raises EksopsError."""
    check_service(request.service)
    try:
        role = find_role(client, request.service)
        plan = plan_role(request.service, request.description, role)
    except AwsError as error:
        if error.kind != "denied":
            raise
        # Who may not look can still be told by CreateServiceLinkedRole itself, but not in check mode.
        role, plan = None, plan_role(request.service, request.description, None)
        plan += Plan(notices=(f"Whether {request.service} has its role already cannot be read: {error.what}",))
    if plan.changed and not check_mode:
        role, plan = _create(client, request, plan)
    return present(role, request, plan)


def _create(client: Client, request: Request, plan: Plan) -> tuple[ServiceLinkedRole | None, Plan]:
    try:
        made = create_role(client, request.service, request.description)
        role = find_role(client, request.service)
    except AwsError as error:
        if error.kind != "denied":
            raise
        return None, Plan(notices=(*plan.notices, _denied(request, error)))
    return role, plan if made else Plan(notices=plan.notices)


def _denied(request: Request, error: AwsError) -> str:
    what = f"The service-linked role of {request.service} is missing and may not be made: {error.what.rstrip('.')}"
    without = f"Without it {consequence(request.service)}"
    command = f"aws iam create-service-linked-role --aws-service-name {request.service}"
    if request.required:
        raise EksopsError(
            f"{what}. {without}",
            where="aws_service_name",
            next_step=f"let somebody with iam:CreateServiceLinkedRole run once per account: {command}",
        ) from error
    return f"{what}. {without}. Once per account: {command}."


def present(role: ServiceLinkedRole | None, request: Request, plan: Plan) -> dict[str, Any]:
    """The same keys whether the role is there, will be made, or may not be made."""
    return {
        "aws_service_name": request.service,
        "exists": role is not None,
        "role_name": role.name if role else None,
        "role_arn": role.arn if role else None,
        **planned(plan),
    }
