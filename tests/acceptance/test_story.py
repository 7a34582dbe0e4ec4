"""One account's story: site.yml killed in each role, its re-run, the cluster that came of it, its deletion.

The tests of this file build on each other, in their order.
"""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest

from tests.acceptance import kills, workload
from tests.acceptance.job import CLUSTER, Account

pytestmark = pytest.mark.acceptance

DELETE = "playbooks/delete_cluster.yml"
# What an undisturbed run makes, where twice would be a doubled thing.
MADE = {
    "cloudformation:stack": 3,
    "ec2:instance": 2,
    "ec2:vpc": 1,
    "eks:cluster": 1,
    "eks:nodegroup": 1,
    "eks:pod-identity-association": 1,
    "events:rule": 5,
    "sqs:queue": 1,
}


@pytest.fixture(scope="module")
def before(account: Account) -> dict[str, Any]:
    """What the account had before anything was done to it."""
    return account.listing()


def test_killed_once_in_each_role(account: Account, before: dict[str, Any]) -> None:
    """Each run gets a role further before it is killed, a second and a half into a write or a wait."""
    for role in kills.ROLES:
        assert account.kill_during("site.yml", kills.task_pattern(role), 1.5), f"{role} was over too soon"
    assert account.listing() != before


def test_re_run_converges_and_doubles_nothing(account: Account) -> None:
    run = account.run("site.yml").must_succeed()
    assert "Next" in run.output
    workload.wait_for_no_nodes(account)
    counts = {kind: len(names) for kind, names in account.listing()["us-west-2"].items()}
    assert {kind: counts.get(kind) for kind in MADE} == MADE


def test_second_run_changes_nothing(account: Account) -> None:
    listing = account.lasting()
    run = account.run("site.yml", "-e", "eksops_scale_test=false").must_succeed()
    assert run.changed == []
    assert re.search(rf"^{CLUSTER}\s+:.*\bchanged=0\b", run.output, re.MULTILINE)
    assert account.lasting() == listing


def test_nodes_are_the_instances_that_karpenter_launched(account: Account) -> None:
    workload.run_pods(account)
    nodes = [node for node in account.objects("nodes") if "karpenter.sh/nodepool" in node["metadata"]["labels"]]
    assert nodes
    of_nodes = {node["spec"]["providerID"].rsplit("/", 1)[-1]: node for node in nodes}
    answer = account.client("ec2").describe_instances(
        Filters=[
            {"Name": "tag-key", "Values": ["karpenter.sh/nodepool"]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
    )
    instances = {one["InstanceId"]: one for group in answer["Reservations"] for one in group["Instances"]}
    assert set(of_nodes) == set(instances)
    for instance_id, instance in instances.items():
        labels = of_nodes[instance_id]["metadata"]["labels"]
        assert labels["node.kubernetes.io/instance-type"] == instance["InstanceType"]
        assert labels["topology.kubernetes.io/zone"] == instance["Placement"]["AvailabilityZone"]
        addresses = {a["type"]: a["address"] for a in of_nodes[instance_id]["status"]["addresses"]}
        assert addresses["InternalIP"] == instance["PrivateIpAddress"]


def test_eks_tells_the_same_cluster(account: Account) -> None:
    described = account.client("eks").describe_cluster(name=CLUSTER)["cluster"]
    assert described["status"] == "ACTIVE"
    assert described["endpoint"] in account.kubectl("config", "view", "-o", "json")
    assert json.loads(account.kubectl("version", "-o", "json"))["serverVersion"]["minor"].startswith("36")


def test_controller_logs_are_its_own(account: Account) -> None:
    claims = {claim["metadata"]["name"] for claim in account.objects("nodeclaims")}
    assert claims
    deadline = time.monotonic() + 30
    launched: set[str] = set()
    while not claims <= launched and time.monotonic() < deadline:
        logs = account.kubectl(
            *("-n", "kube-system", "logs", "--selector=app.kubernetes.io/name=karpenter"),
            *("--container=controller", "--tail=-1"),
        )
        lines = [json.loads(line) for line in logs.splitlines() if "launched nodeclaim" in line]
        launched = {line["NodeClaim"]["name"] for line in lines}
    assert claims <= launched


def test_deletion_passes_a_budget_that_allows_nothing(account: Account, before: dict[str, Any]) -> None:
    workload.allow_no_disruption(account)
    account.run(DELETE).must_succeed()
    assert account.listing() == before


def test_second_deletion_changes_nothing(account: Account) -> None:
    assert account.run(DELETE).must_succeed().changed == []
