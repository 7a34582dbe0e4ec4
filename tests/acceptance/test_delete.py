"""delete_cluster.yml leaves the account as it was, whatever state the cluster is in; a second run changes nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.acceptance import workload
from tests.acceptance.job import Account

pytestmark = pytest.mark.acceptance

DELETE = "playbooks/delete_cluster.yml"


def _healthy(account: Account) -> None:
    """Nothing is wrong."""


@pytest.mark.long
@pytest.mark.parametrize("trouble", [_healthy, workload.allow_no_disruption, workload.take_the_controller_away])
def test_leaves_the_account_as_it_was(
    new_account: Callable[[str], Account], trouble: Callable[[Account], None]
) -> None:
    account = new_account("delete")
    before = account.listing()
    account.run("site.yml", "-e", "eksops_scale_test=false").must_succeed()
    workload.run_pods(account)
    assert account.listing() != before
    trouble(account)
    account.run(DELETE).must_succeed()
    assert account.listing() == before
    assert account.run(DELETE).must_succeed().changed == []


def test_wants_the_name_typed_back(new_account: Callable[[str], Account]) -> None:
    account = new_account("confirm")
    refused = account.run(DELETE, "-e", "eksops_delete_allowed=false")
    assert refused.code != 0
    assert "eksops_delete_confirmation" in refused.output
    wrong = account.run(DELETE, "-e", "eksops_delete_allowed=false", "-e", "eksops_delete_confirmation=another")
    assert wrong.code != 0
    assert "eksops_delete_confirmation" in wrong.output
