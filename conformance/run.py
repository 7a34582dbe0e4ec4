"""Runs specs, each as a process of its own, on one or several clusters, and keeps how each went."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from conformance import ginkgo, records, suites
from conformance.cluster import Cluster
from conformance.ginkgo import Outcome, Spec
from conformance.records import Record
from conformance.suites import Suite
from scripts import stage
from scripts.stage import ROOT, Stage

FOLDER = ROOT / ".cache" / "conformance"
#: What ginkgo may take beyond its own limit, to clean up and to write its report.
_GRACE_SECONDS = 300.0


def results(suite: str) -> Path:
    """The file of results of a suite."""
    return FOLDER / f"{suite}.jsonl"


def all_specs(suite: Suite, program: Path) -> list[Spec]:
    """The specs of a suite, in its order, by a dry run. Raises RuntimeError with the end of the log when that fails."""
    report = FOLDER / f"{suite.name}-specs.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    command = [str(program), "--ginkgo.dry-run", f"--ginkgo.json-report={report}"]
    done = stage.run(Stage(f"conformance {suite.name} specs", command, 120))
    if not done.ok:
        raise RuntimeError(f"the specs of {program} cannot be listed:\n{stage.tail(done.log)}")
    return ginkgo.specs(json.loads(report.read_text(encoding="utf-8")))


@dataclass
class Queue:
    """The specs to run, handed out one by one until all are, or the time is over; tells what came of each."""

    specs: Sequence[Spec]
    budget_seconds: float
    started: float = field(default_factory=time.monotonic)
    _handed_out: int = 0
    _ended: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> Spec | None:
        """The next spec; None when there is none, or no time for another one."""
        with self._lock:
            if self._handed_out == len(self.specs) or time.monotonic() - self.started >= self.budget_seconds:
                return None
            self._handed_out += 1
            return self.specs[self._handed_out - 1]

    def tell(self, spec: Spec, outcome: Outcome) -> None:
        """Say how a spec went, and how far the run is."""
        with self._lock:
            self._ended += 1
            elapsed = time.monotonic() - self.started
            stage.say(
                f"[{self._ended}/{len(self.specs)}] {outcome.state:7} {outcome.seconds:6.1f} s  {spec.text}  "
                f"({elapsed / 60:.1f} min so far)"
            )
            if outcome.failure:
                stage.say(f"    {outcome.failure}")


@dataclass(frozen=True)
class Runner:
    """A suite on its way."""

    suite: Suite
    program: Path
    queue: Queue
    limit_seconds: float

    @property
    def flags(self) -> list[str]:
        """The flags of every spec."""
        return suites.flags(self.limit_seconds)

    def work(self, cluster: Cluster) -> None:
        """Run what the queue gives, on one cluster. Raises NoClusterError when that cannot be made anew."""
        while spec := self.queue.take():
            outcome, log = self.settle(cluster, spec)
            ended = datetime.now(UTC).isoformat(timespec="seconds")
            where = str(log.relative_to(ROOT))
            record = Record(
                spec.text, outcome.state, round(outcome.seconds, 1), outcome.failure, ended, tuple(self.flags), where
            )
            records.append(results(self.suite.name), record)
            self.queue.tell(spec, outcome)
            # The clean-up did not end well, or the controller has restarted, which later specs would be told too.
            if outcome.stage == "AfterEach":
                cluster.renew()

    def settle(self, cluster: Cluster, spec: Spec) -> tuple[Outcome, Path]:
        """Run a spec on a clean cluster.

        A spec that finds what another one left does not begin, but cleans up afterwards as every spec does: it is run
        again, and once more on another cluster when that was not enough.
        """
        outcome, log = self.attempt(cluster, spec)
        for renew in (False, True):
            if outcome.stage != "BeforeEach":
                break
            stage.say(f"    the cluster was not clean: {outcome.failure}")
            if renew:
                cluster.renew()
            outcome, log = self.attempt(cluster, spec)
        return outcome, log

    def attempt(self, cluster: Cluster, spec: Spec) -> tuple[Outcome, Path]:
        """Run a spec once; how it went, and its log."""
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S-%f")
        base = FOLDER / self.suite.name / f"{stage.slug(spec.text)[:100]}-{moment}-{cluster.number}"
        report = base.with_suffix(".json")
        environment = {**cluster.environment, "OUTPUT_DIR": str(base)}
        base.mkdir(parents=True)
        done = stage.run(
            Stage(
                spec.text,
                suites.command(self.program, spec.focus, report, self.flags),
                self.limit_seconds + _GRACE_SECONDS,
                environment,
                base.with_suffix(".log"),
            )
        )
        try:
            found = ginkgo.outcome(json.loads(report.read_text(encoding="utf-8")), spec)
        except (OSError, json.JSONDecodeError):
            found = None
        return found or Outcome("failed", done.seconds, f"ended without a report after {done.seconds:.0f} s"), done.log
