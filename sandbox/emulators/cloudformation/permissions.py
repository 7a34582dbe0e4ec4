"""CloudFormation acts with the permissions of whoever works on the stack, or of the stack's service role.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/control-access-with-iam.html
What EC2 is asked for goes through the front, which decides it. ministack makes the other types in its own stores: for
those the calls that CloudFormation would make are decided here, before ministack makes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sandbox.emulators import ministack
from sandbox.emulators.cloudformation import operations
from sandbox.emulators.cloudformation.calls import Properties, ResourceError, reason
from sandbox.front.forwarding import HEADER, header
from sandbox.iam.operation import Operation

if TYPE_CHECKING:
    from sandbox.front.authorization import Authorizer

SERVICE = "cloudformation.amazonaws.com"
#: account -> what decides; the front of an account puts it here.
AUTHORIZERS: dict[str, Authorizer] = {}


def forwarding(client: Any) -> Any:
    """The client, with each of its requests saying on whose behalf it is made."""
    client.meta.events.register("before-sign.ec2", _say_for_whom, unique_id=HEADER)
    return client


def _say_for_whom(request: Any, **_: Any) -> None:
    if (caller := ministack.CALLER.get()) is not None:
        request.headers[HEADER] = header(caller)


def guard(handlers: dict[str, dict[str, Any]]) -> None:
    """Put the decision in front of ministack's handlers."""
    for kind, handler in handlers.items():
        for verb, wrap in (("create", _creating), ("update", _updating), ("delete", _deleting)):
            if verb in handler:
                handler[verb] = wrap(kind, handler[verb])


def _creating(kind: str, create: Callable[..., Any]) -> Callable[..., Any]:
    def checked(logical_id: str, properties: Properties, stack: str, *more: Any, **named: Any) -> Any:
        _decide(kind, operations.creating(kind, f"{stack}-{logical_id}-*", properties))
        return create(logical_id, properties, stack, *more, **named)

    return checked


def _updating(kind: str, update: Callable[..., Any]) -> Callable[..., Any]:
    def checked(physical_id: str, old: Properties, new: Properties, *more: Any, **named: Any) -> Any:
        _decide(kind, operations.updating(kind, physical_id, old, new))
        return update(physical_id, old, new, *more, **named)

    return checked


def _deleting(kind: str, delete: Callable[..., Any]) -> Callable[..., Any]:
    def checked(physical_id: str, properties: Properties, *more: Any, **named: Any) -> Any:
        _decide(kind, operations.deleting(kind, physical_id, properties))
        return delete(physical_id, properties, *more, **named)

    return checked


def _decide(kind: str, wanted: Iterable[operations.Wanted]) -> None:
    caller = ministack.CALLER.get()
    responses = ministack.module("core.responses")
    account, region = responses.get_account_id(), responses.get_region()
    if caller is None:
        return
    for service, action, parameters in wanted:
        operation = Operation(service, action, account, "us-east-1" if service == "iam" else region, parameters)
        if refusal := AUTHORIZERS[account].operation(operation, caller, SERVICE):
            error = refusal.error("query")
            raise ResourceError(reason(kind.split("::")[1].title(), error.code, error.message, error.status))
