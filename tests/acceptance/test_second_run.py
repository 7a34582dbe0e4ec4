"""Check mode writes nothing and says what will happen; the run does it; the second run changes nothing."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.acceptance.job import Account, Run

pytestmark = pytest.mark.acceptance

# The one write of check mode: a change set on a stack that exists, and its deletion.
CHANGE_SETS = {"cloudformation:CreateChangeSet", "cloudformation:DeleteChangeSet"}


@dataclass
class Story:
    """The runs of this module, in order, with the writes that each made."""

    runs: dict[str, Run] = field(default_factory=dict)
    writes: dict[str, list[str]] = field(default_factory=dict)
    listings: dict[str, Any] = field(default_factory=dict)


@pytest.fixture(scope="module")
def story(account: Account) -> Story:
    """Predict, run, run again, predict again."""
    told = Story()
    for step, arguments in [("predicted", ["--check"]), ("made", []), ("again", []), ("nothing", ["--check"])]:
        since = time.time()
        told.runs[step] = account.run("site.yml", *arguments)
        told.writes[step] = account.writes(since)
        told.listings[step] = account.listing()
        told.runs[step].must_succeed()
    return told


def test_check_mode_on_an_empty_account_writes_nothing(story: Story) -> None:
    assert story.writes["predicted"] == []
    assert not any(kinds for kinds in story.listings["predicted"].values())


def test_prediction_is_what_the_run_did(story: Story) -> None:
    assert story.runs["predicted"].changed, "check mode on an empty account predicted nothing"
    assert story.runs["predicted"].changed == story.runs["made"].changed


def test_second_run_changes_nothing(story: Story) -> None:
    assert story.runs["again"].changed == []
    assert "changed=0" in story.runs["again"].output
    assert story.listings["again"] == story.listings["made"]


def test_check_mode_on_the_converged_account_writes_nothing(story: Story) -> None:
    assert story.runs["nothing"].changed == []
    assert set(story.writes["nothing"]) <= CHANGE_SETS
    assert story.listings["nothing"] == story.listings["made"]


def test_recap_says_what_there_is(story: Story) -> None:
    for word in ("1.36", "1.14.0", "default", "demo"):
        assert word in story.runs["made"].output.rsplit("PLAY RECAP", 1)[0]
