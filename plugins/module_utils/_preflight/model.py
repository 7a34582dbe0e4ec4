# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Findings as plain data, and the report that a person reads. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .._core.errors import EksopsError

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong (error) or worth knowing (warning): what, where, what is allowed, what to do next."""

    check: str
    severity: Severity
    what: str
    where: str | None = None
    allowed: str | None = None
    next_step: str | None = None

    @classmethod
    def of(cls, check: str, error: EksopsError, where: str | None = None, severity: Severity = "error") -> Finding:
        """From an error; ``where`` is for errors that do not know it themselves."""
        return cls(check, severity, error.what, error.where or where, error.allowed, error.next_step)

    def as_dict(self) -> dict[str, Any]:
        """The finding as a module returns it."""
        return {
            "check": self.check,
            "severity": self.severity,
            "what": self.what,
            "where": self.where,
            "allowed": self.allowed,
            "next_step": self.next_step,
        }

    def lines(self, number: int) -> list[str]:
        """The finding as lines of the report."""
        parts = (("where", self.where), ("allowed", self.allowed), ("next", self.next_step))
        return [
            f"{number}. {self.severity.upper()} ({self.check}): {self.what}",
            *(f"   {name}: {value}" for name, value in parts if value),
        ]


@dataclass(frozen=True)
class Outcome:
    """What one check found out: facts for the result, and findings."""

    facts: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    skipped: tuple[str, ...] = ()

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome({**self.facts, **other.facts}, self.findings + other.findings, self.skipped + other.skipped)


def total(outcomes: Iterable[Outcome]) -> Outcome:
    """All outcomes as one."""
    result = Outcome()
    for outcome in outcomes:
        result = result + outcome
    return result


def report(subject: str, findings: Sequence[Finding], skipped: Sequence[str]) -> str:
    """Every finding, errors first, in one text."""
    ordered = sorted(findings, key=lambda finding: finding.severity != "error")
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = len(findings) - errors
    head = f"{subject}: {_count(errors, 'error')}, {_count(warnings, 'warning')}."
    lines = [head]
    for number, finding in enumerate(ordered, 1):
        lines += finding.lines(number)
    lines += [f"Not checked: {text}" for text in skipped]
    return "\n".join(lines)


def _count(number: int, word: str) -> str:
    return f"{number or 'no'} {word}{'' if number == 1 else 's'}"
