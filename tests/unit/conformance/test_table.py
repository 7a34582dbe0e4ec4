"""The page says of each spec how it went, and is reStructuredText whatever a failure says."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

from docutils.core import publish_string

from conformance import table
from conformance.ginkgo import Spec

from .test_records import RECORD, SPECS

NASTY = "expectations.go:42: Expected <*v1.Node | 0x1>: `x`_ to *equal* |this|_ `a <b>`__ [1]_ :ref:`x` name_"


def _rows(page: str) -> list[list[str]]:
    """The cells of all rows of all tables, as docutils reads them; a complaint of docutils is an error."""
    settings = {"halt_level": 2, "report_level": 2, "output_encoding": "unicode"}
    # code-block is Sphinx's name of what docutils calls code.
    tree = ET.fromstring(publish_string(page, writer="xml", settings_overrides=settings))
    return [["".join(cell.itertext()) for cell in row.iter("entry")] for row in tree.iter("row")]


def test_every_spec_has_a_row() -> None:
    specs = [*SPECS, Spec("Small", "label ([*].x/y_)")]
    known = {
        "a": RECORD,
        "b": replace(RECORD, spec="b", state="failed", failure=NASTY),
        "c": replace(RECORD, spec="c", state="skipped", failure="not run", ended="2026-01-03T00:00:00+00:00"),
    }
    page = table.page({"small": (specs, known)})
    assert _rows(page) == [
        ["Spec", "Result", "Seconds", "Failure"],
        ["a", "passed", "33", ""],
        ["b", "failed", "33", NASTY],
        ["c", "skipped", "33", "not run"],
        ["d", "not run", "", ""],
        ["label ([*].x/y_)", "not run", "", ""],
    ]
    assert "5 specs: 1 passed, 1 failed, 1 skipped, 2 not run. A skipped spec counts as not passed." in page
    assert "measured 2026-01-02 to 2026-01-03" in page
    assert "Flags: ``--ginkgo.timeout=9s``." in page
    assert "StaticCapacity, NodeOverlay, CapacityBuffer, NodeRepair, SpotToSpotConsolidation" in page


def test_a_suite_that_never_ran_has_its_section() -> None:
    page = table.page({"small": (SPECS, {})})
    assert "4 specs: 4 not run." in page
    assert "Flags:" not in page
