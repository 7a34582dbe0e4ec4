# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What a run would do. Pure: standard library only. Private to the collection."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

Action = Literal["create", "update", "delete"]


@dataclass(frozen=True)
class Step:
    """One write: ``kind`` and ``name`` as the API spells them, ``before`` and ``after`` as plain data or None."""

    action: Action
    kind: str
    name: str
    before: Any = None
    after: Any = None

    def as_dict(self) -> dict[str, Any]:
        """The step as a module returns it."""
        return {
            "action": self.action,
            "kind": self.kind,
            "name": self.name,
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True)
class Plan:
    """All writes of a run, in order.

    ``notices`` are differences that this run reports and leaves alone, such as a version that another playbook moves.
    """

    steps: tuple[Step, ...] = ()
    notices: tuple[str, ...] = field(default=())

    @property
    def changed(self) -> bool:
        """Whether the run writes anything."""
        return bool(self.steps)

    def __add__(self, other: Plan) -> Plan:
        return Plan(self.steps + other.steps, self.notices + other.notices)

    def as_dicts(self) -> list[dict[str, Any]]:
        """The steps as a module returns them."""
        return [step.as_dict() for step in self.steps]

    def diff(self) -> dict[str, str]:
        """The plan in the form of Ansible's ``--diff``: one document per side, stable order."""
        return {"before": self._side("before"), "after": self._side("after")}

    def _side(self, side: str) -> str:
        lines: list[str] = []
        for step in self.steps:
            value = getattr(step, side)
            if value is None:
                continue
            text = value if isinstance(value, str) else json.dumps(value, indent=2, sort_keys=True, default=str)
            lines.append(f"# {step.kind} {step.name}\n{text}\n")
        return "".join(lines)
