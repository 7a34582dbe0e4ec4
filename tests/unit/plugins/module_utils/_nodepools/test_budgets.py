"""Scheduled budgets that the API server refuses, or that it takes and the controller cannot use, are told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.budgets import budget_problems, minutes_of
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.schema import problems
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.schemas import spec_schema

BUDGETS = spec_schema("NodePool")["properties"]["disruption"]["properties"]["budgets"]


def _budget(schedule: str | None, duration: str | None) -> dict[str, Any]:
    given = {"nodes": "0", "schedule": schedule, "duration": duration}
    return {key: value for key, value in given.items() if value is not None}


def _told(schedule: str | None, duration: str | None) -> str:
    return "; ".join(str(problem) for problem in budget_problems([_budget(schedule, duration)], "budgets"))


def _api_takes(schedule: str | None, duration: str | None) -> bool:
    return not problems(BUDGETS, [_budget(schedule, duration)], "budgets")


# From the field. api: the API server refuses it; run: it takes it, and the controller then disrupts nothing at all;
# always_active: the controller finds no next hit and takes that for active.
@pytest.mark.parametrize(
    ("schedule", "duration", "verdict", "said"),
    [
        ("30 10 * * 1-7", "22h", "run", "budgets[0].schedule: '30 10 * * 1-7' cannot be read"),
        ("0 0 * * sat-sun", "24h", "run", "allowed: 0 to 6 or sun to sat"),
        ("TZ=Europe/Madrid 0 9 * * *", "8h", "run", "no time zone"),
        ("0 9 * *", "8h", "api", "it has 4 words"),
        (
            "0 9 * * mon-fri",
            "1d",
            "api",
            "budgets[0].duration: '1d' is no time that a budget could hold; allowed: hours",
        ),
        ("0 9 * * mon-fri", None, "api", "budgets[0].duration: is missing, and schedule is '0 9 * * mon-fri'"),
        ("0 9 * * mon-fri", "8h30m", "ok", ""),
        ("0 7-13 * * *", "7h", "ok", ""),
        ("0 0 31 2 *", "1h", "always_active", "'0 0 31 2 *' never begins, which Karpenter takes for always"),
        (None, "8h", "api", "budgets[0].schedule: is missing, and duration is '8h'"),
        ("@dailyish", "8h", "run", "no such macro"),
        ("0 9 * * *", "0m", "run", "'0m' is no time that a budget could hold"),
        ("0 9 * * *", "2562048h", "run", "'2562048h' is too long; allowed: at most 2562047h"),
        ("0 9 * * *", "2562047h", "ok", ""),
        ("@daily", "10m", "ok", ""),
        (None, None, "ok", ""),
    ],
)
def test_verdicts(schedule: str | None, duration: str | None, verdict: str, said: str) -> None:
    told = _told(schedule, duration)
    assert said in told
    assert (told == "") == (verdict == "ok")
    assert _api_takes(schedule, duration) == (verdict != "api")


@pytest.mark.parametrize(
    ("duration", "minutes"),
    [("8h", 480), ("90m", 90), ("8h30m", 510), ("8h30m0s", 510), ("8h0s", 480), ("0h", 0)]
    + [(text, None) for text in ("", "8", "1d", "30s", "0s", "30m8h", "1.5h", "-1h", "8h 30m")],
)
def test_lengths(duration: str, minutes: int | None) -> None:
    assert minutes_of(duration) == minutes
    # The API server's form is the same one.
    assert _api_takes("@daily", duration) == (minutes is not None)


@given(
    st.one_of(st.none(), st.text("09*/-,@ dailyTZ=?", max_size=14), st.sampled_from(["@daily", "0 9 * * *"])),
    st.one_of(st.none(), st.text("0189hms", max_size=6)),
)
def test_whatever_the_api_server_refuses_of_them_is_told_here_too(schedule: str | None, duration: str | None) -> None:
    # Blanks at the ends are the one difference: the controller takes them off, the pattern does not.
    schedule = schedule.strip() if schedule else schedule
    if not _api_takes(schedule, duration):
        assert _told(schedule, duration)
