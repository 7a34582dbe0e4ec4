"""Failures that nobody foresaw end what is under way: no resource stays on its way for ever."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import sandbox
from sandbox.eks import addonobjects, logs, nodes
from sandbox.eks.instances import Instances
from tests.unit.waiting import until

from .helpers import gone
from .world import Tenant

_ADDON = {"clusterName": "demo", "addonName": "eks-pod-identity-agent"}


def _odd(*_: Any, **__: Any) -> Any:
    raise KeyError("odd")


def _issue(resource: dict[str, Any]) -> tuple[str, bool]:
    [issue] = resource["health"]["issues"]
    return issue["code"], "The sandbox failed: KeyError('odd')" in issue["message"]


def test_a_cluster_that_cannot_be_made_or_deleted_fails(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(tenant.world.planes, "start", _odd)
        failed = tenant.cluster()
    assert (failed["status"], *_issue(failed)) == ("FAILED", "InternalFailure", True)
    with monkeypatch.context() as patched:
        patched.setattr(tenant.world.planes, "stop", _odd)
        tenant.eks.delete_cluster(name="demo")
        assert _issue(tenant.settled()) == ("InternalFailure", True)
    tenant.eks.delete_cluster(name="demo")
    until(gone(lambda: tenant.eks.describe_cluster(name="demo")), "the end of the cluster")


def test_a_cluster_outlives_an_update_that_fails(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    tenant.cluster()
    monkeypatch.setattr(logs, "ensure_group", _odd)
    update = tenant.eks.update_cluster_config(name="demo", deletionProtection=True)["update"]["id"]
    until(lambda: _status(tenant, update) == "Failed", "the end of the update")
    assert tenant.settled()["status"] == "ACTIVE"


def _status(tenant: Tenant, update: str, **more: str) -> str:
    return str(tenant.eks.describe_update(name="demo", updateId=update, **more)["update"]["status"])


def test_an_addon_that_cannot_be_made_changed_or_deleted_fails(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    tenant.cluster()
    render = addonobjects.render
    monkeypatch.setattr(addonobjects, "render", _odd)
    tenant.eks.create_addon(**_ADDON)
    assert _issue(tenant.addon_in("CREATE_FAILED", "eks-pod-identity-agent")) == ("InternalFailure", True)
    update = tenant.eks.update_addon(**_ADDON, resolveConflicts="OVERWRITE")["update"]["id"]
    assert _issue(tenant.addon_in("UPDATE_FAILED", "eks-pod-identity-agent")) == ("InternalFailure", True)
    assert _status(tenant, update, addonName="eks-pod-identity-agent") == "Failed"
    tenant.eks.delete_addon(**_ADDON)
    assert _issue(tenant.addon_in("DELETE_FAILED", "eks-pod-identity-agent")) == ("InternalFailure", True)
    monkeypatch.setattr(addonobjects, "render", render)
    tenant.eks.delete_addon(**_ADDON)
    until(gone(lambda: tenant.eks.describe_addon(**_ADDON)), "the end of the add-on")


def test_a_node_group_that_cannot_be_made_changed_or_deleted_fails(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant.cluster()
    place = {"clusterName": "demo", "nodegroupName": "system"}
    with monkeypatch.context() as patched:
        patched.setattr(Instances, "prepare", _odd)
        tenant.nodegroup()
        assert _issue(tenant.nodegroup_in("CREATE_FAILED")) == ("InternalFailure", True)
    tenant.eks.delete_nodegroup(**place)
    until(gone(lambda: tenant.eks.describe_nodegroup(**place)), "the end of the node group")
    tenant.ready_nodegroup()
    with monkeypatch.context() as patched:
        patched.setattr(Instances, "renew_template", _odd)
        change = {"labels": {"addOrUpdateLabels": {"a": "b"}}}
        update = tenant.eks.update_nodegroup_config(**place, **change)["update"]["id"]
        until(lambda: _status(tenant, update, nodegroupName="system") == "Failed", "the end of the update")
        assert tenant.nodegroup_in("ACTIVE")["health"] == {"issues": []}
    with monkeypatch.context() as patched:
        patched.setattr(Instances, "clean_up", _odd)
        tenant.eks.delete_nodegroup(**place)
        assert _issue(tenant.nodegroup_in("DELETE_FAILED")) == ("InternalFailure", True)
    tenant.eks.delete_nodegroup(**place)
    until(gone(lambda: tenant.eks.describe_nodegroup(**place)), "the end of the node group")


def test_what_cannot_be_looked_after_has_its_deadline_and_keeps_nothing_else(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant.cluster()
    monkeypatch.setattr(nodes, "is_ready", _odd)
    tenant.nodegroup("odd")
    tenant.join(group="odd")
    tenant.eks.create_addon(**_ADDON)
    tenant.addon_in("ACTIVE", "eks-pod-identity-agent")
    monkeypatch.setattr(addonobjects, "health", _odd)
    tenant.eks.create_addon(clusterName="demo", addonName="coredns")
    tenant.let_deadline_pass("odd")
    issue = tenant.nodegroup_in("CREATE_FAILED", "odd")["health"]["issues"][0]
    assert issue["code"] == "NodeCreationFailure"


def test_nothing_of_the_checkout_is_read_after_the_start(tenant: Tenant) -> None:
    """A daemon runs on while its checkout changes."""
    opened: list[str] = []
    over = threading.Event()

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and not over.is_set() and isinstance(arguments[0], str | Path):
            opened.append(str(arguments[0]))

    sys.addaudithook(note)
    tenant.cluster()
    tenant.eks.create_addon(**_ADDON)
    tenant.addon_in("ACTIVE", "eks-pod-identity-agent")
    tenant.ready_nodegroup()
    assert tenant.client("ec2").describe_spot_price_history(InstanceTypes=["c6a.large"])["SpotPriceHistory"]
    over.set()
    assert opened, "what is opened is heard of"
    package = Path(sandbox.__file__).parent
    data = [name for name in opened if Path(name).suffix not in (".py", ".pyc")]
    assert [name for name in data if Path(name).is_relative_to(package)] == []
