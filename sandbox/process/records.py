"""The written record of a child process: who it is, where its log is, how it ended."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path

from sandbox.process import procfs
from sandbox.state import read_json, write_json

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")


@dataclass(frozen=True)
class Record:
    """One child as ``status`` and ``down`` see it, also when the daemon is gone.

    :param start_ticks: clock ticks after boot; with the pid it tells this process from a later one.
    :param started_at: seconds since the epoch.
    :param exit_code: negative for a signal; None while it runs.
    :param failure: why it counts as dead or as never started.
    """

    name: str
    pid: int
    start_ticks: int
    argv: tuple[str, ...]
    log: str
    started_at: float
    exit_code: int | None = None
    failure: str | None = None

    @property
    def running(self) -> bool:
        """Whether this very process is still there."""
        return self.exit_code is None and procfs.is_running(self.pid, self.start_ticks)


def check_name(name: str) -> str:
    """``name`` when it can be a file's name, parts separated by ``/``. Raises ValueError otherwise."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"component name {name!r} may hold letters, digits, '.', '_', '-' and '/' between parts")
    return name


def record_path(folder: Path, name: str) -> Path:
    """Where the record of ``name`` lies."""
    return folder / f"{check_name(name)}.json"


def write(folder: Path, record: Record) -> None:
    """Write or replace the record."""
    write_json(record_path(folder, record.name), dataclasses.asdict(record))


def remove(folder: Path, name: str) -> None:
    """Take the record away; none there is not an error."""
    record_path(folder, name).unlink(missing_ok=True)


def read_all(folder: Path) -> list[Record]:
    """Every record below ``folder``, by name."""
    found = []
    for path in sorted(folder.rglob("*.json")):
        value = read_json(path)
        if value is not None:
            found.append(Record(**{**value, "argv": tuple(value["argv"])}))
    return found


def log_tail(path: Path, lines: int = 20) -> str:
    """The last lines of a log, empty when there is none."""
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - 64 * 1024))
            text = file.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
