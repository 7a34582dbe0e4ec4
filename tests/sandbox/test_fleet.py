"""Three clusters in two accounts and two regions, made by one run of site.yml, come back after a kill."""

from __future__ import annotations

import json
import os
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.process import procfs
from sandbox.state import State
from tests.sandbox.twin import ROOT, SAVED_SECONDS, Sandbox, eventually, kubectl

pytestmark = [pytest.mark.acceptance, pytest.mark.long]

OTHER_REGION, OTHER_ACCOUNT = "eu-central-1", "second"
HOSTS: dict[str, dict[str, str]] = {
    "alpha": {},
    "beta": {"eksops_region": OTHER_REGION},
    "gamma": {"eksops_region": OTHER_REGION, "sandbox_account": OTHER_ACCOUNT},
}
RECAP = "changed=0 "


def _inventory(folder: Path) -> Path:
    """Three clusters, with the variables of the inventory of the sandbox."""
    folder.mkdir()
    (folder / "group_vars").symlink_to(ROOT / "inventories" / "sandbox" / "group_vars")
    groups = {"dev": {"hosts": HOSTS}, "eks_clusters": {"children": {"dev": None}}}
    (folder / "hosts.yml").write_text(yaml.safe_dump(groups))
    return folder


def _site(sandbox: Sandbox, inventory: Path) -> str:
    """One run for all clusters side by side; its output."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    done = subprocess.run(
        [".venv/bin/ansible-playbook", "-i", inventory, "site.yml", "-f", "3", "-e", "eksops_scale_test=false"],
        cwd=ROOT,
        env={**environment, "ANSIBLE_CONFIG": "ansible.cfg", "EKSOPS_SANDBOX_DIR": str(sandbox.state.root)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1500,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def inventory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The inventory's folder."""
    return _inventory(tmp_path_factory.mktemp("fleet") / "inventory")


@pytest.fixture(scope="module")
def fleet(own: Sandbox, inventory: Path) -> Sandbox:
    """The sandbox with its three clusters."""
    own.up()
    assert own.command("account", OTHER_ACCOUNT).returncode == 0
    _site(own, inventory)
    return own


def _kubectl(state: State, name: str, *arguments: str, stdin: str | None = None) -> str:
    [kubeconfig] = state.clusters.glob(f"*-{name}/kubeconfigs/admin")
    done = kubectl("--kubeconfig", str(kubeconfig), *arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _nodes(fleet: Sandbox, name: str) -> dict[str, str]:
    """Nodes that are ready, with their instances."""
    items: list[dict[str, Any]] = json.loads(_kubectl(fleet.state, name, "get", "nodes", "-o", "json"))["items"]
    ready = [
        node
        for node in items
        if any(one["type"] == "Ready" and one["status"] == "True" for one in node["status"]["conditions"])
    ]
    return {node["metadata"]["name"]: node["spec"]["providerID"] for node in ready}


def _is_back(fleet: Sandbox, name: str, nodes: dict[str, str]) -> bool:
    return _nodes(fleet, name) == nodes and _controllers(fleet, name) == "2"


def _controllers(fleet: Sandbox, name: str) -> str:
    place = ("get", "deployment/karpenter", "-n", "kube-system", "-o", "jsonpath={.status.readyReplicas}")
    return _kubectl(fleet.state, name, *place)


def test_each_cluster_has_its_own_parts(fleet: Sandbox) -> None:
    found = {(one["name"], one["region"]) for one in fleet.status()["clusters"]}
    assert found == {("alpha", "us-west-2"), ("beta", OTHER_REGION), ("gamma", OTHER_REGION)}
    accounts = {one["name"]: one["account"] for one in fleet.status()["clusters"]}
    assert accounts["alpha"] == accounts["beta"] != accounts["gamma"]
    names = [part["name"] for part in fleet.status()["components"]]
    for name in HOSTS:
        assert sum(f"-{name}/" in part and part.endswith("/kube-apiserver") for part in names) == 1
        assert sum(f"-{name}/" in part and "_karpenter-" in part for part in names) == 2


def test_all_are_back_after_a_kill_and_nothing_has_to_be_changed(fleet: Sandbox, inventory: Path) -> None:
    requests = {"requests": {"cpu": "1"}}
    container = {"name": "pause", "image": "registry.k8s.io/pause:3.10", "resources": requests}
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"work-{number}"},
            "spec": {"containers": [container], "nodeSelector": {"karpenter.sh/nodepool": "default"}},
        }
        for number in range(3)
    ]
    for name in HOSTS:
        _kubectl(
            fleet.state, name, "apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": pods})
        )
        _kubectl(
            fleet.state,
            name,
            "wait",
            "pod/work-0",
            "pod/work-1",
            "pod/work-2",
            "--for=condition=Ready",
            "--timeout=50s",
        )
    before = {name: _nodes(fleet, name) for name in HOSTS}
    time.sleep(SAVED_SECONDS)
    fleet.kill()
    fleet.up()
    for name in HOSTS:
        eventually(partial(_is_back, fleet, name, before[name]), f"nodes and controllers of {name}", 120)
    recap = [line for line in _site(fleet, inventory).splitlines() if "unreachable=0" in line]
    assert len(recap) == len(HOSTS) + 1
    assert all(RECAP in line for line in recap), recap


def test_down_leaves_no_process_and_no_listener(fleet: Sandbox) -> None:
    """Last in this file."""
    before = procfs.listeners(fleet.pids)
    assert len(before) > 20
    assert fleet.command("down").returncode == 0
    assert fleet.pids == []
    ports = {one.port for one in before}
    assert not [one for one in procfs.listeners(procfs.all_pids()) if one.port in ports]
