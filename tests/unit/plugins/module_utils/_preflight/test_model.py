"""The report holds every finding, errors first."""

from __future__ import annotations

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._preflight.model import (
    Finding,
    Outcome,
    report,
    total,
)

WARNING = Finding("cluster", "warning", "It is busy")
ERROR = Finding.of("names", EksopsError("Too long", allowed="46", next_step="shorten it"), "eksops_cluster_name")


def test_report() -> None:
    assert report("Preflight of cluster demo", [WARNING, ERROR], ["the rest"]).splitlines() == [
        "Preflight of cluster demo: 1 error, 1 warning.",
        "1. ERROR (names): Too long",
        "   where: eksops_cluster_name",
        "   allowed: 46",
        "   next: shorten it",
        "2. WARNING (cluster): It is busy",
        "Not checked: the rest",
    ]
    assert report("Preflight of cluster demo", [], []) == "Preflight of cluster demo: no errors, no warnings."


def test_an_error_that_knows_its_place_keeps_it() -> None:
    assert Finding.of("x", EksopsError("a", where="here"), "there").where == "here"


def test_outcomes_add_up() -> None:
    both = total([Outcome({"a": 1}, (ERROR,)), Outcome({"b": 2}, (WARNING,), ("c",))])
    assert both == Outcome({"a": 1, "b": 2}, (ERROR, WARNING), ("c",))
