"""delete_cluster.yml leaves the account as it was, whatever state the cluster is in; a second run changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.job import Account
from tests.acceptance.test_same_story import WORKLOAD

pytestmark = pytest.mark.acceptance

DELETE = "playbooks/delete_cluster.yml"
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "allows-nothing", "namespace": "default"},
    "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "needs-nodes"}}},
}


def _apply(account: Account, folder: Path, document: dict[str, Any]) -> None:
    path = folder / f"{document['kind']}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    account.kubectl("apply", "-f", str(path))


def _with_nodes(account: Account, folder: Path) -> None:
    """A converged account whose cluster has nodes of Karpenter's with pods on them."""
    account.run("site.yml", "-e", "eksops_scale_test=false").must_succeed()
    _apply(account, folder, WORKLOAD)
    account.kubectl("rollout", "status", "deployment/needs-nodes", "--timeout=180s", limit_seconds=210)


def _healthy(account: Account, folder: Path) -> None:
    """Nothing is wrong."""


def _budget_allows_nothing(account: Account, folder: Path) -> None:
    _apply(account, folder, BUDGET)


def _controller_is_dead(account: Account, folder: Path) -> None:
    account.kubectl("-n", "kube-system", "scale", "deployment/karpenter", "--replicas=0")
    account.kubectl(
        "-n",
        "kube-system",
        "wait",
        "--for=delete",
        "pod",
        "--selector=app.kubernetes.io/name=karpenter",
        "--timeout=90s",
    )


@pytest.mark.parametrize(
    "trouble", [_healthy, _budget_allows_nothing, _controller_is_dead], ids=lambda trouble: trouble.__name__.strip("_")
)
def test_leaves_the_account_as_it_was(
    new_account: Callable[[str], Account], tmp_path: Path, trouble: Callable[[Account, Path], None]
) -> None:
    account = new_account("delete")
    before = account.listing()
    _with_nodes(account, tmp_path)
    assert account.listing() != before
    trouble(account, tmp_path)
    account.run(DELETE).must_succeed()
    assert account.listing() == before
    assert account.run(DELETE).must_succeed().changed == []


def test_wants_the_name_typed_back(new_account: Callable[[str], Account]) -> None:
    account = new_account("confirm")
    run = account.run(DELETE, "-e", "eksops_delete_allowed=false")
    assert run.code != 0
    assert "eksops_delete_confirmation" in run.output
    wrong = account.run(DELETE, "-e", "eksops_delete_allowed=false", "-e", "eksops_delete_confirmation=another")
    assert wrong.code != 0
