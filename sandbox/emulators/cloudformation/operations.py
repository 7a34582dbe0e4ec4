"""The API calls that CloudFormation makes for a resource: (service, action, parameters). Pure.

They are in the schemas of the resource types, ``handlers`` with their ``permissions``:
https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-schema.html#schema-properties-handlers
Reads are left out: what may be changed may be read in any policy that makes stacks possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Wanted = tuple[str, str, dict[str, Any]]
Properties = Mapping[str, Any]

_NAMES = {
    "AWS::IAM::Role": "RoleName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::IAM::InstanceProfile": "InstanceProfileName",
    "AWS::SQS::Queue": "QueueName",
    "AWS::Events::Rule": "Name",
}


def creating(kind: str, default_name: str, properties: Properties) -> list[Wanted]:
    """For a new resource; its name is ``default_name`` when the template gives none."""
    name = str(properties.get(_NAMES.get(kind, "")) or default_name)
    make = _CREATING.get(kind)
    return list(make(name, properties)) if make else _plain(kind, "Create")


def updating(kind: str, physical_id: str, old: Properties, new: Properties) -> list[Wanted]:
    """For a change of a resource; nothing for properties that stay."""
    if old == new:
        return []
    make = _UPDATING.get(kind)
    return list(make(physical_id, old, new)) if make else _plain(kind, "Update")


def deleting(kind: str, physical_id: str, properties: Properties) -> list[Wanted]:
    """For a resource that goes."""
    make = _DELETING.get(kind)
    return list(make(physical_id, properties)) if make else _plain(kind, "Delete")


def _plain(kind: str, verb: str) -> list[Wanted]:
    """Of types that are not known here in detail: the one call that is named like the type."""
    _, service, name = kind.split("::", 2)
    return [] if service in ("CloudFormation", "EC2") else [(service.lower(), f"{verb}{name}", {})]


def _policies(verb: str, name: str, properties: Properties) -> Iterator[Wanted]:
    managed, inline = (
        ("AttachRolePolicy", "PutRolePolicy") if verb == "add" else ("DetachRolePolicy", "DeleteRolePolicy")
    )
    for arn in properties.get("ManagedPolicyArns") or []:
        yield "iam", managed, {"RoleName": name, "PolicyArn": arn}
    for _ in properties.get("Policies") or []:
        yield "iam", inline, {"RoleName": name}


def _create_role(name: str, properties: Properties) -> Iterator[Wanted]:
    base = {"RoleName": name, "Path": properties.get("Path")}
    yield "iam", "CreateRole", base | {"PermissionsBoundary": properties.get("PermissionsBoundary")}
    if tags := properties.get("Tags"):
        yield "iam", "TagRole", base | {"Tags": tags}
    yield from _policies("add", name, properties)


def _update_role(name: str, old: Properties, new: Properties) -> Iterator[Wanted]:
    if old.get("AssumeRolePolicyDocument") != new.get("AssumeRolePolicyDocument"):
        yield "iam", "UpdateAssumeRolePolicy", {"RoleName": name}
    if any(old.get(key) != new.get(key) for key in ("Description", "MaxSessionDuration")):
        yield "iam", "UpdateRole", {"RoleName": name}
    if old.get("Tags") != new.get("Tags"):
        yield "iam", "TagRole", {"RoleName": name, "Tags": new.get("Tags")}
    for verb, have, want in (("add", old, new), ("remove", new, old)):
        kept = {key: [one for one in want.get(key) or [] if one not in (have.get(key) or [])] for key in _POLICIES}
        yield from _policies(verb, name, kept)


_POLICIES = ("ManagedPolicyArns", "Policies")


def _delete_role(name: str, properties: Properties) -> Iterator[Wanted]:
    yield from _policies("remove", name, properties)
    yield "iam", "DeleteRole", {"RoleName": name}


def _create_policy(name: str, properties: Properties) -> Iterator[Wanted]:
    yield "iam", "CreatePolicy", {"PolicyName": name, "Path": properties.get("Path")}


def _create_profile(name: str, properties: Properties) -> Iterator[Wanted]:
    base = {"InstanceProfileName": name, "Path": properties.get("Path")}
    yield "iam", "CreateInstanceProfile", base
    for role in properties.get("Roles") or []:
        yield "iam", "AddRoleToInstanceProfile", base | {"RoleName": role}


def _delete_profile(name: str, properties: Properties) -> Iterator[Wanted]:
    for role in properties.get("Roles") or []:
        yield "iam", "RemoveRoleFromInstanceProfile", {"InstanceProfileName": name, "RoleName": role}
    yield "iam", "DeleteInstanceProfile", {"InstanceProfileName": name}


def _create_queue(name: str, properties: Properties) -> Iterator[Wanted]:
    yield "sqs", "CreateQueue", {"QueueName": name, "Tags": properties.get("Tags")}


def _queue_policy(_: str, properties: Properties) -> Iterator[Wanted]:
    for url in properties.get("Queues") or []:
        yield "sqs", "SetQueueAttributes", {"QueueUrl": url}


def _rule(name: str, properties: Properties) -> Iterator[Wanted]:
    base = {"EventBusName": properties.get("EventBusName")}
    yield "events", "PutRule", base | {"Name": name, "RoleArn": properties.get("RoleArn")}
    if targets := properties.get("Targets"):
        yield "events", "PutTargets", base | {"Rule": name, "Targets": targets}


def _delete_rule(physical_id: str, properties: Properties) -> Iterator[Wanted]:
    base = {"EventBusName": properties.get("EventBusName")}
    name = physical_id.rpartition("/")[2]
    if properties.get("Targets"):
        yield "events", "RemoveTargets", base | {"Rule": name}
    yield "events", "DeleteRule", base | {"Name": name}


_CREATING: dict[str, Callable[[str, Properties], Iterable[Wanted]]] = {
    "AWS::IAM::Role": _create_role,
    "AWS::IAM::ManagedPolicy": _create_policy,
    "AWS::IAM::InstanceProfile": _create_profile,
    "AWS::SQS::Queue": _create_queue,
    "AWS::SQS::QueuePolicy": _queue_policy,
    "AWS::Events::Rule": _rule,
}
_UPDATING: dict[str, Callable[[str, Properties, Properties], Iterable[Wanted]]] = {
    "AWS::IAM::Role": _update_role,
    "AWS::IAM::ManagedPolicy": lambda arn, _, __: [("iam", "CreatePolicyVersion", {"PolicyArn": arn})],
    "AWS::SQS::Queue": lambda url, _, __: [("sqs", "SetQueueAttributes", {"QueueUrl": url})],
    "AWS::SQS::QueuePolicy": lambda name, _, new: _queue_policy(name, new),
    "AWS::Events::Rule": lambda physical_id, _, new: _rule(physical_id.rpartition("/")[2], new),
}
_DELETING: dict[str, Callable[[str, Properties], Iterable[Wanted]]] = {
    "AWS::IAM::Role": _delete_role,
    "AWS::IAM::ManagedPolicy": lambda arn, _: [("iam", "DeletePolicy", {"PolicyArn": arn})],
    "AWS::IAM::InstanceProfile": _delete_profile,
    "AWS::SQS::Queue": lambda url, _: [("sqs", "DeleteQueue", {"QueueUrl": url})],
    "AWS::SQS::QueuePolicy": _queue_policy,
    "AWS::Events::Rule": _delete_rule,
}
