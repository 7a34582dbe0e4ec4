"""Percentiles and ramps, as tables."""

from __future__ import annotations

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.statistics import nearest_rank, ramp, summary


@pytest.mark.parametrize(
    ("count", "percent", "expected"),
    [
        (1, 50, 1),
        (2, 50, 1),
        (3, 50, 2),
        (4, 50, 2),
        (5, 90, 5),
        (10, 90, 9),
        (10, 99, 10),
        (100, 99, 99),
        (200, 99, 198),
    ],
)
def test_nearest_rank_is_the_value_at_ceil_n_p_less_one(count: int, percent: int, expected: int) -> None:
    """Of 1, 2, ... n; where an interpolating rule would give a value between two."""
    assert nearest_rank(list(range(1, count + 1)), percent) == expected


def test_no_value_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="no percentile"):
        nearest_rank([], 50)


def test_p99_is_refused_below_a_hundred_values() -> None:
    assert summary(range(99))["p99"] is None
    assert summary(range(99))["max"] == 98
    assert summary(range(100))["p99"] == 98


def test_nothing_measured_is_null_and_not_zero() -> None:
    assert summary([]) == {"n": 0, "min": None, "p50": None, "p90": None, "p99": None, "max": None}


def test_a_ramp_counts_against_what_was_wanted() -> None:
    """3 of 4 happened: half at the second, the rest never."""
    assert ramp([12, 11, 15], 10, 4) == {"t50": 2, "t70": 5, "t90": None, "t99": None, "t100": None}


def test_a_ramp_of_nothing_is_null() -> None:
    assert set(ramp([], 0, 0).values()) == {None}
