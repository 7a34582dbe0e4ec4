"""What AWS refuses about IAM resources in stacks, and ministack lets pass.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html
https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeleteRole.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.emulators import ministack
from sandbox.emulators.cloudformation.calls import Properties, ResourceError

#: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
MAX_ROLE_NAME = 64
MAX_POLICY_NAME = 128
MAX_POLICY_CHARACTERS = 6144


def _iam() -> Any:
    return ministack.module("services.iam")


def _check_role(properties: Properties) -> None:
    name = properties.get("RoleName")
    if name and len(name) > MAX_ROLE_NAME:
        text = (
            f"1 validation error detected: Value '{name}' at 'roleName' failed to satisfy constraint: Member must have "
        )
        raise ResourceError(f"{text}length less than or equal to {MAX_ROLE_NAME}")
    if name and name in _iam()._roles:
        raise ResourceError(f"Role with name {name} already exists.")
    for arn in properties.get("ManagedPolicyArns") or []:
        if not _iam().policy_known(arn, ministack.module("core.responses").get_account_id()):
            raise ResourceError(f"Policy {arn} does not exist or is not attachable.")


def _check_policy(properties: Properties) -> None:
    name = properties.get("ManagedPolicyName")
    if name and len(name) > MAX_POLICY_NAME:
        text = (
            f"Value '{name}' at 'policyName' failed to satisfy constraint: Member must have length less than or equal "
        )
        raise ResourceError(f"{text}to {MAX_POLICY_NAME}")
    account = ministack.module("core.responses").get_account_id()
    arn = f"arn:aws:iam::{account}:policy{properties.get('Path', '/')}{name}"
    if name and arn in _iam()._policies:
        raise ResourceError(f"A policy called {name} already exists. Duplicate names are not allowed.")


def _check_role_deletion(name: str, properties: Properties) -> None:
    """CloudFormation takes off what it put on; anything else that holds the role keeps it."""
    role = _iam()._roles.get(name)
    if role is None:
        return
    foreign = set(role.get("AttachedPolicies", [])) - set(properties.get("ManagedPolicyArns") or [])
    if foreign:
        raise ResourceError("Cannot delete entity, must detach all policies first.")
    if any(name in profile.get("Roles", []) for profile in _iam()._instance_profiles.values()):
        raise ResourceError("Cannot delete entity, must remove roles from instance profile first.")


def _check_policy_deletion(arn: str, properties: Properties) -> None:
    named = {*(properties.get("Roles") or []), *(properties.get("Users") or []), *(properties.get("Groups") or [])}
    holders = [
        name
        for store in (_iam()._roles, _iam()._users, _iam()._groups)
        for name, entity in store.items()
        if arn in entity.get("AttachedPolicies", [])
    ]
    if set(holders) - named:
        raise ResourceError("Cannot delete a policy attached to entities.")


def guarded(handlers: dict[str, dict[str, Any]]) -> None:
    """Put the checks in front of ministack's handlers. A policy that the stack attaches by a role goes with it."""
    for kind, check in (("AWS::IAM::Role", _check_role), ("AWS::IAM::ManagedPolicy", _check_policy)):
        handlers[kind]["create"] = _before_create(check, handlers[kind]["create"])
    for kind, gate in (
        ("AWS::IAM::Role", _check_role_deletion),
        ("AWS::IAM::ManagedPolicy", _check_policy_deletion),
    ):
        handlers[kind]["delete"] = _before_delete(gate, handlers[kind]["delete"])


def _before_create(check: Callable[[Properties], None], create: Callable[..., Any]) -> Callable[..., Any]:
    def checked(logical_id: str, properties: Properties, stack: str) -> Any:
        check(properties)
        return create(logical_id, properties, stack)

    return checked


def _before_delete(check: Callable[[str, Properties], None], delete: Callable[..., Any]) -> Callable[..., Any]:
    def checked(physical_id: str, properties: Properties) -> Any:
        check(physical_id, properties)
        return delete(physical_id, properties)

    return checked
