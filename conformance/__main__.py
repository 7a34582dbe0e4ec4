"""``python -m conformance``: build the suite, make a sandbox and clusters, run what has no result, write the table."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance import records, run, table
from conformance.cluster import Cluster, NoClusterError, own_sandbox
from conformance.ginkgo import Spec
from conformance.suites import SUITES, Suite
from sandbox.build import builder
from scripts import stage
from scripts.stage import ROOT, Stage, python

PAGE = ROOT / "docs" / "docsite" / "rst" / "conformance.rst"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = argparse.ArgumentParser(prog="python -m conformance", description=__doc__)
    found.add_argument("--part", choices=sorted(SUITES), default="regression", help="which suite (default: regression)")
    found.add_argument("--spec", default="", help="only specs whose text matches this regular expression")
    found.add_argument("--again", action="store_true", help="also what has passed already")
    found.add_argument("--minutes", type=float, default=24 * 60, help="begin no spec after that many minutes")
    found.add_argument("--limit", type=float, help="seconds that one spec may take (default: the suite's own)")
    found.add_argument("--clusters", type=int, default=2, help="how many clusters work side by side (default: 2)")
    found.add_argument("--keep", action="store_true", help="leave the sandbox up, to be looked at")
    found.add_argument("--list", action="store_true", help="only tell what there is and how it went")
    found.add_argument("--table", action="store_true", help=f"only write {PAGE.relative_to(ROOT)}")
    return found


def _programs(names: Sequence[str]) -> dict[str, Path]:
    built = builder.ensure_tools([SUITES[name].tool for name in names])
    return {name: built[SUITES[name].tool.name] for name in names}


def write_table() -> None:
    """Write the page from the results of both suites."""
    programs = _programs(list(SUITES))
    specs = {name: run.all_specs(SUITES[name], program) for name, program in programs.items()}
    parts = {name: (found, records.read(run.results(name))) for name, found in specs.items()}
    PAGE.write_text(table.page(parts), encoding="utf-8")
    stage.say(f"written: {PAGE.relative_to(ROOT)}")


def _tell(specs: Sequence[Spec], suite: Suite) -> bool:
    """Say how far the suite is; whether every spec has a result."""
    counts = records.count(specs, records.read(run.results(suite.name)))
    stage.say(f"{suite.name}: " + ", ".join(f"{number} {state}" for state, number in counts.items()))
    return not counts["not run"]


def _list(specs: Sequence[Spec], suite: Suite) -> None:
    known = records.read(run.results(suite.name))
    for spec in specs:
        record = known.get(spec.text)
        stage.say(f"{record.state:7} {record.seconds:6.1f} s  {spec.text}" if record else f"{'not run':17} {spec.text}")


def _judge(runner: run.Runner, options: argparse.Namespace) -> None:
    """Bring a sandbox and its clusters up, run, and take them down again unless they are to be kept."""
    state = own_sandbox(dict(os.environ))
    where = {"EKSOPS_SANDBOX_DIR": str(state.root)}
    clusters = [Cluster(state, number + 1) for number in range(min(options.clusters, len(runner.queue.specs)))]

    def work(cluster: Cluster) -> None:
        cluster.make()
        runner.work(cluster)

    try:
        if not stage.run_and_report(Stage("conformance sandbox up", python("-m", "sandbox", "up"), 3000, where)).ok:
            raise NoClusterError("the sandbox did not start")
        stage.side_by_side(work, clusters, len(clusters))
    finally:
        if options.keep:
            stage.say(f"the sandbox stays up: export EKSOPS_SANDBOX_DIR={state.root}")
        else:
            stage.run_and_report(Stage("conformance sandbox down", python("-m", "sandbox", "down"), 120, where))


def _main(options: argparse.Namespace) -> int:
    if options.table:
        write_table()
        return 0
    suite = SUITES[options.part]
    program = _programs([suite.name])[suite.name]
    specs = run.all_specs(suite, program)
    wanted = [spec for spec in specs if re.search(options.spec, spec.text)]
    if options.list:
        _list(wanted, suite)
        return 0
    todo = records.pending(wanted, records.read(run.results(suite.name)), again=options.again)
    stage.say(f"{suite.name}: {len(specs)} specs, {len(todo)} to run, results in {run.FOLDER.relative_to(ROOT)}")
    if todo:
        queue = run.Queue(todo, options.minutes * 60)
        _judge(run.Runner(suite, program, queue, options.limit or suite.limit_seconds), options)
    if _tell(specs, suite):
        write_table()
    known = records.read(run.results(suite.name))
    return 1 if records.pending(wanted, known, again=False) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when every spec that was asked for has passed."""
    stage.interruptible()
    try:
        return _main(parser().parse_args(arguments))
    except (RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        stage.say("interrupted; the same command goes on from here")
        return 130


if __name__ == "__main__":
    sys.exit(main())
