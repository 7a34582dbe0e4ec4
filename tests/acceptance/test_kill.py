"""SIGKILL in every write and wait of site.yml, then a re-run: it converges, and nothing is there twice."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.acceptance import kills, workload
from tests.acceptance.job import Account

pytestmark = [pytest.mark.acceptance, pytest.mark.long]


def _counts(account: Account) -> dict[str, int]:
    """How many of each kind there are; ids differ between accounts, numbers must not."""
    return {
        f"{region} {kind}": len(names) for region, kinds in account.lasting().items() for kind, names in kinds.items()
    }


@pytest.fixture(scope="module")
def undisturbed(account: Account) -> tuple[dict[str, int], list[str]]:
    """What an account has after a run that nobody killed, and the run's writes and waits."""
    run = account.run("site.yml").must_succeed()
    return _counts(account), kills.of_run(run.output)


@pytest.mark.parametrize("delay_seconds", [0.5, 6.0])
def test_killed_in_each_wait(
    new_account: Callable[[str], Account], undisturbed: tuple[dict[str, int], list[str]], delay_seconds: float
) -> None:
    """One account; each run gets a write or wait further before it is killed. What ends too soon is passed."""
    counts, waits = undisturbed
    assert {wait.split(" : ")[0] for wait in waits} == set(kills.ROLES) - {"eks_preflight"}
    account = new_account("kill-wait")
    killed = [wait for wait in waits if account.kill_during("site.yml", re.escape(wait), delay_seconds)]
    assert killed
    account.run("site.yml").must_succeed()
    assert account.run("site.yml").must_succeed().changed == []
    workload.wait_for_no_nodes(account)
    assert _counts(account) == counts
    account.run("playbooks/delete_cluster.yml").must_succeed()
