"""A fault of an account and what it concerns. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from typing import Any

Value = str | float | bool
#: What a fault is held against: the facts of one call, instance, pod or cluster by the names of selectors.
Subject = Mapping[str, str]


class FaultError(ValueError):
    """A fault that cannot be; the message names what is allowed."""


@dataclass(frozen=True)
class Fault:
    """One fault that is set. Times in seconds since the epoch.

    :param selectors: what it concerns, by name; ``*`` and ``?`` stand for anything. Without any it concerns everything.
    :param parameters: how it goes wrong, by name, defaults filled in.
    :param until: when it clears itself, None for never.
    """

    id: str
    account: str
    kind: str
    selectors: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Value] = field(default_factory=dict)
    set_at: float = 0.0
    until: float | None = None

    def over(self, now: float) -> bool:
        """Whether it has cleared itself."""
        return self.until is not None and now >= self.until

    def concerns(self, subject: Subject) -> bool:
        """Whether each of its selectors matches. What a subject does not have is not matched."""
        return all(name in subject and fnmatchcase(subject[name], want) for name, want in self.selectors.items())

    def limited(self, *names: str) -> Fault:
        """The same fault with no other selectors than these."""
        return replace(self, selectors={key: value for key, value in self.selectors.items() if key in names})

    def text(self, name: str) -> str:
        """A parameter that is a text."""
        return str(self.parameters[name])

    def number(self, name: str) -> float:
        """A parameter that is a number."""
        return float(self.parameters[name])

    def view(self) -> dict[str, Any]:
        """The fault as JSON shows and keeps it."""
        return {
            "id": self.id,
            "account": self.account,
            "kind": self.kind,
            "selectors": dict(self.selectors),
            "parameters": dict(self.parameters),
            "set_at": self.set_at,
            "until": self.until,
        }

    @classmethod
    def of(cls, view: Mapping[str, Any]) -> Fault:
        """The fault of a ``view``."""
        return cls(**{one.name: view[one.name] for one in fields(cls)})
