"""One API call as far as permissions go: who, what, where, and its parameters in a tree.

Names of parameters are those of the wire: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/Query-Requests.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from sandbox.iam.model import Value

Tags = dict[str, str]


@dataclass(frozen=True)
class Operation:
    """An API call. ``user``: the name of the calling IAM user, None for anybody else."""

    service: str
    action: str
    account: str
    region: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    user: str | None = None

    @property
    def name(self) -> str:
        """As policies call it, of the API's own spelling."""
        return f"{self.service}:{self.action}"

    def first(self, *names: str) -> str | None:
        """The parameter of the first of these names that the call has, as text."""
        return next((str(value) for name in names if (value := self.parameters.get(name)) not in (None, "")), None)


@dataclass(frozen=True)
class Need:
    """Something that an operation needs to be allowed: an action on a resource, with the keys that come with it."""

    action: str
    resource: str
    keys: Mapping[str, Value] = field(default_factory=dict)


class Lookups(Protocol):
    """What has to be known of the account to name a resource."""

    def arn(self, account: str, region: str, kind: str, name: str) -> str | None:
        """The ARN of what exists: ``iam:role``, ``iam:user``, ``ec2:launch-template``, ``cloudformation:stack`` …"""
        ...

    def role_of_profile(self, account: str, name_or_arn: str) -> str | None:
        """The ARN of the role in an instance profile."""
        ...


def tree(flat: Mapping[str, str]) -> dict[str, Any]:
    """``{"A.1.B": "x"}`` as ``{"A": [{"B": "x"}]}``; the ``member`` of query services is left out."""
    found: dict[str, Any] = {}
    for name, value in flat.items():
        *path, last = name.split(".")
        at = found
        for part in path:
            child = at.setdefault(part, {})
            at = child if isinstance(child, dict) else at
        at[last] = value
    result = _listed(found)
    return result if isinstance(result, dict) else {}


def _listed(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if set(value) == {"member"}:
        return _listed(value["member"])
    if value and all(key.isdigit() for key in value):
        return [_listed(value[key]) for key in sorted(value, key=int)]
    return {key: _listed(child) for key, child in value.items()}


def values(parameters: Any, names: tuple[str, ...]) -> Iterator[str]:
    """The texts of all parameters of these names, at any depth."""
    if isinstance(parameters, Mapping):
        for name, value in parameters.items():
            if name in names:
                yield from texts(value)
            else:
                yield from values(value, names)
    elif isinstance(parameters, list):
        for one in parameters:
            yield from values(one, names)


def texts(value: Any) -> Iterator[str]:
    """The text, or all texts inside of lists and objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)


def tags(value: Any) -> Tags:
    """Tags in any of the forms that services have: ``{key: value}``, or a list of objects with Key and Value."""
    if isinstance(value, Mapping):
        return {str(key): str(of) for key, of in value.items()}
    found = {}
    for one in value if isinstance(value, list) else []:
        if isinstance(one, Mapping):
            lower = {str(key).lower(): of for key, of in one.items()}
            found[str(lower.get("key", ""))] = str(lower.get("value") or "")
    return found


def request_tags(given: Mapping[str, str], *, keys: tuple[str, ...] = ()) -> dict[str, Value]:
    """``aws:RequestTag`` and ``aws:TagKeys``; ``keys`` are tag keys that come without a value.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-requesttag
    """
    found: dict[str, Value] = {f"aws:requesttag/{key.lower()}": value for key, value in given.items()}
    every = (*given, *(key for key in keys if key not in given))
    return found | {"aws:tagkeys": every} if every else found


def resource_tags(given: Mapping[str, str], service: str) -> dict[str, Value]:
    """``aws:ResourceTag`` and the older key of the service itself."""
    return {f"{prefix}:resourcetag/{key.lower()}": value for key, value in given.items() for prefix in ("aws", service)}
