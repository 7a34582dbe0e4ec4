"""Quantities are the numbers Kubernetes takes them for."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.quantity import quantity, same


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        (4, 4),
        ("1500m", Decimal("1.5")),
        ("0.5", Decimal("0.5")),
        (".5", Decimal("0.5")),
        ("1Ki", 1024),
        ("31.5Gi", Decimal("31.5") * 2**30),
        ("2k", 2000),
        ("3M", 3_000_000),
        ("1e3", 1000),
        ("12E", 12 * 10**18),
        ("100n", Decimal("1e-7")),
        ("-2", -2),
    ],
)
def test_reads(text: str | int, number: Decimal) -> None:
    assert quantity(text) == number


@pytest.mark.parametrize("text", ["", "m", "1 Gi", "1kb", "1gi", "0x1", "1.2.3", "one", "1K"])
def test_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="no Kubernetes quantity"):
        quantity(text)


@given(st.integers(min_value=-(10**12), max_value=10**12))
def test_thousandths_and_whole_numbers_agree(number: int) -> None:
    assert quantity(f"{number * 1000}m") == quantity(number)
    assert same(f"{number}Ki", number * 1024)


def test_what_is_no_quantity_is_the_same_only_as_itself() -> None:
    assert same("x", "x")
    assert not same("x", "1")
