"""What tests put into a cluster: pods that only nodes of Karpenter's can run, and what keeps those nodes from going."""

from __future__ import annotations

import json
import time
from typing import Any

from tests.acceptance.job import Account

LABELS = {"app": "needs-nodes"}
WORKLOAD = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "needs-nodes", "namespace": "default"},
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": LABELS},
        "template": {
            "metadata": {"labels": LABELS},
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
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "allows-nothing", "namespace": "default"},
    "spec": {"maxUnavailable": 0, "selector": {"matchLabels": LABELS}},
}


def apply(account: Account, document: dict[str, Any]) -> None:
    """Apply an object to the cluster, as a user would by kubectl."""
    path = account.folder / f"{document['kind']}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    account.kubectl("apply", "-f", str(path))


def run_pods(account: Account, timeout_seconds: int = 180) -> None:
    """Run the workload and wait until its pods are ready."""
    apply(account, WORKLOAD)
    account.kubectl(
        *("rollout", "status", "deployment/needs-nodes", f"--timeout={timeout_seconds}s"),
        limit_seconds=timeout_seconds + 30,
    )


def wait_for_no_nodes(account: Account, timeout_seconds: float = 120) -> None:
    """Wait until Karpenter has no node any more.

    That of a killed scale test may serve the next one, which then has none of its own to wait for.
    """
    deadline = time.monotonic() + timeout_seconds
    while account.objects("nodeclaims") and time.monotonic() < deadline:
        time.sleep(2)
    assert account.objects("nodeclaims") == []


def allow_no_disruption(account: Account) -> None:
    """Make a budget that lets no pod of the workload be evicted."""
    apply(account, BUDGET)


def take_the_controller_away(account: Account) -> None:
    """Scale the controller to nothing and wait until its pods are gone."""
    account.kubectl("-n", "kube-system", "scale", "deployment/karpenter", "--replicas=0")
    selector = "--selector=app.kubernetes.io/name=karpenter"
    account.kubectl("-n", "kube-system", "wait", "--for=delete", "pod", selector, "--timeout=90s")
