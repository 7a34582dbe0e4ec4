"""What permissions need to know of the resources of an account: their ARNs by name, their roles, their tags.

Read where the emulators keep it, without calling them: none of this waits for anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sandbox.emulators import ministack, moto
from sandbox.emulators.ec2 import tags as ec2tags
from sandbox.emulators.iam import IamStore

Tags = Mapping[str, str]


class Resources:
    """Implements ``sandbox.iam.operation.Lookups``, and finds tags by ARN.

    ``sources`` has, by service, what finds the tags of resources that others keep; the service puts it there.
    """

    def __init__(self) -> None:
        self.sources: dict[str, Callable[[str], Tags]] = {
            "ec2": _ec2_tags,
            "iam": _iam_tags,
            "sqs": _queue_tags,
            "events": _event_tags,
            "cloudformation": _stack_tags,
        }

    def tags(self, arn: str) -> Tags:
        """The tags of the resource with this ARN, none for one that does not exist."""
        parts = arn.split(":", 5)
        source = self.sources.get(parts[2]) if len(parts) == 6 else None
        return source(arn) if source else {}

    def exists(self, arn: str) -> bool:
        """False for a resource of EC2 that certainly does not exist."""
        parts = arn.split(":", 5)
        if arn.endswith("*") or parts[2] != "ec2" or not parts[4]:
            return True
        backend = _backend(parts[4], parts[3])
        return not backend or ec2tags.exists(backend, parts[5].rpartition("/")[2])

    def arn(self, account: str, region: str, kind: str, name: str) -> str | None:
        """The ARN of what exists."""
        if kind == "ec2:launch-template":
            found = _launch_template(account, region, name)
            return f"arn:aws:ec2:{region}:{account}:launch-template/{found}" if found else None
        if kind == "cloudformation:stack":
            stack = _stacks().get_scoped(account, region, name) or {}
            return stack.get("StackId")
        return (_iam_record(account, kind.removeprefix("iam:"), name) or {}).get("Arn")

    def role_of_profile(self, account: str, name_or_arn: str) -> str | None:
        """The ARN of the role in an instance profile."""
        return IamStore().role_of_profile(account, name_or_arn)


def _iam_record(account: str, kind: str, name: str) -> dict[str, Any] | None:
    iam = ministack.module("services.iam")
    store = {
        "role": iam._roles,
        "user": iam._users,
        "group": iam._groups,
        "instance-profile": iam._instance_profiles,
    }.get(kind)
    found: dict[str, Any] | None = store.get_scoped(account, None, name) if store is not None else None
    return found


def _stacks() -> Any:
    return ministack.module("services.cloudformation")._stacks


def _backend(account: str, region: str) -> Any:
    """moto's EC2 of a region; None for a region that AWS does not have."""
    try:
        return moto.ec2_backend(account, region)
    except KeyError:
        return None


def _launch_template(account: str, region: str, name: str) -> str | None:
    backend = _backend(account, region)
    found: str | None = backend.launch_template_name_to_ids.get(name) if backend else None
    return found


def _pairs(tags: Any) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in list(tags or [])}


def _ec2_tags(arn: str) -> Tags:
    _, _, _, region, account, resource = arn.split(":", 5)
    # An image or a snapshot has no account in its ARN; those of the sandbox are AWS's and have no tags.
    backend = _backend(account, region) if account else None
    return dict(backend.tags.get(resource.rpartition("/")[2]) or {}) if backend else {}


def _iam_tags(arn: str) -> Tags:
    _, _, _, _, account, resource = arn.split(":", 5)
    kind, _, path = resource.partition("/")
    if kind == "policy":
        record = ministack.module("services.iam")._policies.get_scoped(account, None, arn)
    else:
        record = _iam_record(account, kind, path.rpartition("/")[2])
    return _pairs((record or {}).get("Tags"))


def _queue_tags(arn: str) -> Tags:
    sqs = ministack.module("services.sqs")
    _, _, _, region, account, name = arn.split(":", 5)
    url = sqs._queue_name_to_url.get_scoped(account, region, name)
    queue = sqs._queues.get_scoped(account, region, url) or {}
    return dict(queue.get("tags") or {})


def _event_tags(arn: str) -> Tags:
    _, _, _, region, account, _ = arn.split(":", 5)
    return dict(ministack.module("services.eventbridge")._tags.get_scoped(account, region, arn) or {})


def _stack_tags(arn: str) -> Tags:
    _, _, _, region, account, resource = arn.split(":", 5)
    stack = _stacks().get_scoped(account, region, resource.split("/")[1]) or {}
    return _pairs(stack.get("Tags"))
