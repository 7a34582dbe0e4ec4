"""SIGKILL at any point, then a re-run: it converges, and nothing is there twice."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.acceptance.job import ROOT, Account

pytestmark = pytest.mark.acceptance

ROLES = (
    "eks_preflight",
    "karpenter_iam",
    "eks_network",
    "eks_cluster",
    "karpenter_install",
    "karpenter_nodepool",
    "karpenter_scale_test",
)
# Tasks that write or wait: those that call a module of ours that is no _info, or write by a module of others.
WRITES = re.compile(
    r"^\s+(?:eksops\.karpenter\.(?!\w+_info:)\w+|amazon\.aws\.cloudformation|kubernetes\.core\.helm):", re.MULTILINE
)


def _counts(account: Account) -> dict[str, int]:
    """How many of each kind there are; ids differ between accounts, numbers must not."""
    return {
        f"{region} {kind}": len(names) for region, kinds in account.listing().items() for kind, names in kinds.items()
    }


def waits() -> list[str]:
    """The names of the tasks that write or wait, in the order of the roles."""
    found = []
    for role in ROLES:
        for path in sorted((ROOT / "roles" / role / "tasks").glob("*.yml")):
            if path.stem in {"absent", "preflight", "export"}:
                continue
            for block in re.split(r"^\s*- name: ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
                name, _, body = block.partition("\n")
                if WRITES.search(body):
                    found.append(f"{role} : {name.strip()}")
    return found


@pytest.fixture(scope="module")
def undisturbed(account: Account) -> dict[str, int]:
    """What an account has after a run that nobody killed."""
    account.run("site.yml").must_succeed()
    return _counts(account)


def _converges(account: Account, undisturbed: dict[str, int]) -> None:
    account.run("site.yml").must_succeed()
    assert account.run("site.yml").must_succeed().changed == []
    assert _counts(account) == undisturbed


def test_killed_once_in_each_role(new_account: Callable[[str], Account], undisturbed: dict[str, int]) -> None:
    """One account; each run gets a role further before it is killed."""
    account = new_account("kill-role")
    for role in ROLES:
        assert account.kill_during("site.yml", rf"eksops\.karpenter\.{role} : ", 2.0), f"{role} was over too soon"
    _converges(account, undisturbed)
    account.run("playbooks/delete_cluster.yml").must_succeed()


@pytest.mark.long
@pytest.mark.parametrize("delay_seconds", [0.5, 6.0])
def test_killed_in_each_wait(
    new_account: Callable[[str], Account], undisturbed: dict[str, int], delay_seconds: float
) -> None:
    """One account; each run gets a write or wait further before it is killed. What ends too soon is passed."""
    account = new_account("kill-wait")
    names = waits()
    assert len(names) >= len(ROLES), names
    killed = [name for name in names if account.kill_during("site.yml", re.escape(name), delay_seconds)]
    assert killed
    _converges(account, undisturbed)
    account.run("playbooks/delete_cluster.yml").must_succeed()
