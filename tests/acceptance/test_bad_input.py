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

SELECTORS = {
    "subnet_selector_terms": [{"tags": {"karpenter.sh/discovery": "demo"}}],
    "security_group_selector_terms": [{"tags": {"karpenter.sh/discovery": "demo"}}],
}
WRONG_CLASSES = [
    {"name": "al2", "role": "nodes", "ami_selector_terms": [{"alias": "al2@v20260101"}], **SELECTORS},
    {"name": "dated", "role": "nodes", "ami_selector_terms": [{"alias": "al2023@2026"}], **SELECTORS},
    {"name": "default", "role": "{{ typo }}", **SELECTORS},
    {"name": "later", "role": "{{ eks_network_result.subnet_ids }}", **SELECTORS},
]
WRONG_POOLS = [
    {"name": "Big", "node_class": "default", "weigth": 5, "requirements": []},
    {
        "name": "twice",
        "node_class": "other",
        "weight": 500,
        "limits": {"cpu": "many"},
        "requirements": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["x86_64"]}],
        "disruption": {
            "consolidate_after": "1m",
            "budgets": [{"nodes": 1, "schedule": "0 0 * * sat-sun", "duration": "1d"}],
        },
    },
    {
        "name": "twice",
        "node_class": "default",
        "requirements": [
            {"key": "kubernetes.io/arhc", "operator": "In", "values": ["amd64"]},
            {"key": "kubernetes.io/os", "operator": "Is", "values": ["linux"]},
        ],
    },
]

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
    "no-name": ({"eksops_cluster_name": ""}, ["eksops_cluster_name is '': it is empty"]),
    "empty-region": ({"eksops_region": ""}, ["eksops_region is '': it is empty", "next: give eksops_region a value"]),
    "empty-profile": ({"eksops_aws_profile": ""}, ["eksops_aws_profile is '': it is empty", "or take it out"]),
    "empty-tags": ({"eksops_tags": None}, ["eksops_tags is None: it is empty", "or take it out"]),
    "undefined": ({"eksops_tags": {"team": "{{ nobody_knows }}"}}, ["eksops_tags cannot be read: 'nobody_knows'"]),
    "mistyped": (
        {"eksops_tags": ["a"], "karpenter_nodepool_purge": "maybe", "karpenter_nodepool_architectures": ["arm"]},
        [
            "Inputs of host mistyped: 3 errors",
            "eksops_tags is a list, which is not a dictionary",
            "karpenter_nodepool_purge is 'maybe', which is not true or false",
            "did you mean arm64",
        ],
    ),
    "wrong-pools": (
        {"karpenter_nodepool_node_pools": WRONG_POOLS},
        [
            "karpenter_nodepool_node_pools[Big] has no 'weigth'",
            "did you mean weight",
            "node pool twice: is given twice",
            "node pool twice: node_class: there is no node class 'other'; there are: default",
            "node pool twice: weight: 500 is more than 100",
            "node pool twice: limits[cpu]: 'many' is no Kubernetes quantity",
            "requirements[0].values: 'x86_64' is no kubernetes.io/arch of any node",
            "did you mean amd64",
            "did you mean kubernetes.io/arch",
            "requirements[1].operator: 'Is' is not allowed",
            "budgets[0].schedule: '0 0 * * sat-sun' cannot be read",
            "budgets[0].duration: '1d' is no time that a budget could hold",
        ],
    ),
    "wrong-classes": (
        {"karpenter_nodepool_node_classes": WRONG_CLASSES},
        [
            "node class al2: ami_selector_terms[0].alias: AMI family AL2 has no images for Kubernetes 1.36",
            "next: take al2023",
            "'2026' is no release of AL2023",
            "node class default cannot be read: 'typo' is undefined",
            "Not checked: node class later, which is made of what is not known yet: 'eks_network_result' is undefined",
        ],
    ),
    "wrong-pin": (
        {"karpenter_nodepool_ami_release": "20261106"},
        ["node class default: '20261106' is no release of AL2023", "v and a date, such as v20261106"],
    ),
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
    assert "argument_spec_data" not in said[0], "Ansible's whole specification is not to be read by anybody"


def test_comes_before_the_first_write(refusal: Refusal) -> None:
    assert refusal.run.code != 0
    assert refusal.run.changed == []
    assert refusal.writes == []


PLAYBOOKS = ["site.yml", "playbooks/delete_cluster.yml", "playbooks/run_scale_test.yml"]


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_an_inventory_without_clusters_is_one_error(new_account: Callable[[str], Account], playbook: str) -> None:
    account = new_account("no-clusters")
    inventory = account.folder / "hosts.yml"
    inventory.write_text("others: {hosts: {web: {ansible_connection: local}}}", encoding="utf-8")
    run = account.run(playbook, inventory=str(inventory))
    assert run.code != 0
    assert run.output.count("FAILED!") == 1, run.output
    for words in ("No host of the inventory is in the group eks_clusters", str(inventory), "Allowed:", "Next:"):
        assert words in " ".join(run.output.split())


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_limit_that_leaves_no_cluster_is_one_error(new_account: Callable[[str], Account], playbook: str) -> None:
    account = new_account("no-limit")
    inventory = account.folder / "more.yml"
    inventory.write_text("others: {hosts: {web: {ansible_connection: local}}}", encoding="utf-8")
    arguments = ("-i", str(inventory), "--limit", "web")
    run = account.run(playbook, *arguments, environment={"ANSIBLE_STRATEGY": "free"})
    assert run.code != 0
    assert run.output.count("FAILED!") == 1, run.output
    assert "No host that --limit leaves is in the group eks_clusters" in run.output
    assert "here demo. Next: name one of them with --limit" in " ".join(run.output.split())


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_limit_without_any_inventory_is_one_error(new_account: Callable[[str], Account], playbook: str) -> None:
    run = new_account("no-inventory").run(playbook, "--limit", "shop", inventory="/nonexistent/hosts.yml")
    assert run.code != 0
    assert "The inventory has no host, so --limit shop leaves none. Next: give an inventory with -i" in run.output
    assert run.output.count("[ERROR]") == 1, run.output


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_an_environment_that_leads_to_another_cluster_is_one_error(
    new_account: Callable[[str], Account], playbook: str
) -> None:
    account = new_account("elsewhere")
    since = time.time()
    names = ("HELM_KUBEAPISERVER", "HELM_KUBECONTEXT", "K8S_AUTH_HOST")
    run = account.run(playbook, environment=dict.fromkeys((*names, "KUBECONFIG"), "https://127.0.0.1:9"))
    assert run.code != 0
    assert run.output.count("FAILED!") == 1, run.output
    assert f"Next: run again without them (unset {' '.join(names)})" in " ".join(run.output.split())
    assert account.ask("calls", since=str(since)) == []


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_an_empty_region_is_not_the_one_of_the_environment(
    new_account: Callable[[str], Account], playbook: str
) -> None:
    account = new_account("no-region")
    since = time.time()
    run = account.run(playbook, "-e", "eksops_region=", environment={"AWS_REGION": "eu-central-1"})
    assert run.code != 0
    assert "eksops_region is '': it is empty" in run.output
    assert account.ask("calls", since=str(since)) == []
