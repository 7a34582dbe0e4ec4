"""Bad input is one error before the first write, which names value and place."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.acceptance.job import Account

pytestmark = pytest.mark.acceptance


@pytest.fixture(scope="module")
def empty(new_account: Callable[[str], Account]) -> Account:
    """An account in which nothing is ever made."""
    return new_account("bad-input")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        pytest.param(
            '{"eksops_kubernetes_version": 1.36}', ["1.36", "eksops_kubernetes_version"], id="version-as-number"
        ),
        pytest.param('{"eks_preflight_ami_families": ["al2"]}', ["al2", "1.36"], id="al2-with-1.36"),
        pytest.param('{"eksops_karpenter_version": "1.12.0"}', ["1.12", "1.36"], id="karpenter-too-old"),
        pytest.param('{"eksops_karpenter_version": "1.8.4"}', ["1.8.4"], id="skipped-release"),
        pytest.param('{"eksops_cluster_name": "' + "long-" * 18 + 'name"}', ["IAM"], id="name-too-long"),
        pytest.param('{"eksops_region": "us-west-9"}', ["us-west-9"], id="unknown-region"),
        pytest.param('{"eks_preflight_ami_families": ["al2024"]}', ["al2024", "al2023"], id="unknown-family"),
        pytest.param('{"eksops_expected_account_id": "999999999999"}', ["999999999999"], id="another-account"),
        pytest.param('{"eksops_aws_profile": "nobody"}', ["nobody"], id="no-credentials"),
        pytest.param(
            '{"eksops_binary_dir": "/nonexistent", "eksops_environment": {"PATH": "/nonexistent"}}',
            ["helm"],
            id="no-helm",
        ),
        pytest.param('{"karpenter_nodepool_pool": []}', ["karpenter_nodepool_pool"], id="unknown-variable"),
    ],
)
def test_is_one_error_before_the_first_write(empty: Account, given: str, words: list[str]) -> None:
    since = time.time()
    run = empty.run("site.yml", "-e", given)
    assert run.code != 0, run.output[-3000:]
    assert run.output.count("FAILED!") + run.output.count("[ERROR]") <= 2, run.output[-3000:]
    missing = [word for word in words if word not in run.output]
    assert not missing, run.output[-3000:]
    assert empty.writes(since) == []
    assert run.changed == []
