"""What is known of each spec: a file of JSON lines.

The last line of a spec counts, so that a run can end at any moment.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from conformance.ginkgo import Spec


@dataclass(frozen=True)
class Record:
    """How one run of a spec went.

    :param ended: date and time.
    :param flags: those that the suite ran with.
    :param log: a path from the root of the repository.
    """

    spec: str
    state: str
    seconds: float
    failure: str
    ended: str
    flags: tuple[str, ...]
    log: str


def read(path: Path) -> dict[str, Record]:
    """The newest record of each spec. A line that was cut short by the end of its writer is as if it were not there."""
    found: dict[str, Record] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            values = json.loads(line)
            record = Record(**{**values, "flags": tuple(values["flags"])})
        except (json.JSONDecodeError, KeyError, TypeError):
            continue
        found[record.spec] = record
    return found


def append(path: Path, record: Record) -> None:
    """Add a record, as a line of its own also after one that was cut short."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps(asdict(record)) + "\n"
    with path.open("a+b") as file:
        if file.tell():
            file.seek(-1, 2)
            line = line if file.read(1) == b"\n" else "\n" + line
        file.write(line.encode())


def pending(specs: Sequence[Spec], records: Mapping[str, Record], *, again: bool) -> list[Spec]:
    """What is to be run: specs without a result or that did not pass, those without a result first; ``again``: all."""
    unknown = [spec for spec in specs if again or spec.text not in records]
    failed = [spec for spec in specs if not again and spec.text in records and records[spec.text].state != "passed"]
    return unknown + failed


def count(specs: Iterable[Spec], records: Mapping[str, Record]) -> dict[str, int]:
    """How many passed, failed, were skipped, and have no result."""
    states = [records[spec.text].state if spec.text in records else "not run" for spec in specs]
    return {state: states.count(state) for state in ("passed", "failed", "skipped", "not run")}
