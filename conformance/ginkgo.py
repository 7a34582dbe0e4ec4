"""Reads ginkgo's reports: which specs there are, how one went.

https://onsi.github.io/ginkgo/#reporting-infrastructure
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

_LINE_LENGTH = 240
#: What ginkgo calls a spec that did not run, for one reason or another.
_NOT_RUN = ("skipped", "pending", "")


@dataclass(frozen=True)
class Spec:
    """One spec; its text is unique in its suite."""

    suite: str
    text: str

    @property
    def focus(self) -> str:
        """A regular expression of Go for this spec alone: ginkgo matches the suite's name and the spec's text."""
        return f"^{re.escape(f'{self.suite} {self.text}')}$"


@dataclass(frozen=True)
class Outcome:
    """How a spec went.

    :param state: passed, failed or skipped.
    :param failure: one line.
    :param stage: the kind of node that failed: ``It``, or what prepares (``BeforeEach``) or cleans up (``AfterEach``).
    """

    state: str
    seconds: float
    failure: str = ""
    stage: str = ""


def _text(report: dict[str, Any]) -> str:
    return " ".join([*(report["ContainerHierarchyTexts"] or ()), report["LeafNodeText"]])


def _reports(suites: Sequence[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (suite["SuiteDescription"], report)
        for suite in suites
        for report in suite["SpecReports"] or ()
        if report["LeafNodeType"] == "It"
    ]


def specs(report: Sequence[dict[str, Any]]) -> list[Spec]:
    """All specs of a dry run's report, in its order. Raises ValueError when two have the same text."""
    found = [Spec(suite, _text(one)) for suite, one in _reports(report)]
    if len({spec.text for spec in found}) < len(found):
        raise ValueError("two specs have the same text, so that results could not be told apart")
    return found


def one_line(text: str) -> str:
    """A text without line breaks and indentation, cut to what a table can hold."""
    squeezed = " ".join(text.split())
    return squeezed if len(squeezed) <= _LINE_LENGTH else squeezed[: _LINE_LENGTH - 3] + "..."


def outcome(report: Sequence[dict[str, Any]], spec: Spec) -> Outcome | None:
    """How ``spec`` went by the report of its run; None when the report does not have it, or says nothing of it."""
    for suite, one in _reports(report):
        if (suite, _text(one)) == (spec.suite, spec.text):
            return _outcome(one)
    return None


def _outcome(one: dict[str, Any]) -> Outcome:
    seconds, state = one["RunTime"] / 1e9, one["State"]
    failure = one.get("Failure") or {}
    said = one_line(failure.get("Message", ""))
    if state == "passed":
        return Outcome("passed", seconds)
    if state in _NOT_RUN:
        return Outcome("skipped", seconds, said or "not run")
    place = {"FileName": "", "LineNumber": 0} | (failure.get("Location") or {})
    where = f"{PurePath(place['FileName']).name}:{place['LineNumber']}: " if place["FileName"] else ""
    word = "" if state == "failed" else f"{state}: "
    return Outcome("failed", seconds, one_line(word + where + said), failure.get("FailureNodeType", ""))
