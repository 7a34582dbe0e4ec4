"""kubectl, the EC2 API and the EKS API tell one story about the nodes that Karpenter launches."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.acceptance.job import CLUSTER, Account

pytestmark = pytest.mark.acceptance

DEADLINE_SECONDS = 180
WORKLOAD = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "needs-nodes", "namespace": "default"},
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "needs-nodes"}},
        "template": {
            "metadata": {"labels": {"app": "needs-nodes"}},
            "spec": {
                "terminationGracePeriodSeconds": 0,
                "nodeSelector": {"karpenter.sh/nodepool": "default"},
                "containers": [
                    {
                        "name": "pause",
                        "image": "public.ecr.aws/eks-distro/kubernetes/pause:3.7",
                        "resources": {"requests": {"cpu": "1"}},
                    }
                ],
            },
        },
    },
}


@pytest.fixture(scope="module")
def cluster(account: Account, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """A cluster with pods that only nodes of Karpenter can run."""
    account.run("site.yml", "-e", "eksops_scale_test=false").must_succeed()
    manifest: Path = tmp_path_factory.mktemp("workload") / "deployment.json"
    manifest.write_text(json.dumps(WORKLOAD), encoding="utf-8")
    account.kubectl("apply", "-f", str(manifest))
    account.kubectl(
        "rollout",
        "status",
        "deployment/needs-nodes",
        f"--timeout={DEADLINE_SECONDS}s",
        limit_seconds=DEADLINE_SECONDS + 30,
    )
    yield account
    account.kubectl("delete", "-f", str(manifest))


def _client(account: Account, service: str) -> Any:
    environment = account.environment
    session = boto3.Session(profile_name=None)
    credentials = Path(environment["AWS_SHARED_CREDENTIALS_FILE"]).read_text(encoding="utf-8")
    keys = dict(line.split(" = ") for line in credentials.splitlines() if " = " in line)
    return session.client(
        service,
        region_name=environment["AWS_REGION"],
        endpoint_url=environment["AWS_ENDPOINT_URL"],
        aws_access_key_id=keys["aws_access_key_id"],
        aws_secret_access_key=keys["aws_secret_access_key"],
    )


def test_nodes_are_the_instances_that_karpenter_launched(cluster: Account) -> None:
    nodes = [node for node in cluster.objects("nodes") if "karpenter.sh/nodepool" in node["metadata"]["labels"]]
    assert nodes
    of_nodes = {node["spec"]["providerID"].rsplit("/", 1)[-1]: node for node in nodes}
    answer = _client(cluster, "ec2").describe_instances(
        Filters=[{"Name": "tag-key", "Values": ["karpenter.sh/nodepool"]}]
    )
    instances = {
        i["InstanceId"]: i for r in answer["Reservations"] for i in r["Instances"] if i["State"]["Name"] == "running"
    }
    assert set(of_nodes) == set(instances)
    for instance_id, instance in instances.items():
        labels = of_nodes[instance_id]["metadata"]["labels"]
        assert labels["node.kubernetes.io/instance-type"] == instance["InstanceType"]
        assert labels["topology.kubernetes.io/zone"] == instance["Placement"]["AvailabilityZone"]
        addresses = {a["type"]: a["address"] for a in of_nodes[instance_id]["status"]["addresses"]}
        assert addresses["InternalIP"] == instance["PrivateIpAddress"]


def test_eks_tells_the_same_cluster(cluster: Account) -> None:
    described = _client(cluster, "eks").describe_cluster(name=CLUSTER)["cluster"]
    assert described["status"] == "ACTIVE"
    assert described["endpoint"] in cluster.kubectl("config", "view", "-o", "json")
    assert json.loads(cluster.kubectl("version", "-o", "json"))["serverVersion"]["minor"].startswith("36")


def test_controller_logs_are_its_own(cluster: Account) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        lines = cluster.kubectl(
            "-n",
            "kube-system",
            "logs",
            "--selector=app.kubernetes.io/name=karpenter",
            "--container=controller",
            "--tail=-1",
        ).splitlines()
        if any("launched nodeclaim" in line for line in lines):
            break
        time.sleep(2)
    claims = {claim["metadata"]["name"] for claim in cluster.objects("nodeclaims")}
    launched = [json.loads(line) for line in lines if "launched nodeclaim" in line]
    assert claims <= {entry["NodeClaim"]["name"] for entry in launched}
