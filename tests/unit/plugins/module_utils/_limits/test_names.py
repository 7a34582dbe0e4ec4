"""The names that a cluster's name leads to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.eksops.karpenter.plugins.module_utils._limits.names import (
    DERIVED_NAMES,
    cluster_name_errors,
    derived_names,
    longest_cluster_name,
)


def test_the_node_role_decides() -> None:
    assert longest_cluster_name() == 64 - len("KarpenterNodeRole-")
    # Somebody else's roles may be called anything; then the stack of the cluster decides, or EKS itself.
    assert longest_cluster_name(frozenset({"karpenter_iam"})) == 100


def test_a_name_that_is_too_long_names_the_victims_and_the_limit() -> None:
    (error,) = cluster_name_errors("x" * 47)
    assert "KarpenterNodeRole-" in error.what
    assert "65 of 64" in error.what
    assert error.allowed == "a cluster name of at most 46 characters"
    assert cluster_name_errors("x" * 46) == []


def test_all_victims_are_in_one_error() -> None:
    (error,) = cluster_name_errors("x" * 90)
    for word in ("-karpenter has 100 of 64", "Policy-", "SQS queue"):
        assert word in error.what


@pytest.mark.parametrize("name", ["", "-a", "_a", "a.b", "a b", "ä", "x" * 101])
def test_what_eks_refuses(name: str) -> None:
    (error,) = cluster_name_errors(name)
    assert "not allowed by EKS" in error.what


def test_stacks_know_no_underscore() -> None:
    (error,) = cluster_name_errors("a_b")
    assert "Karpenter-a_b" in error.what
    assert cluster_name_errors("a_b", frozenset({"karpenter_iam", "eks_network", "eks_cluster"})) == []


@given(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}", fullmatch=True))
def test_a_name_passes_exactly_when_all_its_derived_names_fit(name: str) -> None:
    fits = all(len(derived.of(name)) <= derived.maximum for derived in DERIVED_NAMES) and len(name) <= 100
    assert (cluster_name_errors(name) == []) is fits


def test_derived_names_are_those_of_the_limits() -> None:
    limited = {derived.of("demo") for derived in DERIVED_NAMES if derived.kind != "tag key"}
    assert set(derived_names("demo").values()) == limited
