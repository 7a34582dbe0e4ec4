"""What a resource type is to ministack: three functions and what a change of a property means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sandbox.emulators.cloudformation.calls import Properties, Result

Create = Callable[[str, Properties, str], Result]
Update = Callable[[str, Properties, Properties, str], Result]
Delete = Callable[[str, Properties], None]


@dataclass(frozen=True)
class ResourceType:
    """A resource type. A change of a property in ``replacing`` makes a new resource; ``tagged``: it has Tags."""

    create: Create
    delete: Delete
    update: Update | None = None
    replacing: tuple[str, ...] = ()
    tagged: bool = False
