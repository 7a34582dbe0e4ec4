"""The checks that need nothing but the inputs: each bad input is one error with its remedy."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._preflight import offline
from ansible_collections.eksops.karpenter.plugins.module_utils._preflight.api import ALWAYS_ON, eks_regions
from ansible_collections.eksops.karpenter.plugins.module_utils._preflight.model import Outcome


def texts(outcome: Outcome) -> list[str]:
    return [" ".join(str(part) for part in finding.as_dict().values()) for finding in outcome.findings]


@pytest.mark.parametrize(
    ("kubernetes", "karpenter", "families", "words"),
    [
        (1.36, "1.14.0", ["al2023"], ["is a number", "eksops_kubernetes_version", "quotes"]),
        ("1.33", "1.14.0", ["al2"], ["AL2", "1.33", "al2023"]),
        ("1.36", "1.12.0", ["al2023"], ["Karpenter 1.12.0", "1.36", "1.13.0"]),
        ("1.34", "1.8.4", ["al2023"], ["1.8.4", "must not be installed"]),
        ("1.36", "1.14.0", ["al2024"], ["al2024", "did you mean 'al2023'"]),
    ],
)
def test_versions(kubernetes: Any, karpenter: str, families: list[str], words: list[str]) -> None:
    (text,) = texts(offline.check_versions(kubernetes, karpenter, families))
    for word in words:
        assert word in text


def test_good_versions_have_no_finding() -> None:
    assert offline.check_versions("1.36", "1.14.0", ["al2023", "bottlerocket"]).findings == ()


def test_a_release_that_was_not_tried_is_a_warning() -> None:
    (finding,) = offline.check_versions("1.36", "1.13.0", ["al2023"]).findings
    assert finding.severity == "warning"


def test_names() -> None:
    (text,) = texts(offline.check_names("x" * 50, []))
    assert "eksops_cluster_name" in text
    assert "at most 46 characters" in text
    assert offline.check_names("x" * 50, ["karpenter_iam"]).findings == ()


@pytest.mark.parametrize(
    ("region", "word"),
    [(None, "set eksops_region"), ("us-wset-2", "did you mean us-west-2"), ("mars", "EKS has no region 'mars'")],
)
def test_regions(region: str | None, word: str) -> None:
    (text,) = texts(offline.check_region(region, eks_regions()))
    assert word in text


@pytest.mark.parametrize(
    ("region", "partition"), [("us-west-2", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-east-1", "aws-us-gov")]
)
def test_a_region_tells_its_partition(region: str, partition: str) -> None:
    outcome = offline.check_region(region, eks_regions())
    assert outcome.findings == ()
    assert outcome.facts == {"region": region, "partition": partition}


def test_the_regions_that_are_always_on_are_regions() -> None:
    known = eks_regions()
    assert {known[region]: region for region in ALWAYS_ON.values()} == ALWAYS_ON


@pytest.mark.parametrize(
    ("account", "good"),
    [("", True), (None, True), ("012345678901", True), (111122223333, True), (12345678901, False), ("12", False)],
)
def test_expected_accounts(account: Any, good: bool) -> None:
    assert (offline.check_account_format(account).findings == ()) is good


def test_policies_that_are_too_large_name_the_file() -> None:
    policy = {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": {"A": "x" * 7000}}}
    outcome = offline.check_policies(
        {"t.yml": {"Resources": {"P": policy}}}, cluster="demo", partition="aws", region="us-west-2", account="1" * 12
    )
    (text,) = texts(outcome)
    assert "t.yml" in text
    assert "6144" in text
