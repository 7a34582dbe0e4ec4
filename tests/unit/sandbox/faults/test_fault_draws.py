"""Durations by percentiles, and token buckets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.faults.bucket import Bucket
from sandbox.faults.durations import PERCENTILES, Draws, points, quantile
from sandbox.faults.model import Fault

GIVEN = {"p0_seconds": 20.0, "p50_seconds": 40.0, "p90_seconds": 60.0, "p99_seconds": 90.0, "p100_seconds": 120.0}


def fault(parameters: dict[str, float], seed: float = 0.0, number: str = "f1") -> Fault:
    return Fault(number, "1", "node-start-duration", {}, parameters | {"seed": seed})


@pytest.mark.parametrize(
    ("share", "seconds"), [(0.0, 20), (0.25, 30), (0.5, 40), (0.7, 50), (0.9, 60), (0.99, 90), (1.0, 120)]
)
def test_percentiles_are_those_given_and_lines_between(share: float, seconds: float) -> None:
    assert quantile(points(GIVEN), share) == pytest.approx(seconds)


def test_outside_of_what_is_given_durations_are_level() -> None:
    known = points({"p50_seconds": 40.0, "p90_seconds": 60.0})
    assert (quantile(known, 0.1), quantile(known, 0.95)) == (40.0, 60.0)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=5), st.floats(0, 1), st.floats(0, 1))
def test_durations_grow_with_their_share(values: list[float], one: float, other: float) -> None:
    known = points(dict(zip(PERCENTILES, sorted(values), strict=False)))
    low, high = sorted((one, other))
    assert known[0][1] <= quantile(known, low) <= quantile(known, high) + 1e-6
    assert quantile(known, high) <= known[-1][1] + 1e-6


def test_draws_have_the_percentiles() -> None:
    draws = Draws()
    drawn = sorted(draws.seconds(fault(GIVEN, 7), f"i-{number}") for number in range(2000))
    assert drawn[1000] == pytest.approx(40, rel=0.05)
    assert drawn[1800] == pytest.approx(60, rel=0.05)
    assert drawn[1980] == pytest.approx(90, rel=0.1)


def test_the_same_seed_draws_the_same_and_each_thing_keeps_its_own() -> None:
    one, other = Draws(), Draws()
    first = [one.seconds(fault(GIVEN, 3), name) for name in ("i-a", "i-b", "i-a")]
    second = [other.seconds(fault(GIVEN, 3), name) for name in ("i-x", "i-y", "i-x")]
    assert first == second
    assert first[0] == first[2] != first[1]
    assert one.seconds(fault(GIVEN, 4, "f2"), "i-a") != first[0]


def test_a_constant_is_the_same_for_all() -> None:
    assert {Draws().seconds(fault({"seconds": 5.0}), name) for name in "abc"} == {5.0}


def test_a_bucket_lets_its_burst_through_and_then_its_rate() -> None:
    bucket = Bucket(rate=2, burst=3)
    assert [bucket.take(0.0) for _ in range(5)] == [True, True, True, False, False]
    assert [bucket.take(0.5), bucket.take(0.5)] == [True, False]
    assert [bucket.take(100.0) for _ in range(4)] == [True, True, True, False]


def test_an_empty_bucket_lets_nothing_through() -> None:
    assert not any(Bucket(rate=0, burst=0).take(float(now)) for now in range(10))
