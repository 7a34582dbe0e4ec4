# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""When disruption budgets hold, in words. Pure. Private to the collection.

A budget holds for its duration from each beginning of its schedule, in UTC; a beginning while it holds makes it longer.
https://karpenter.sh/docs/concepts/disruption/#schedule
"""

from __future__ import annotations

from collections.abc import Sequence

from .budgets import Budget, minutes_of
from .cron import WEEKDAYS, CronError, Schedule, parse

DAY = 24 * 60
WEEK = 7 * DAY
_MOST_HOURS = 6


def hours(budget: Budget) -> str:
    """When a budget holds, in UTC, for people; also for one that nobody has checked."""
    schedule, duration = budget.get("schedule"), budget.get("duration")
    if schedule is None and duration is None:
        return "always"
    try:
        read = parse(str(schedule))
    except CronError as error:
        return f"schedule {schedule!r} cannot be read, so nothing may be disrupted at all: {error}"
    if not read.fires:
        return f"always, because schedule {schedule!r} never begins"
    minutes = minutes_of(str(duration))
    if not minutes:
        return f"never, because it lasts {duration}"
    found = windows(read, minutes)
    if found == [(0, WEEK)]:
        return "always"
    told = None if found is None else _told(found)
    return (f"{duration} from each {schedule!r}" if told is None else told) + " UTC"


def windows(schedule: Schedule, minutes: int) -> list[tuple[int, int]] | None:
    """The windows of every week as (beginning, length), in minutes from Sunday on; None where weeks differ."""
    days = schedule.weekdays()
    if days is None:
        return None
    starts = sorted(
        day * DAY + hour * 60 + minute
        for day in days
        for hour in schedule.hour.values
        for minute in schedule.minute.values
    )
    # A window ends where the next start comes later than it lasts, and there the next one begins. The week goes round.
    gaps = [
        (start, after)
        for start, after in zip(starts, [*starts[1:], starts[0] + WEEK], strict=True)
        if after - start > minutes
    ]
    if not gaps:
        return [(0, WEEK)]
    found = []
    for before, gap in zip([(0, gaps[-1][1] - WEEK), *gaps[:-1]], gaps, strict=True):
        begin, last = before[1], gap[0]
        found.append((begin % WEEK, last + minutes - begin))
    return sorted(found)


def _told(found: Sequence[tuple[int, int]]) -> str | None:
    """Windows in words, days of the same hours together; None where that would be a long text."""
    grouped: dict[tuple[int, int], list[int]] = {}
    for begin, length in found:
        grouped.setdefault((begin % DAY, length), []).append(begin // DAY)
    if len(grouped) > _MOST_HOURS:
        return None
    return "; ".join(_window(start, length, days) for (start, length), days in sorted(grouped.items()))


def _window(start: int, length: int, days: list[int]) -> str:
    end = start + length
    if length > DAY:
        return "; ".join(f"{_day(day)} {_clock(start)} to {_day(day + end // DAY)} {_clock(end % DAY)}" for day in days)
    until = _clock(end if end <= DAY else end % DAY)
    return f"{_clock(start)}-{until} {_days(days)}"


def _days(days: list[int]) -> str:
    if len(days) == len(WEEKDAYS):
        return "daily"
    if len(days) > 2 and days == list(range(days[0], days[-1] + 1)):
        return f"{_day(days[0])}-{_day(days[-1])}"
    return ", ".join(_day(day) for day in days)


def _day(day: int) -> str:
    return WEEKDAYS[day % 7].capitalize()


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
