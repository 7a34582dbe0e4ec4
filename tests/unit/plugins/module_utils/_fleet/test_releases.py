"""Dates in releases, and what pins."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._fleet.releases import age_days, pin, release_in

from .fleets import NOW


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("amazon-eks-node-al2023-x86_64-standard-1.36-v20261106", "v20261106"),
        ("al2023@v20261106", "v20261106"),
        ("bottlerocket-aws-k8s-1.36-x86_64-v1.49.0-abcdef", None),
        (None, None),
    ],
)
def test_release(text: str | None, release: str | None) -> None:
    assert release_in(text) == release


@pytest.mark.parametrize(
    ("release", "days"), [("v20261130", 0), ("v20261129", 1), ("v20261106", 24), ("v20261340", None), (None, None)]
)
def test_age(release: str | None, days: int | None) -> None:
    assert age_days(release, NOW) == days


@pytest.mark.parametrize(
    ("terms", "pinned"),
    [
        ([{"alias": "al2023@v20261106"}], True),
        ([{"alias": "al2023@latest"}], False),
        ([{"id": "ami-1"}, {"id": "ami-2"}], True),
        ([{"id": "ami-1"}, {"name": "mine-*"}], False),
        ([{"tags": {"a": "b"}}], False),
        ([], False),
    ],
)
def test_pin(terms: list[dict[str, Any]], pinned: bool) -> None:
    assert pin({"spec": {"amiSelectorTerms": terms}})[0] is pinned
