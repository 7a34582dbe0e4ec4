"""One cluster of the sandbox: real parts, on loopback, watched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from sandbox.build import resolve
from sandbox.process import procfs
from tests.sandbox.conftest import Created
from tests.sandbox.twin import Sandbox, eventually, wait_gone

pytestmark = pytest.mark.acceptance

COMPONENTS = {"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"}
#: The controller binds its metrics and health ports to every interface (``:port``) and knows no address for them.
ON_EVERY_INTERFACE = "karpenter-controller"


def test_a_cluster_is_active_within_its_time(created: Created) -> None:
    """On two idle cores these are 6 seconds; other tests run at the same time."""
    assert created.seconds < 60
    assert created.cpu_seconds < 12


def test_every_component_is_healthy(cluster: Sandbox) -> None:
    parts = cluster.components()
    assert set(parts) == COMPONENTS | {"registry"}
    assert {part["state"] for part in parts.values()} == {"healthy"}
    assert all(part["memory_bytes"] > 2**20 for part in parts.values())
    assert [found["name"] for found in cluster.status()["clusters"]] == ["demo"]


def test_every_listener_is_on_loopback(cluster: Sandbox) -> None:
    found = procfs.listeners(cluster.pids)
    # Two of the daemon at least (front, admission), the registry, etcd (2), API server, managers (2), kwok.
    assert len({listener.pid for listener in found}) == 7
    assert len(found) >= 9
    open_to_all = [listener for listener in found if not listener.loopback]
    names = {Path(f"/proc/{listener.pid}/exe").readlink().name for listener in open_to_all}
    assert names <= {ON_EVERY_INTERFACE}, open_to_all
    assert all([one.pid for one in open_to_all].count(pid) <= 2 for pid in cluster.pids), open_to_all


def test_the_server_says_its_version(cluster: Sandbox) -> None:
    assert "Server Version: v1.36.3" in cluster.kubectl("version").stdout


def test_controllers_and_scheduler_work(cluster: Sandbox) -> None:
    """A Deployment's pods appear (controller manager) and are found unschedulable without nodes (scheduler)."""
    made = cluster.kubectl("create", "deployment", "web", "--image=nginx", "--replicas=2")
    assert made.returncode == 0, made.stderr
    # The pods that there are; `kubectl wait` takes those that it finds at its start, and none is an error to it.
    # Not `unavailableReplicas`, which is the number that is wanted before there is any.
    # https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/#DeploymentStatus
    there = cluster.kubectl("wait", "deployment/web", "--for=jsonpath={.status.replicas}=2", "--timeout=30s")
    assert there.returncode == 0, there.stderr
    done = cluster.kubectl("wait", "pod", "-l", "app=web", "--for=condition=PodScheduled=false", "--timeout=30s")
    assert done.stdout.count("condition met") == 2, done.stderr
    assert cluster.kubectl("delete", "deployment", "web").returncode == 0


def test_kubelets_are_reached_through_the_proxy_alone(cluster: Sandbox) -> None:
    """A node that nothing stands behind: the API server has no way to it, and says so."""
    node = '{"apiVersion":"v1","kind":"Node","metadata":{"name":"ghost"}}'
    made = cluster.kubectl("create", "-f", "-", stdin=node)
    assert made.returncode == 0, made.stderr
    status = '{"status":{"addresses":[{"type":"InternalIP","address":"10.9.8.7"}]}}'
    patch = cluster.kubectl("patch", "node", "ghost", "--subresource=status", "--type=merge", "-p", status)
    assert patch.returncode == 0, patch.stderr
    answer = cluster.kubectl("get", "--raw", "/api/v1/nodes/ghost/proxy/healthz")
    assert answer.returncode != 0
    assert "502" in answer.stderr
    assert "no route to 10.9.8.7:10250" in answer.stderr or "Bad Gateway" in answer.stderr
    assert cluster.kubectl("delete", "node", "ghost").returncode == 0


def test_pods_end_when_their_hooks_and_grace_periods_let_them(cluster: Sandbox) -> None:
    """A pod without a hook goes at once, one with a hook when that is over or two seconds after the grace period.

    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination-flow
    """
    hooks = {
        "none": {},
        "short": {"lifecycle": {"preStop": {"sleep": {"seconds": 5}}}},
        "long": {"lifecycle": {"preStop": {"exec": {"command": ["/bin/sh", "-c", "sleep 60"]}}}},
    }
    node = {"metadata": {"name": "played", "annotations": {"kwok.x-k8s.io/node": "fake"}}}
    pods = [
        {
            "kind": "Pod",
            "metadata": {"name": name, "labels": {"ending": "soon"}},
            "spec": {
                "nodeName": "played",
                "terminationGracePeriodSeconds": 8,
                "containers": [{"name": "one", "image": "one", **hook}],
            },
        }
        for name, hook in hooks.items()
    ]
    # The controller manager gives each namespace its service account, and admission wants that for pods.
    account = cluster.kubectl("wait", "--for=create", "serviceaccount/default", "--timeout=30s")
    assert account.returncode == 0, account.stderr
    items = [{"apiVersion": "v1", **one} for one in ({"kind": "Node", **node}, *pods)]
    made = cluster.kubectl("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    assert made.returncode == 0, made.stderr
    ready = cluster.kubectl("wait", "pod", "-l", "ending=soon", "--for=condition=Ready", "--timeout=30s")
    assert ready.stdout.count("condition met") == 3, ready.stderr
    asked = time.time()
    assert cluster.kubectl("delete", "pod", "-l", "ending=soon", "--wait=false").returncode == 0
    ended = {}
    for name in hooks:
        gone = cluster.kubectl("wait", "pod", name, "--for=delete", "--timeout=30s")
        assert gone.returncode == 0, gone.stderr
        ended[name] = time.time() - asked
    # Times of Kubernetes are whole seconds.
    assert ended["none"] < 4 <= ended["short"] < ended["long"]
    assert 9 <= ended["long"] < 20
    assert cluster.kubectl("delete", "node", "played").returncode == 0


def test_service_account_tokens_name_the_clusters_issuer(cluster: Sandbox) -> None:
    issuer = cluster.client("eks").describe_cluster(name="demo")["cluster"]["identity"]["oidc"]["issuer"]
    assert f'"issuer":"{issuer}"' in cluster.kubectl("get", "--raw", "/.well-known/openid-configuration").stdout


def test_charts_are_pulled_from_the_registry(cluster: Sandbox, tmp_path: Path) -> None:
    helm, url = str(resolve().path("helm")), cluster.description["charts_url"]
    for chart in ("karpenter-crd", "karpenter"):
        argv = [helm, "show", "chart", f"{url}/{chart}", "--version", "1.14.0", "--plain-http"]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True, env={"HOME": str(tmp_path)})
        assert "appVersion: 1.14.0" in done.stdout
    argv = [helm, "template", f"{url}/karpenter", "--version", "1.14.0", "--plain-http", "--include-crds"]
    argv += ["--set", "settings.clusterName=demo"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True, env={"HOME": str(tmp_path)})
    assert "image: public.ecr.aws/karpenter/controller:1.14.0\n" in done.stdout
    assert done.stdout.count("kind: CustomResourceDefinition") == 5


def test_a_component_that_dies_is_told_with_the_end_of_its_log(cluster: Sandbox) -> None:
    """Last but one in this file: the cluster has no scheduler afterwards."""
    os.kill(cluster.components()["kube-scheduler"]["pid"], signal.SIGKILL)
    eventually(lambda: cluster.components()["kube-scheduler"]["state"] == "dead", "the scheduler is dead")
    status = cluster.command("status")
    assert status.returncode == 1
    assert "kube-scheduler: ended by itself with exit code -9; the end of" in status.stdout
    assert "Serving securely on 127.0.0.1" in status.stdout


def test_down_after_the_daemon_was_killed_leaves_no_process(cluster: Sandbox) -> None:
    """Last in this file: the sandbox is down afterwards."""
    pids, daemon = cluster.pids, cluster.description["pid"]
    assert len(pids) >= 6
    os.kill(daemon, signal.SIGKILL)
    assert wait_gone([daemon]) == []
    status = cluster.command("status")
    assert status.returncode == 1
    assert "the process is gone without having stopped the sandbox" in status.stdout
    assert cluster.components()["etcd"]["state"] == "running"
    down = cluster.command("down")
    assert down.returncode == 0
    assert f"ended {len(pids) - 1} processes of a sandbox whose daemon was gone" in down.stdout
    assert wait_gone(pids) == []
