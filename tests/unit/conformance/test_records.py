"""Results outlive the run, whenever it ends, and say what is left to do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance import records
from conformance.ginkgo import Spec
from conformance.records import Record

RECORD = Record("a", "passed", 33.4, "", "2026-01-02T03:04:05+00:00", ("--ginkgo.timeout=9s",), "logs/a.log")
SPECS = [Spec("Small", text) for text in "abcd"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "not-yet" / "results.jsonl"


def test_the_newest_record_of_a_spec_counts(path: Path) -> None:
    assert records.read(path) == {}
    for record in (RECORD, replace(RECORD, spec="b", state="failed"), replace(RECORD, state="failed")):
        records.append(path, record)
    found = records.read(path)
    assert found == {"a": replace(RECORD, state="failed"), "b": replace(RECORD, spec="b", state="failed")}


@pytest.mark.parametrize("cut", ['{"spec": "b", "sta', '{"spec": "b"}', '{"spec": "b"}\n', "[]\n", "\n"])
def test_a_line_that_was_cut_short_spoils_no_other(path: Path, cut: str) -> None:
    records.append(path, RECORD)
    with path.open("a", encoding="utf-8") as file:
        file.write(cut)
    records.append(path, replace(RECORD, spec="c"))
    assert records.read(path) == {"a": RECORD, "c": replace(RECORD, spec="c")}


def test_what_has_no_result_is_run_first_then_what_did_not_pass() -> None:
    states = {"a": "failed", "b": "passed", "c": "skipped"}
    known = {text: replace(RECORD, spec=text, state=state) for text, state in states.items()}
    assert [spec.text for spec in records.pending(SPECS, known, again=False)] == ["d", "a", "c"]
    assert records.pending(SPECS, known, again=True) == SPECS
    assert records.pending(SPECS[1:2], known, again=False) == []


def test_each_spec_is_counted_once() -> None:
    known = {"a": RECORD, "b": replace(RECORD, state="skipped"), "gone": RECORD}
    assert records.count(SPECS, known) == {"passed": 1, "failed": 0, "skipped": 1, "not run": 2}
