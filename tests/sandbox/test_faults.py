"""Faults on demand, seen through Karpenter and the cluster: set, seen, cleared, gone.

One cluster, made by site.yml, and one workload, whose node the tests take over from each other.
"""

from __future__ import annotations

import calendar
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.faultclient import FaultClient
from tests.sandbox.twin import ROOT, SAVED_SECONDS, Sandbox, eventually

pytestmark = pytest.mark.acceptance

PATIENCE = 120
CONTROLLER = "arn:aws:sts::*:assumed-role/demo-karpenter/*"


class Twin:
    """The cluster, and the faults of its account."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        described = sandbox.description
        self.faults = FaultClient(described["front_url"], described["admin_token"], described["account_id"])

    def fault(self, kind: str, **values: str | float) -> AbstractContextManager[dict[str, Any]]:
        """A fault that is set inside of the block."""
        return self.faults.fault(kind, **values)

    def objects(self, *arguments: str) -> list[dict[str, Any]]:
        """What ``kubectl get`` lists; nothing while the API server is away."""
        done = self.sandbox.kubectl("get", *arguments, "-o", "json")
        return list(json.loads(done.stdout)["items"]) if done.returncode == 0 else []

    def claims(self) -> list[dict[str, Any]]:
        return self.objects("nodeclaims")

    def nodes(self) -> list[dict[str, Any]]:
        """Karpenter's nodes."""
        return self.objects("nodes", "-l", "karpenter.sh/nodepool")

    def pods(self, app: str) -> list[dict[str, Any]]:
        return self.objects("pods", "-l", f"app={app}")

    def wanted(self, app: str, replicas: int) -> None:
        """A workload of that many pods, which no other node takes."""
        spec = {
            "nodeSelector": {"karpenter.sh/nodepool": "default"},
            "terminationGracePeriodSeconds": 0,
            "containers": [
                {"name": "c", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": {"cpu": "1"}}}
            ],
        }
        template = {"metadata": {"labels": {"app": app}}, "spec": spec}
        body = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": app, "namespace": "default"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": app}}, "template": template},
        }
        done = self.sandbox.kubectl("apply", "-f", "-", stdin=json.dumps(body))
        assert done.returncode == 0, done.stderr

    def calls(self, action: str, error: str | None, since: float) -> list[Any]:
        """The controller's calls of an operation with this outcome."""
        route = f"{self.faults.url}/_sandbox/calls?account={self.faults.account}&action={action}&since={since}"
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(route, timeout=20) as answer:
            found = json.load(answer)
        return [one for one in found if one["error"] == error and ":assumed-role/" in (one["principal_arn"] or "")]


def condition(item: dict[str, Any], kind: str) -> str:
    """The status of a condition, empty for one that is not there."""
    found = item.get("status", {}).get("conditions") or []
    return next((one["status"] for one in found if one["type"] == kind), "")


def ready(items: list[dict[str, Any]], number: int) -> bool:
    return len(items) == number and all(condition(one, "Ready") == "True" for one in items)


def names(items: list[dict[str, Any]]) -> set[str]:
    return {one["metadata"]["name"] for one in items}


def within(look: Callable[[], bool], what: str) -> None:
    eventually(look, what, PATIENCE, pause_seconds=0.5)


def instance_of(item: dict[str, Any]) -> str:
    """The instance of a claim or a node."""
    provider = item.get("status", {}).get("providerID") or item.get("spec", {}).get("providerID") or ""
    return str(provider).rpartition("/")[2]


@pytest.fixture(scope="module")
def twin(own: Sandbox) -> Twin:
    """A cluster with Karpenter and its pool, as site.yml makes it."""
    own.up()
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("AWS_", "EKSOPS_"))}
    playbook = str(Path(sys.executable).parent / "ansible-playbook")
    done = subprocess.run(
        [playbook, "-i", "inventories/sandbox", "site.yml", "-e", "eksops_scale_test=false"],
        cwd=ROOT,
        env=environment | {"EKSOPS_SANDBOX_DIR": str(own.state.root), "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return Twin(own)


@pytest.fixture(scope="module")
def node(twin: Twin) -> dict[str, Any]:
    """Karpenter's node with the workload ``web`` on it, after what throttled and refused its launch was cleared."""
    since = time.time()
    with twin.fault("throttling", service="ec2", action="CreateFleet", principal=CONTROLLER):
        twin.wanted("web", 1)
        within(lambda: bool(twin.calls("CreateFleet", "RequestLimitExceeded", since)), "a launch is throttled")
        assert twin.nodes() == []
    with (
        twin.fault("launch-error", code="InsufficientInstanceCapacity", zone="us-west-2a"),
        twin.fault("launch-error", code="VcpuLimitExceeded", zone="us-west-2b"),
        twin.fault("node-never-registers", region="us-west-2", capacity_type="*"),
    ):
        within(lambda: any(map(instance_of, twin.claims())), "an instance is launched")
        time.sleep(5)
        assert [condition(claim, "Registered") == "True" for claim in twin.claims()] == [False]
        assert twin.nodes() == []
    within(lambda: ready(twin.nodes(), 1) and ready(twin.pods("web"), 1), "the node is there")
    return twin.nodes()[0]


def test_a_launch_goes_where_there_is_no_error(node: dict[str, Any]) -> None:
    assert node["metadata"]["labels"]["topology.kubernetes.io/zone"] not in ("us-west-2a", "us-west-2b")


def test_nodes_go_not_ready_and_come_back(twin: Twin, node: dict[str, Any]) -> None:
    kind = node["metadata"]["labels"]["node.kubernetes.io/instance-type"]
    with twin.fault("node-not-ready", image="ami-*", instance_type=kind, after_seconds=1):
        within(lambda: [condition(one, "Ready") for one in twin.nodes()] == ["False"], "the node is not ready")
    within(lambda: ready(twin.nodes(), 1) and ready(twin.pods("web"), 1), "node and pods are ready again")


def test_chosen_pods_never_become_ready(twin: Twin, node: dict[str, Any]) -> None:
    image = twin.sandbox.client("ec2").describe_instances(InstanceIds=[instance_of(node)])
    image_id = image["Reservations"][0]["Instances"][0]["ImageId"]
    with twin.fault("pods-never-ready", pods="app=held", image=image_id):
        for app in ("held", "free"):
            twin.wanted(app, 1)
        within(lambda: ready(twin.pods("free"), 1), "other pods become ready")
        within(lambda: [pod["status"]["phase"] for pod in twin.pods("held")] == ["Running"], "the chosen pod runs")
        time.sleep(2)
        assert [condition(pod, "Ready") for pod in twin.pods("held")] == ["False"]
        assert ready(twin.pods("web"), 1), "what is ready stays so"
    within(lambda: ready(twin.pods("held"), 1), "the pod is ready after the fault")
    assert twin.sandbox.kubectl("get", "mutatingwebhookconfigurations", "sandbox-faults").returncode != 0
    for app in ("held", "free"):
        twin.wanted(app, 0)


def test_the_controller_finds_its_credentials_expired(twin: Twin, node: dict[str, Any]) -> None:
    with twin.fault("expired-credentials", service="sqs", principal=CONTROLLER):
        since = time.time()
        within(lambda: bool(twin.calls("ReceiveMessage", "ExpiredTokenException", since)), "credentials are refused")
    since = time.time()
    within(lambda: bool(twin.calls("ReceiveMessage", None, since)), "credentials are good again")


def test_the_api_server_stops_for_a_while(twin: Twin, node: dict[str, Any]) -> None:
    started = time.monotonic()
    twin.faults.set("api-server-stopped", cluster="demo", for_seconds=4)
    answer = twin.sandbox.kubectl("get", "nodes")
    assert answer.returncode != 0
    assert "refused" in answer.stderr
    within(lambda: ready(twin.nodes(), 1), "the API server is back")
    assert time.monotonic() - started >= 4
    within(lambda: twin.faults.all() == [], "the fault is over")
    # Components are looked at from time to time.
    within(lambda: twin.sandbox.components()["kube-apiserver"]["state"] == "healthy", "it is told as healthy")


def test_a_killed_controller_starts_again(twin: Twin, node: dict[str, Any]) -> None:
    def restarts() -> list[int]:
        pods = twin.objects("pods", "-n", "kube-system", "-l", "app.kubernetes.io/name=karpenter")
        return [pod["status"]["containerStatuses"][0]["restartCount"] for pod in pods if ready([pod], 1)]

    within(lambda: len(restarts()) == 2, "both replicas are ready")
    before = sum(restarts())
    twin.faults.set("controller-killed")
    within(lambda: len(restarts()) == 2 and sum(restarts()) == before + 2, "both replicas were started again")
    assert twin.faults.all() == []


def test_faults_outlive_a_kill_but_that_of_the_api_server(twin: Twin, node: dict[str, Any]) -> None:
    fault = twin.faults.set("pods-never-ready", pods="app=held")
    twin.wanted("held", 1)
    within(lambda: [pod["status"]["phase"] for pod in twin.pods("held")] == ["Running"], "the chosen pod runs")
    before = twin.nodes()
    twin.faults.set("api-server-stopped", cluster="demo")
    time.sleep(SAVED_SECONDS)
    twin.sandbox.kill()
    twin.sandbox.up()
    assert [one["id"] for one in twin.faults.all()] == [fault["id"]]
    within(lambda: ready(nodes := twin.nodes(), len(before)) and names(nodes) == names(before), "the nodes are back")
    within(lambda: ready(twin.pods("web"), 1), "what was ready is ready")
    twin.wanted("held", 2)
    within(lambda: [pod["status"]["phase"] for pod in twin.pods("held")] == ["Running"] * 2, "the chosen pods run")
    time.sleep(2)
    assert [condition(pod, "Ready") for pod in twin.pods("held")] == ["False"] * 2
    twin.faults.clear(fault["id"])
    within(lambda: ready(twin.pods("held"), 2), "the pods are ready after the fault")
    twin.wanted("held", 0)
    within(lambda: names(twin.nodes()) == names([node]), "the other nodes are given back")


def test_an_interrupted_node_is_replaced_after_the_time_that_nodes_take(twin: Twin, node: dict[str, Any]) -> None:
    """Last in this file: the node is another one afterwards. Karpenter acts on the message, not on the end."""
    [claim], name = twin.claims(), node["metadata"]["name"]
    instance = instance_of(claim)
    spot = claim["metadata"]["labels"]["karpenter.sh/capacity-type"] == "spot"
    ec2 = twin.sandbox.client("ec2")
    with (
        twin.fault("node-start-duration", p0_seconds=8, p100_seconds=12, seed=1),
        twin.fault("node-termination-duration", seconds=8),
    ):
        twin.faults.set("spot-interruption" if spot else "scheduled-change", instance=instance)
        within(lambda: _state(ec2, instance) == "shutting-down", "the instance takes its time to end")
        asked = time.monotonic()
        # Karpenter keeps the node until its instance has ended.
        within(lambda: name not in names(twin.nodes()), "the node goes")
        within(lambda: ready(twin.nodes(), 1) and ready(twin.pods("web"), 1), "another node has taken over")
        within(lambda: _state(ec2, instance) == "terminated", "the instance has ended")
        assert time.monotonic() - asked >= 4
    [other] = twin.nodes()
    launched = ec2.describe_instances(InstanceIds=[instance_of(other)])["Reservations"][0]["Instances"][0]["LaunchTime"]
    created = time.strptime(other["metadata"]["creationTimestamp"], "%Y-%m-%dT%H:%M:%SZ")
    assert 7 <= _seconds(created) - launched.timestamp() <= 60


def _seconds(moment: time.struct_time) -> float:
    return float(calendar.timegm(moment))


def _state(ec2: Any, instance: str) -> str:
    return str(ec2.describe_instances(InstanceIds=[instance])["Reservations"][0]["Instances"][0]["State"]["Name"])
