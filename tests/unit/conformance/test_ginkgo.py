"""Specs and outcomes are read from ginkgo's reports; whatever is not a pass is told in one line."""

from __future__ import annotations

import re

import pytest

from conformance import ginkgo
from conformance.ginkgo import Outcome, Spec

from .reports import entry, failure, report

SPEC = Spec("Small", "Things should work")


def test_specs_are_listed_without_what_surrounds_them() -> None:
    found = ginkgo.specs(report(entry("should work"), entry("should fail")))
    assert found == [SPEC, Spec("Small", "Things should fail")]


def test_specs_that_could_not_be_told_apart_are_an_error() -> None:
    with pytest.raises(ValueError, match="same text"):
        ginkgo.specs(report(entry("should work"), entry("should work")))


@pytest.mark.parametrize("text", ["Things should work", "a label ([*].x/y-z)", 'it\'s "quoted" + $5^2 \\ {a|b}?'])
def test_the_focus_matches_the_spec_alone(text: str) -> None:
    focus = Spec("Small", text).focus
    assert re.search(focus, f"Small {text}")
    assert not re.search(focus, f"Small {text} and more")
    assert not re.search(focus, f"Small other {text}")
    # Go takes a backslash only before what is no letter, digit or underscore.
    assert not re.search(r"\\\w", focus)


@pytest.mark.parametrize(
    ("one", "wanted"),
    [
        (entry("should work"), Outcome("passed", 33.4)),
        (
            entry("should work", "failed", **failure("Expected\n    <int>: 1\nto equal\n    <int>: 2")),
            Outcome("failed", 33.4, "expectations.go:42: Expected <int>: 1 to equal <int>: 2", "It"),
        ),
        (
            entry("should work", "timedout", **failure("A suite timeout occurred", "AfterEach")),
            Outcome("failed", 33.4, "timedout: expectations.go:42: A suite timeout occurred", "AfterEach"),
        ),
        (entry("should work", "panicked"), Outcome("failed", 33.4, "panicked: ")),
        (entry("should work", "interrupted"), Outcome("failed", 33.4, "interrupted: ")),
        (entry("should work", "skipped", **failure("only for 1.99")), Outcome("skipped", 33.4, "only for 1.99")),
        (entry("should work", "pending"), Outcome("skipped", 33.4, "not run")),
        (entry("should work", ""), Outcome("skipped", 33.4, "not run")),
    ],
)
def test_outcomes(one: dict[str, object], wanted: Outcome) -> None:
    found = ginkgo.outcome(report(entry("should fail", "failed"), one), SPEC)
    assert found is not None
    assert (found.state, found.seconds, found.failure.strip(), found.stage) == (
        wanted.state,
        wanted.seconds,
        wanted.failure.strip(),
        wanted.stage,
    )


def test_a_report_without_the_spec_has_no_outcome() -> None:
    assert ginkgo.outcome(report(entry("should fail")), SPEC) is None


def test_long_failures_are_cut() -> None:
    assert len(ginkgo.one_line("word " * 1000)) == 240
    assert ginkgo.one_line("word " * 1000).endswith("...")
