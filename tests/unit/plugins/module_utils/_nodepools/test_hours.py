"""When a budget holds, in words that need no knowledge of cron."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.cron import parse
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.hours import DAY, WEEK, hours, windows


@pytest.mark.parametrize(
    ("schedule", "duration", "expected"),
    [
        (None, None, "always"),
        ("0 9 * * mon-fri", "8h30m", "09:00-17:30 Mon-Fri UTC"),
        # Each of the seven beginnings makes the window longer.
        ("0 7-13 * * *", "7h", "07:00-20:00 daily UTC"),
        ("@daily", "24h", "always"),
        ("@hourly", "1h", "always"),
        ("0 0 * * sat,sun", "24h", "Sat 00:00 to Mon 00:00 UTC"),
        ("0 0 * * sat", "24h", "00:00-24:00 Sat UTC"),
        ("0 22 * * *", "8h", "22:00-06:00 daily UTC"),
        ("0 22 * * fri", "60h", "Fri 22:00 to Mon 10:00 UTC"),
        ("0 8,20 * * mon,wed", "1h", "08:00-09:00 Mon, Wed; 20:00-21:00 Mon, Wed UTC"),
        ("0 0 1 * *", "2h", "2h from each '0 0 1 * *' UTC"),
        ("@yearly", "48h", "48h from each '@yearly' UTC"),
        ("*/15 * * * *", "5m", "5m from each '*/15 * * * *' UTC"),
        ("0 12 * * sun", "168h", "always"),
        ("0 0 31 2 *", "1h", "always, because schedule '0 0 31 2 *' never begins"),
        ("@daily", "0m", "never, because it lasts 0m"),
    ],
)
def test_hours(schedule: str | None, duration: str | None, expected: str) -> None:
    assert hours({"schedule": schedule, "duration": duration}) == expected


def test_a_schedule_that_nobody_can_read_holds_everything_back() -> None:
    said = hours({"schedule": "0 0 * * 7", "duration": "1h"})
    assert said.startswith("schedule '0 0 * * 7' cannot be read, so nothing may be disrupted at all")


@given(
    st.sets(st.integers(0, 6), min_size=1),
    st.sets(st.integers(0, 23), min_size=1),
    st.sampled_from(["0", "30", "*/20"]),
    st.integers(1, 3 * DAY),
)
def test_windows_are_the_minutes_that_follow_a_beginning(
    days: set[int], on: set[int], minute: str, length: int
) -> None:
    schedule = parse(f"{minute} {','.join(map(str, on))} * * {','.join(map(str, days))}")
    starts = [d * DAY + h * 60 + m for d in days for h in on for m in schedule.minute.values]
    expected = {(start + offset) % WEEK for start in starts for offset in range(length)}
    found = windows(schedule, length)
    assert found is not None
    told = {(begin + offset) % WEEK for begin, lasting in found for offset in range(lasting)}
    assert told == expected
    assert sum(lasting for _, lasting in found) == len(expected)
