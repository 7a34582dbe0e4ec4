"""Schedules are read as the controller's cron library reads them, no more and no less."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.cron import (
    MACROS,
    CronError,
    Schedule,
    parse,
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("30 10 * * 1-7", "day of the week '1-7': 7 is out of range; allowed: 0 to 6 or sun to sat"),
        ("0 0 * * 7", "day of the week '7': 7 is out of range"),
        ("0 0 * * sat-sun", "ranges do not wrap around; allowed: 0 to 6 or sun to sat, such as sat-6,0-sun"),
        ("0 0 * nov-feb *", "such as nov-12,1-feb"),
        ("60 0 * * *", "minute '60': 60 is out of range; allowed: 0 to 59"),
        ("0 24 * * *", "hour '24': 24 is out of range; allowed: 0 to 23"),
        ("0 0 0 * *", "day of the month '0': 0 is out of range; allowed: 1 to 31"),
        ("0 0 32 * *", "32 is out of range"),
        ("0 0 * 13 *", "month '13': 13 is out of range; allowed: 1 to 12 or jan to dec"),
        ("0 0 * 0 *", "month '0': 0 is out of range"),
        ("5-70/5 0 * * *", "minute '5-70/5': 70 is out of range"),
        ("0 0 L * *", "day of the month 'L': 'L' is no value of it"),
        ("0 0 * * monday", "'monday' is no value of it"),
        ("0 0 * * 1#2", "'1#2' is no value of it"),
        ("mon 0 * * *", "minute 'mon': 'mon' is no value of it"),
        ("-5 0 * * *", "minute '-5': '' is no value of it"),
        ("1-2-3 0 * * *", "'2-3' is no value of it"),
        ("*/0 0 * * *", "minute '*/0': '0' is no step; allowed: a number from 1"),
        ("*/x 0 * * *", "'x' is no step"),
        ("1/2/3 0 * * *", "'2/3' is no step"),
        ("0 9 * *", "it has 4 words; allowed: minute 0 to 59"),
        ("0 0 9 * * *", "it has 6 words"),
        ("", "it has 0 words"),
        ("TZ=Europe/Madrid 0 9 * * *", "Karpenter takes no time zone"),
        ("CRON_TZ=UTC 0 9 * * *", "Karpenter takes no time zone"),
        ("@every 1h", "there is no such macro; allowed: "),
        ("@reboot", "@annually, @yearly, @monthly, @weekly, @daily, @midnight, @hourly"),
        ("@Daily", "there is no such macro"),
        # The pattern of the CRD lets these two pass.
        ("@dailyish", "there is no such macro"),
        ("@daily 0 0 0 0", "there is no such macro"),
    ],
)
def test_what_the_controller_cannot_read_is_told_with_what_is_allowed(text: str, said: str) -> None:
    with pytest.raises(CronError) as error:
        parse(text)
    assert said in str(error.value)


@pytest.mark.parametrize("text", [*MACROS, *MACROS.values(), "@daily "])
def test_macros_and_what_they_stand_for_are_read(text: str) -> None:
    assert parse(text).fires


@pytest.mark.parametrize(
    ("word", "minutes"),
    [
        ("5", [5]),
        ("05", [5]),
        ("5,7", [5, 7]),
        ("5,,7", [5, 7]),
        ("10-12", [10, 11, 12]),
        ("10-20/5", [10, 15, 20]),
        ("50/4", [50, 54, 58]),
        ("*/20", [0, 20, 40]),
        ("?/30", [0, 30]),
        (",", []),
    ],
)
def test_the_values_of_a_word(word: str, minutes: list[int]) -> None:
    assert sorted(parse(f"{word} 0 * * *").minute.values) == minutes


@pytest.mark.parametrize(
    ("text", "fires"),
    [
        ("0 0 31 2 *", False),
        ("0 0 30 2 *", False),
        ("0 0 30,31 feb *", False),
        ("0 0 31 4,6,9,11 *", False),
        ("0 0 31 4-6 *", True),
        ("0 0 29 2 *", True),
        # Where both kinds of days are restricted either will do; a star that steps restricts.
        ("0 0 30 2 mon", True),
        ("0 0 30 2 */2", True),
        ("0 0 30 2 */1", False),
        ("0 0 30 2 ?", False),
        (", 0 * * *", False),
        ("0 , * * *", False),
        ("0 0 , * *", False),
        ("0 0 * , *", False),
        ("0 0 * * ,", False),
        ("0 0 1 * ,", True),
    ],
)
def test_a_date_that_never_comes_is_seen(text: str, fires: bool) -> None:
    # The last one: neither word is a star, so the first of a month is enough.
    assert parse(text).fires == fires


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("0 0 * * *", range(7)),
        ("0 0 * * mon-fri", range(1, 6)),
        ("0 0 * * SUN,sat", {0, 6}),
        ("0 0 1-31 * mon", range(7)),
        ("0 0 1 * 0-6", range(7)),
        ("0 0 1-31 * *", range(7)),
        ("0 0 1 * *", None),
        ("0 0 1 * mon", None),
        ("0 0 * jan *", None),
    ],
)
def test_days_of_every_week_alike(text: str, days: range | set[int] | None) -> None:
    assert parse(text).weekdays() == (None if days is None else frozenset(days))


def _matches(schedule: Schedule, day: dt.date) -> bool:
    dated, weekly = day.day in schedule.day.values, (day.weekday() + 1) % 7 in schedule.weekday.values
    either = dated or weekly
    both = dated and weekly
    return day.month in schedule.month.values and (both if schedule.day.star or schedule.weekday.star else either)


WORDS = st.one_of(st.just("*"), st.integers(1, 6).map(str), st.integers(2, 6).map(lambda step: f"*/{step}"))
DAYS = st.one_of(WORDS, st.integers(28, 31).map(str), st.just(","))


@given(DAYS, st.one_of(WORDS, st.just("2")), WORDS)
def test_a_schedule_fires_when_the_calendar_has_a_day_for_it(day: str, month: str, weekday: str) -> None:
    schedule = parse(f"0 0 {day} {month} {weekday}")
    calendar = (dt.date(2028, 1, 1) + dt.timedelta(days=number) for number in range(366))
    assert schedule.fires == any(_matches(schedule, date) for date in calendar)
