# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What keeps scheduled disruption budgets from working. Pure. Private to the collection.

https://karpenter.sh/docs/concepts/disruption/#nodepool-disruption-budgets
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .cron import CronError, parse
from .schema import Problem

# The CRD's own form; it has no days and no seconds but 0s.
_DURATION = re.compile(r"(?:(?P<hours>[0-9]{1,15})h)?(?:(?P<minutes>[0-9]{1,15})m)?(?:0s)?")
# A duration is an int64 of nanoseconds to the controller; with a longer one it could read no pool at all any more.
_LONGEST_MINUTES = (2**63 - 1) // 60_000_000_000
DURATION_FORM = "hours and minutes such as 8h, 90m or 8h30m (no days, no seconds), more than 0m"

Budget = Mapping[str, Any]


def minutes_of(duration: str) -> int | None:
    """The length in minutes, None for what has not the form of one."""
    match = _DURATION.fullmatch(duration)
    if match is None or (match["hours"] is None and match["minutes"] is None):
        return None
    return int(match["hours"] or 0) * 60 + int(match["minutes"] or 0)


def budget_problems(budgets: Sequence[Budget], path: str) -> list[Problem]:
    """What keeps scheduled budgets from working, whether the API server would tell or not."""
    return [problem for index, budget in enumerate(budgets) for problem in _problems(budget, f"{path}[{index}]")]


def told_better(problem: Problem, path: str) -> bool:
    """Whether a problem that the schema finds is one that budget_problems tells too, with what is allowed in words."""
    field = problem.path.removeprefix(path)
    pair = not field and "'schedule' must be set with 'duration'" in problem.message
    return problem.path.startswith(path) and (pair or re.fullmatch(r"\[\d+\]\.(schedule|duration)", field) is not None)


def _problems(budget: Budget, path: str) -> Iterator[Problem]:
    schedule, duration = budget.get("schedule"), budget.get("duration")
    if schedule is None and duration is None:
        return
    if schedule is None:
        yield Problem(f"{path}.schedule", f"is missing, and duration is {duration!r}: give both, or none for always")
    else:
        yield from _schedule_problems(schedule, f"{path}.schedule")
    if duration is None:
        yield Problem(f"{path}.duration", f"is missing, and schedule is {schedule!r}; allowed: {DURATION_FORM}")
    else:
        yield from _duration_problems(duration, f"{path}.duration")


def _schedule_problems(schedule: str, path: str) -> Iterator[Problem]:
    try:
        read = parse(schedule)
    except CronError as error:
        yield Problem(path, f"{schedule!r} cannot be read, and Karpenter would disrupt nothing: {error}")
        return
    if not read.fires:
        yield Problem(
            path,
            f"{schedule!r} never begins, which Karpenter takes for always; allowed: a day that some month has "
            "(30 February does not come); for a budget that always holds leave out schedule and duration",
        )


def _duration_problems(duration: str, path: str) -> Iterator[Problem]:
    minutes = minutes_of(duration)
    if not minutes:
        yield Problem(path, f"{duration!r} is no time that a budget could hold; allowed: {DURATION_FORM}")
    elif minutes > _LONGEST_MINUTES:
        yield Problem(path, f"{duration!r} is too long; allowed: at most {_LONGEST_MINUTES // 60}h")
