"""Policies, requests and decisions as plain data.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: The value of a condition key: a tuple where the key has many values, such as ``aws:TagKeys``.
Value = str | tuple[str, ...]
#: What is known of a request, by condition key in lower case. Keys that it does not have are not in it.
Context = Mapping[str, Value]

Effect = Literal["Allow", "Deny"]
Qualifier = Literal["", "forallvalues", "foranyvalue"]
#: How AWS calls the kinds of policies in its messages.
Kind = Literal["identity-based policy", "permissions boundary", "session policy"]


@dataclass(frozen=True)
class Condition:
    """One key of a condition block, with its operator in lower case and taken apart."""

    operator: str
    key: str
    values: tuple[str, ...]
    qualifier: Qualifier = ""
    if_exists: bool = False


@dataclass(frozen=True)
class Statement:
    """One statement. None stands for an element that it does not have; ``variables``: ``${…}`` means something."""

    effect: Effect
    sid: str = ""
    actions: tuple[str, ...] | None = None
    not_actions: tuple[str, ...] | None = None
    resources: tuple[str, ...] | None = None
    not_resources: tuple[str, ...] | None = None
    conditions: tuple[Condition, ...] = ()
    principals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    variables: bool = True


@dataclass(frozen=True)
class Request:
    """One thing that somebody wants to do to one resource; ``resource`` is ``*`` for an action that has none."""

    action: str
    resource: str
    context: Context


@dataclass(frozen=True)
class Policies:
    """All that limits or allows a principal. ``boundary`` and ``session`` are None where there are none."""

    identity: tuple[Statement, ...] = ()
    boundary: tuple[Statement, ...] | None = None
    session: tuple[Statement, ...] | None = None


@dataclass(frozen=True)
class Decision:
    """Whether a request is allowed; if not, by which kind of policy, and whether a statement says so (``explicit``)."""

    allowed: bool
    kind: Kind = "identity-based policy"
    explicit: bool = False
    statement: Statement | None = None
