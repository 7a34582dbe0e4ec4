"""``python -m bench.scale``: 1,000 pods on 60 nodes and more by Karpenter, and away again: what that costs.

CPU-seconds and the most memory of each component, as a table for the documentation. Needs a running sandbox that had
``site.yml``, best on a machine that does nothing else: CPU-seconds are the same on a busy one, times are not.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.usage import Meter, table
from sandbox.state import State, read_json
from scripts.stage import ROOT, python

NAME = "bench-scale"
#: Two CPUs hold 16 such pods beside the daemons, so 1,000 of them need 63 nodes.
INSTANCE_TYPE, POD_CPU = "c6a.large", "110m"
LIMIT_SECONDS = 1800.0


def pool() -> dict[str, Any]:
    """A pool of small nodes for these pods alone, of the node class that site.yml made."""
    place = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
    wanted = {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": [INSTANCE_TYPE]}
    demand = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": NAME},
        "spec": {
            "template": {"spec": {"nodeClassRef": place, "requirements": [wanted, demand]}},
            "disruption": {
                "consolidationPolicy": "WhenEmpty",
                "consolidateAfter": "10s",
                "budgets": [{"nodes": "100%"}],
            },
        },
    }


def deployment(pods: int) -> dict[str, Any]:
    """So many pods that fit nowhere else."""
    labels = {"app": NAME}
    container = {
        "name": "pause",
        "image": "registry.k8s.io/pause:3.10",
        "resources": {"requests": {"cpu": POD_CPU, "memory": "16Mi"}},
    }
    spec = {
        "nodeSelector": {"karpenter.sh/nodepool": NAME},
        "terminationGracePeriodSeconds": 0,
        "containers": [container],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME, "namespace": "default"},
        "spec": {
            "replicas": pods,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


@dataclass(frozen=True)
class Cluster:
    """kubectl with the kubeconfig that the playbook wrote."""

    kubectl: str
    kubeconfig: Path
    environment: dict[str, str] = field(repr=False)

    def run(self, *arguments: str, stdin: str | None = None) -> str:
        """Its output. Raises SystemExit."""
        command = [self.kubectl, "--kubeconfig", str(self.kubeconfig), *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, env=self.environment)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
        return done.stdout

    def ready(self) -> int:
        """How many of the pods are ready."""
        return int(self.run("get", f"deployment/{NAME}", "-o", "jsonpath={.status.readyReplicas}") or 0)

    def count(self, kind: str, selector: str) -> int:
        """How many objects there are."""
        return len(self.run("get", kind, "-l", selector, "-o", "name").split())


def cluster(account: str | None, name: str) -> Cluster:
    """The cluster in the running sandbox. Raises SystemExit when there is none."""
    state = State.locate()
    folder = state.accounts / account if account else state.root
    variables, description = read_json(folder / "environment.json"), read_json(state.description)
    kubeconfig = state.root / "kubeconfigs" / f"{account or 'default'}-{name}.json"
    if variables is None or description is None or not kubeconfig.exists():
        raise SystemExit(f"there is no cluster {name} here; start the sandbox with make sandbox-up, then run site.yml")
    return Cluster(f"{description['binary_dir']}/kubectl", kubeconfig, {"HOME": str(state.root / "home"), **variables})


def until(look: Callable[[], bool], what: str, meter: Meter) -> float:
    """Wait, and look at the components meanwhile; the seconds it took. Raises SystemExit."""
    started = time.monotonic()
    while not look():
        if time.monotonic() - started > LIMIT_SECONDS:
            raise SystemExit(f"{what}: not within {LIMIT_SECONDS:.0f} s")
        meter.look()
        time.sleep(1.0)
    return time.monotonic() - started


def components(found: Cluster) -> dict[str, int]:
    """Process ids of everything that the sandbox runs for the cluster."""
    done = subprocess.run(python("-m", "sandbox", "status", "--json"), cwd=ROOT, capture_output=True, text=True)
    status = json.loads(done.stdout)
    server = found.run("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")
    [slug] = [f"{one['account']}-{one['region']}-{one['name']}" for one in status["clusters"] if one["url"] == server]
    parts = {part["name"]: part["pid"] for part in status["components"] if part["state"] != "dead"}
    return {"daemon": status["daemon"]["pid"]} | {name: pid for name, pid in parts.items() if slug in name.split("/")}


def measure(found: Cluster, pods: int, least_nodes: int) -> str:
    """Schedule the pods and remove them; the report."""
    of_pool = f"karpenter.sh/nodepool={NAME}"
    meter = Meter(components(found))
    try:
        found.run("apply", "-f", "-", stdin=json.dumps(pool()))
        found.run("apply", "-f", "-", stdin=json.dumps(deployment(pods)))
        up = until(lambda: found.ready() == pods, f"{pods} pods ready", meter)
        nodes = found.count("nodes", of_pool)
        if nodes < least_nodes:
            raise SystemExit(f"{pods} pods are ready on {nodes} nodes, and {least_nodes} were wanted")
        busy = meter.lap()
        found.run("delete", f"deployment/{NAME}", "--wait=false")
        down = until(lambda: not found.count("pods,nodes,nodeclaims", f"app={NAME}"), "pods gone", meter)
        down += until(lambda: not found.count("nodes,nodeclaims", of_pool), "nodes gone", meter)
    finally:
        found.run("delete", f"deployment/{NAME}", f"nodepool/{NAME}", "--ignore-not-found", "--wait=false")
    idle = meter.lap()
    head = f"{pods} pods ready on {nodes} nodes after {up:.0f} s, pods and nodes gone {down:.0f} s after their removal"
    return f"{head}\n\n{table(busy, idle)}"


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--pods", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=60, help="on so many nodes at least")
    parser.add_argument("--account", help="of the sandbox (default: the default one)")
    parser.add_argument("--cluster", default="demo")
    options = parser.parse_args()
    print(measure(cluster(options.account, options.cluster), options.pods, options.nodes))


if __name__ == "__main__":
    main()
