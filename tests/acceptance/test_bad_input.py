"""Bad input is one error per cluster before the first write, which names value and place."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.acceptance.job import Account, Run

pytestmark = pytest.mark.acceptance

#: Hosts of one inventory, each with one bad value, and words that the host's error has to have.
BAD: dict[str, tuple[dict[str, Any], list[str]]] = {
    "version-as-number": ({"eksops_kubernetes_version": 1.36}, ["1.36", "eksops_kubernetes_version", "quotes"]),
    "al2-with-1-36": ({"eks_preflight_ami_families": ["al2"]}, ["AL2", "1.36", "al2023"]),
    "karpenter-too-old": ({"eksops_karpenter_version": "1.12.0"}, ["1.12.0", "1.36"]),
    "skipped-release": ({"eksops_karpenter_version": "1.8.4"}, ["1.8.4", "must not be installed"]),
    "name-too-long": ({"eksops_cluster_name": "long-" * 18 + "name"}, ["at most 46 characters"]),
    "unknown-region": ({"eksops_region": "us-west-9"}, ["us-west-9", "us-west-2"]),
    "unknown-family": ({"eks_preflight_ami_families": ["al2024"]}, ["al2024", "al2023"]),
    "another-account": ({"eksops_expected_account_id": "999999999999"}, ["999999999999"]),
    "no-credentials": ({"eksops_aws_profile": "nobody"}, ["nobody"]),
    "no-helm": (
        {
            "eksops_binary_dir": "/nonexistent",
            "eksops_environment": "{{ sandbox_environment | combine({'PATH': '/nonexistent'}) }}",
        },
        ["helm is not installed"],
    ),
    "unreachable": (
        {"eksops_environment": "{{ sandbox_environment | combine({'AWS_ENDPOINT_URL': 'http://127.0.0.1:9'}) }}"},
        ["cannot be reached"],
    ),
    "unknown-variable": (
        {"karpenter_nodepool_purg": True},
        ["karpenter_nodepool_purg", "did you mean karpenter_nodepool_purge"],
    ),
    "no-name": ({"eksops_cluster_name": ""}, ["Cluster name '' is not allowed"]),
    "tag-too-long": ({"eksops_tags": {"team": "x" * 257}}, ["'team'", "257"]),
    "kubeconfig-below-a-file": ({"eksops_kubeconfig": "/dev/null/kube.json"}, ["/dev/null is no folder"]),
    "twin-a": ({"eksops_cluster_name": "twin"}, ["twin-a", "twin-b"]),
    "twin-b": ({"eksops_cluster_name": "twin"}, ["twin-a", "twin-b"]),
}


@dataclass
class Refusal:
    """What a run over all bad hosts said, by host, and what it wrote."""

    run: Run
    said: dict[str, list[str]]
    writes: list[str]


@pytest.fixture(scope="module")
def refusal(new_account: Callable[[str], Account]) -> Refusal:
    """One run over all bad hosts, in an account in which nothing is ever made."""
    account = new_account("bad-input")
    inventory = account.folder / "bad.json"
    hosts = {host: given for host, (given, _) in BAD.items()}
    inventory.write_text(json.dumps({"eks_clusters": {"hosts": hosts}}), encoding="utf-8")
    since = time.time()
    run = account.run("site.yml", "-i", str(inventory), "--limit", ",".join(BAD))
    parts = re.split(r"^fatal: \[([\w.-]+)\]: FAILED! ", run.output, flags=re.MULTILINE)
    said: dict[str, list[str]] = {host: [] for host in BAD}
    for host, text in zip(parts[1::2], parts[2::2], strict=True):
        said[host].append(re.split(r"^(?:TASK |PLAY |\[ERROR\])", text, maxsplit=1, flags=re.MULTILINE)[0])
    return Refusal(run, said, account.writes(since))


@pytest.mark.parametrize("host", BAD)
def test_is_one_error(refusal: Refusal, host: str) -> None:
    said = refusal.said[host]
    assert len(said) == 1, refusal.run.output[-3000:]
    assert [word for word in BAD[host][1] if word not in " ".join(said[0].split())] == [], said[0]


def test_comes_before_the_first_write(refusal: Refusal) -> None:
    assert refusal.run.code != 0
    assert refusal.run.changed == []
    assert refusal.writes == []
