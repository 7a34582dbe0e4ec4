"""Specs are run one by one, on a clean cluster, and each one's result is kept as soon as it is there."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance import records, run
from conformance.cluster import Cluster
from conformance.ginkgo import Spec
from conformance.suites import Suite
from sandbox.state import State

from .reports import entry, failure, report

#: A suite that does what a file says: the next line is the report of the next run, an empty one means none.
PROGRAM = """\
#!{python}
import os, pathlib, sys
script = pathlib.Path({script!r})
lines = script.read_text().splitlines(keepends=True)
script.write_text("".join(lines[1:]))
target = next(word for word in sys.argv if "json-report" in word).split("=", 1)[1]
print(os.environ["KUBECONFIG"], *sys.argv[1:])
if lines[0].strip():
    pathlib.Path(target).write_text(lines[0])
"""
SPECS = [Spec("Small", f"Things {text}") for text in ("a", "b")]


class Fake(Cluster):
    """A cluster that counts how often it was made."""

    def make(self) -> None:
        self.environment = {"KUBECONFIG": f"cluster-{self.made}"}


class World:
    """A suite that plays back reports, its results, and what a run of it says."""

    def __init__(self, folder: Path) -> None:
        self.script = folder / "script"
        self.program = folder / "program"
        self.program.write_text(PROGRAM.format(python=sys.executable, script=str(self.script)))
        self.program.chmod(0o755)
        self.cluster = Fake(State(folder / "state"), 1)
        self.cluster.make()

    def run(self, *reports: list[dict[str, Any]] | None, budget_seconds: float = 60) -> list[tuple[str, str, str]]:
        """Play the reports back; the spec, state and failure of each record."""
        self.script.write_text("".join(f"{json.dumps(one) if one else ''}\n" for one in reports))
        runner = run.Runner(Suite("small", 9), self.program, run.Queue(SPECS, budget_seconds), 9)
        runner.work(self.cluster)
        found = records.read(run.results("small"))
        return [(one.spec, one.state, one.failure) for one in found.values()]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "FOLDER", tmp_path / "results")
    return World(tmp_path)


A, B = report(entry("a")), report(entry("b"))


def test_results_and_logs_are_kept(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = report(entry("b", "failed", **failure("no")))
    assert world.run(A, wrong) == [("Things a", "passed", ""), ("Things b", "failed", "expectations.go:42: no")]
    [log, _] = [record.log for record in records.read(run.results("small")).values()]
    said = (tmp_path / log).read_text()
    assert said.startswith("cluster-0 --default-nodeclass=conformance/nodeclass.yml --default-nodepool=")
    assert "--ginkgo.timeout=9s" in said
    assert "--ginkgo.focus=^Small\\ Things\\ a$" in said
    assert "[1/2] passed    33.4 s  Things a" in capsys.readouterr().out


def test_a_run_that_ends_without_a_report_has_failed(world: World) -> None:
    [(_, state, failed), _] = world.run(None, B)
    assert state == "failed"
    assert failed.startswith("ended without a report after ")


def test_nothing_is_begun_after_the_time(world: World) -> None:
    assert world.run(A, B, budget_seconds=0) == []


def test_a_spec_that_finds_the_cluster_unclean_is_run_again(world: World) -> None:
    unclean = report(entry("a", "failed", **failure("expected no NodePool to exist", "BeforeEach")))
    assert world.run(unclean, A, B) == [("Things a", "passed", ""), ("Things b", "passed", "")]
    assert world.cluster.made == 0


def test_it_gets_another_cluster_when_that_does_not_help(world: World) -> None:
    unclean = report(entry("a", "failed", **failure("expected no NodePool to exist", "BeforeEach")))
    assert world.run(unclean, unclean, A, B)[0] == ("Things a", "passed", "")
    assert world.cluster.made == 1


def test_after_a_clean_up_that_failed_there_is_another_cluster(world: World) -> None:
    crash = report(entry("a", "failed", **failure("expected karpenter containers to not crash", "AfterEach")))
    assert [state for _, state, _ in world.run(crash, B)] == ["failed", "passed"]
    assert world.cluster.made == 1
    assert world.cluster.account == "conformance-1-1"


def test_specs_are_listed_by_a_dry_run(world: World) -> None:
    world.script.write_text(json.dumps(report(entry("a"), entry("b"))) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECONFIG", "none")
        assert run.all_specs(Suite("small", 9), world.program) == SPECS
