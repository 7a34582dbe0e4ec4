"""Runs the molecule scenarios side by side, each in an account of its own of the one running sandbox."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence

from scripts import stage

# Long ones first, so that they do not begin last.
FIRST = ("site", "karpenter_scale_test", "karpenter_nodepool", "karpenter_install", "eks_cluster")
LIMIT_SECONDS = 1200.0


def scenarios() -> list[str]:
    """All scenarios, long ones first."""
    names = sorted(path.parent.name for path in stage.ROOT.glob("molecule/*/molecule.yml"))
    return sorted(names, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))


def scenario_stage(name: str) -> stage.Stage:
    """The stage that runs one scenario."""
    command = stage.python("-m", "molecule", "test", "--scenario-name", name)
    environment = {"MOLECULE_GLOB": "molecule/*/molecule.yml", "PY_COLORS": "0", "ANSIBLE_FORCE_COLOR": "0"}
    return stage.Stage(f"scenario {name}", command, LIMIT_SECONDS, environment)


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when all scenarios passed."""
    parser = argparse.ArgumentParser(prog="python -m scripts.run_scenarios", description=__doc__)
    parser.add_argument("scenario", nargs="*", help="names (default: all)")
    parser.add_argument("--workers", type=int, default=max(2, (os.cpu_count() or 2)), help="how many at a time")
    options = parser.parse_args(arguments)
    known = scenarios()
    unknown = [name for name in options.scenario if name not in known]
    if unknown:
        parser.error(f"no scenario {', '.join(unknown)}; there are: {', '.join(sorted(known))}")
    stage.interruptible()
    started = time.monotonic()
    try:
        outcomes = stage.together([scenario_stage(name) for name in options.scenario or known], options.workers)
    except KeyboardInterrupt:
        stage.say("interrupted; what was started is stopped")
        return 130
    failed = [outcome.stage.name for outcome in outcomes if not outcome.ok]
    stage.say(f"{len(outcomes) - len(failed)} passed, {len(failed)} failed")
    stage.say(f"scenarios: {time.monotonic() - started:.0f} s{'; failed: ' + ', '.join(failed) if failed else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
