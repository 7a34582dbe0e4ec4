"""How a resource type calls EC2: as CloudFormation, in the account and region of the stack that is being worked on."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from typing import Any

from botocore.exceptions import ClientError

from sandbox.emulators import ministack

Properties = dict[str, Any]
Result = tuple[str, dict[str, Any]]

#: region -> boto3 EC2 client, by account; the front of an account puts it here.
CLIENTS: dict[str, Callable[[str], Any]] = {}
_DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation")
_GONE = (".NotFound", "NotFound", "NotAttached")


def ec2() -> Any:
    """The EC2 client for the stack at hand. Only valid inside of a resource handler."""
    responses = ministack.module("core.responses")
    return CLIENTS[responses.get_account_id()](responses.get_region())


class ResourceError(ValueError):
    """A resource could not be made, changed or deleted; the text becomes the reason in the stack's events."""


def call(operation: str, **parameters: Any) -> Any:
    """Call EC2; parameters that are None are left out. Raises ResourceError in CloudFormation's wording."""
    given = {name: value for name, value in parameters.items() if value is not None}
    try:
        return getattr(ec2(), operation)(**given)
    except ClientError as error:
        code, message = error.response["Error"]["Code"], error.response["Error"]["Message"]
        meta = error.response["ResponseMetadata"]
        text = reason("Ec2", code, message, meta["HTTPStatusCode"], meta.get("RequestId"))
        raise ResourceError(text) from error


def remove(operation: str, **parameters: Any) -> None:
    """Delete something; that it is gone already is fine."""
    try:
        call(operation, **parameters)
    except ResourceError as error:
        cause = error.__cause__
        if not isinstance(cause, ClientError) or not cause.response["Error"]["Code"].endswith(_GONE):
            raise


def reason(service: str, code: str, message: str, status: int, request_id: str | None = None) -> str:
    """As resource handlers report a failed call.

    https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-test-contract-errors.html
    """
    kind = "AccessDenied" if code in _DENIED else "NotFound" if code.endswith(_GONE) else "InvalidRequest"
    details = f"(Service: {service}, Status Code: {status}, Request ID: {request_id or uuid.uuid4()})"
    return (
        f'Resource handler returned message: "{message} {details}" '
        f"(RequestToken: {uuid.uuid4()}, HandlerErrorCode: {kind})"
    )


def flag(value: Any) -> bool:
    """A boolean as templates spell it."""
    return str(value).lower() == "true"


def tag_specification(kind: str, properties: Properties) -> list[dict[str, Any]] | None:
    """The tags of a template's resource for a call that creates it."""
    tags = [{"Key": one["Key"], "Value": str(one.get("Value", ""))} for one in properties.get("Tags") or []]
    return [{"ResourceType": kind, "Tags": tags}] if tags else None


def update_tags(resource: str, old: Properties, new: Properties) -> None:
    """Bring the template's tags up to date; tags from elsewhere stay."""
    before = {one["Key"]: str(one.get("Value", "")) for one in old.get("Tags") or []}
    after = {one["Key"]: str(one.get("Value", "")) for one in new.get("Tags") or []}
    if gone := set(before) - set(after):
        call("delete_tags", Resources=[resource], Tags=[{"Key": key} for key in sorted(gone)])
    if changed := _tags((key, value) for key, value in after.items() if before.get(key) != value):
        call("create_tags", Resources=[resource], Tags=changed)


def _tags(items: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in items]
