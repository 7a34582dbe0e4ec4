"""What the Service Authorization Reference says of an action: the resource types that it works on, and their ARNs.

https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "_vendor" / "actions.json"
_VARIABLE = re.compile(r"\$\{(\w+)\}")
#: Variables of ARNs that say nothing of the resource itself, and what their values are like.
_PLACES = {"Partition": "[^:]+", "Region": "[^:]*", "Account": "[^:]*"}


@dataclass(frozen=True)
class ResourceType:
    """A resource type of an action, and whether the action always needs permission for one of it."""

    name: str
    arn: str
    required: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        """What tells one resource of the type from others, as the ARN calls it."""
        return tuple(name for name in _VARIABLE.findall(self.arn) if name not in _PLACES)

    def at(self, account: str, region: str, **named: str) -> str:
        """The ARN of one resource; ``*`` stands for what is not named."""
        values = {"Partition": "aws", "Region": region, "Account": account, **named}
        return _VARIABLE.sub(lambda found: values.get(found[1], "*"), self.arn)

    def covers(self, arn: str) -> bool:
        """Whether this is the ARN of a resource of the type."""
        return _pattern(self.arn).fullmatch(arn) is not None


@cache
def _pattern(arn: str) -> re.Pattern[str]:
    parts = _VARIABLE.split(arn)
    texts = [_PLACES.get(part, ".+") if index % 2 else re.escape(part) for index, part in enumerate(parts)]
    return re.compile("".join(texts))


@cache
def _services() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


@cache
def resource_types(service: str, action: str) -> tuple[ResourceType, ...]:
    """The resource types of the action; none for an action that has none or is not known."""
    known = _services().get(service, {"actions": {}})
    types = known["actions"].get(action, {})
    return tuple(ResourceType(name, known["resources"][name], required) for name, required in types.items())


@cache
def resource_type(service: str, name: str) -> ResourceType:
    """The resource type of that name. Raises KeyError."""
    return ResourceType(name, _services()[service]["resources"][name])


def known(service: str, name: str) -> bool:
    """Whether the service has a resource type of that name."""
    return name in _services().get(service, {"resources": {}})["resources"]
