# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Schedules of disruption budgets as Karpenter's controller reads them. Pure. Private to the collection.

The CRD asks for five words or a macro and no more. The controller then reads them by robfig/cron v3's ParseStandard
with ``TZ=UTC`` in front: weekdays are 0-6, ranges do not wrap around, a time zone is a word too many. A schedule that
it cannot read lets nothing be disrupted, and one without a next hit counts as always active.
https://karpenter.sh/docs/concepts/disruption/#schedule, https://pkg.go.dev/github.com/robfig/cron/v3
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

MACROS = {
    "@annually": "0 0 1 1 *",
    "@yearly": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


class CronError(ValueError):
    """A schedule that Karpenter cannot read; the text says why and what is allowed."""


@dataclass(frozen=True)
class Bounds:
    """What one of the five words may hold."""

    label: str
    least: int
    most: int
    names: Mapping[str, int]

    @property
    def allowed(self) -> str:
        """The values, for messages."""
        named = f" or {next(iter(self.names))} to {list(self.names)[-1]}" if self.names else ""
        return f"{self.least} to {self.most}{named}"


_BOUNDS = (
    Bounds("minute", 0, 59, {}),
    Bounds("hour", 0, 23, {}),
    Bounds("day of the month", 1, 31, {}),
    Bounds("month", 1, 12, {name: number for number, name in enumerate(MONTHS, 1)}),
    Bounds("day of the week", 0, 6, {name: number for number, name in enumerate(WEEKDAYS)}),
)
FORM = (
    "; ".join(f"{bounds.label} {bounds.allowed}" for bounds in _BOUNDS)
    + f" (five words, in UTC), or one of {', '.join(MACROS)}"
)


@dataclass(frozen=True)
class Field:
    """The values of one word. ``star``: whether it says that any value goes, which decides how days are combined."""

    values: frozenset[int]
    star: bool = False


@dataclass(frozen=True)
class Schedule:
    """A schedule that can be read."""

    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field

    @property
    def fires(self) -> bool:
        """Whether there is any moment at which it begins."""
        if not (self.minute.values and self.hour.values and self.month.values):
            return False
        dated = any(day <= _LONGEST[month - 1] for month in self.month.values for day in self.day.values)
        if self.day.star or self.weekday.star:  # both have to fit then, and a star fits all
            return dated and bool(self.weekday.values)
        return dated or bool(self.weekday.values)

    def weekdays(self) -> frozenset[int] | None:
        """The days on which it begins in every week alike, None where days of the month or months decide."""
        if len(self.month.values) < len(MONTHS):
            return None
        if self.day.star:
            return self.weekday.values
        every = len(self.day.values) == _BOUNDS[2].most or (not self.weekday.star and len(self.weekday.values) == 7)
        return frozenset(range(7)) if every else None


def parse(text: str) -> Schedule:
    """The schedule of a budget. Raises CronError."""
    text = text.strip()
    words = MACROS.get(text, text).split()
    if text.startswith("@") and text not in MACROS:
        raise CronError(f"there is no such macro; allowed: {FORM}")
    if words and words[0].startswith(("TZ=", "CRON_TZ=")):
        raise CronError(f"Karpenter takes no time zone, its schedules are in UTC; allowed: {FORM}")
    if len(words) != len(_BOUNDS):
        raise CronError(f"it has {len(words)} words; allowed: {FORM}")
    return Schedule(*(_field(word, bounds) for word, bounds in zip(words, _BOUNDS, strict=True)))


def _field(word: str, bounds: Bounds) -> Field:
    parts = [_part(part, bounds) for part in word.split(",") if part]
    return Field(frozenset().union(*(part.values for part in parts)), any(part.star for part in parts))


def _part(part: str, bounds: Bounds) -> Field:
    """One of the parts between commas: ``*``, ``5``, ``5-10``, each also with ``/2``."""
    span, slash, step_text = part.partition("/")
    low, dash, high = span.partition("-")
    if low in ("*", "?"):
        start, end = bounds.least, bounds.most
    else:
        start = _number(low, part, bounds)
        end = _number(high, part, bounds) if dash else bounds.most if slash else start
    if start < bounds.least or end > bounds.most:
        wrong = start if start < bounds.least else end
        raise CronError(f"{bounds.label} {part!r}: {wrong} is out of range; allowed: {bounds.allowed}")
    if start > end:
        raise CronError(
            f"{bounds.label} {part!r}: the range begins after its end, and ranges do not wrap around; "
            f"allowed: {bounds.allowed}, such as {low}-{bounds.most},{bounds.least}-{high}"
        )
    step = _step(step_text, part, bounds) if slash else 1
    return Field(frozenset(range(start, end + 1, step)), low in ("*", "?") and step == 1)


def _number(text: str, part: str, bounds: Bounds) -> int:
    named = bounds.names.get(text.lower())
    if named is not None:
        return named
    if _NUMBER.fullmatch(text) is None or int(text) < 0:
        raise CronError(f"{bounds.label} {part!r}: {text!r} is no value of it; allowed: {bounds.allowed}")
    return int(text)


def _step(text: str, part: str, bounds: Bounds) -> int:
    if _NUMBER.fullmatch(text) is None or int(text) < 1:
        raise CronError(f"{bounds.label} {part!r}: {text!r} is no step; allowed: a number from 1")
    return int(text)
