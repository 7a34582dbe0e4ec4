"""``make test``, ``test-fast``, ``test-long`` and ``lint``: stages with time limits, told as they end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

from scripts import run_scenarios, stage
from scripts.stage import Outcome, Stage, python, together

#: Files of tests/acceptance, the longest first, and those of which all is for ``make test-long``.
ACCEPTANCE = ("story", "bad_input", "delete")
ACCEPTANCE_LONG = ("kill",)


def quick_lint_stages() -> list[Stage]:
    """Linters that take seconds; the longest first."""
    return [
        Stage("mypy", ["mypy", "plugins", "sandbox", "scripts", "bench", "conformance"], 300),
        Stage("cfn-lint", python("-m", "scripts.lint_templates"), 120),
        Stage("yamllint", ["yamllint", "--strict", "."], 120),
        Stage("ruff check", ["ruff", "check", "."], 60),
        Stage("ruff format", ["ruff", "format", "--check", "."], 60),
        Stage("changelog", ["antsibull-changelog", "lint"], 60),
    ]


def lint_stages() -> list[Stage]:
    """Everything that looks at the files and runs nothing of them; the longest first."""
    return [
        # A syntax check by ansible-playbook for each playbook and scenario makes it slow.
        Stage("ansible-lint", ["ansible-lint", "--offline"], 900),
        Stage("sanity", python("-m", "scripts.sanity"), 900),
        Stage("documentation", python("-m", "scripts.build_docs"), 300),
        *quick_lint_stages(),
    ]


def unit_stages() -> list[Stage]:
    """Tests that need no sandbox: pure code, modules against the emulators, the shape of the repository."""
    return [Stage("unit tests", python("-m", "pytest", "-n", "2", "tests/unit"), 600)]


def collection_stages() -> list[Stage]:
    """Build the collection, install it into an empty path, run from there."""
    return [Stage("build and install", python("-m", "scripts.check_collection"), 180)]


def acceptance_stages(*, long: bool) -> list[Stage]:
    """The main job as a whole: a stage for each file of tests, so that they run side by side."""
    marker = ["-m", "acceptance"] if long else ["-m", "acceptance and not long"]
    limit = 5400 if long else 1200
    return [
        Stage(f"acceptance {name}", python("-m", "pytest", *marker, f"tests/acceptance/test_{name}.py"), limit)
        for name in (*ACCEPTANCE, *(ACCEPTANCE_LONG if long else ()))
    ]


def _up() -> Outcome:
    """Build what is missing, in the open because it takes its time once, then start a new, empty sandbox."""
    stage.say("sandbox: build what is missing (once, up to 20 minutes), then start")
    stage.run_and_report(Stage("stop an older sandbox", python("-m", "sandbox", "down"), 120))
    return stage.run_and_report(Stage("sandbox up", python("-m", "sandbox", "up", "--fresh"), 3000))


def with_sandbox(*, long: bool) -> list[Outcome]:
    """Acceptance tests and scenarios, side by side in accounts of their own of one sandbox, which is then stopped."""
    outcomes = [_up()]
    if not outcomes[0].ok:
        return outcomes
    scenarios = [run_scenarios.scenario_stage(name) for name in run_scenarios.scenarios()]
    which = [] if long else ["-m", "not long"]
    itself = Stage("sandbox itself", python("-m", "pytest", *which, "tests/sandbox"), 3600 if long else 1800)
    try:
        # They wait for nodes and controllers half of their time: one more than there are cores.
        outcomes += together([*acceptance_stages(long=long), *scenarios, itself], workers=(os.cpu_count() or 2) + 1)
    finally:
        outcomes.append(stage.run_and_report(Stage("sandbox down", python("-m", "sandbox", "down", "--forget"), 120)))
    return outcomes


def run(what: str) -> list[Outcome]:
    """The stages of one target."""
    if what == "lint":
        return together(lint_stages())
    if what == "fast":
        return together([*unit_stages(), *quick_lint_stages()])
    outcomes = together([*unit_stages(), *lint_stages(), *collection_stages()])
    return outcomes + with_sandbox(long=what == "long")


def main(arguments: Sequence[str]) -> int:
    """0 when every stage passed."""
    if len(arguments) != 1 or arguments[0] not in {"lint", "fast", "full", "long"}:
        print("usage: python -m scripts.run_tests lint|fast|full|long", file=sys.stderr)
        return 2
    stage.interruptible()
    started = time.monotonic()
    try:
        outcomes = run(arguments[0])
    except KeyboardInterrupt:
        stage.say("interrupted; what was started is stopped")
        return 130
    failed = [outcome.stage.name for outcome in outcomes if not outcome.ok]
    stage.say(
        f"{time.monotonic() - started:.0f} s; {'failed: ' + ', '.join(failed) if failed else 'all stages passed'}"
    )
    stage.say(f"{sum(o.passed for o in outcomes)} passed, {sum(o.failed for o in outcomes)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
