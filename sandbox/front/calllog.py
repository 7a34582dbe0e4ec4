"""Every AWS call: who, what, outcome. In memory within bounds, and as JSON lines on disk."""

from __future__ import annotations

import contextlib
import json
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Entry:
    """One call. ``time`` in seconds since the epoch; ``error`` is AWS's code, None for a success.

    ``done_unanswered``: a fault kept the answer back from a call that was a success.
    """

    time: float
    request_id: str
    account: str | None
    principal_arn: str | None
    is_aws_service: bool
    service: str
    action: str
    region: str | None
    mutating: bool
    status: int
    error: str | None
    unimplemented: bool
    duration_seconds: float
    done_unanswered: bool = False

    @property
    def wrote(self) -> bool:
        """Whether the call may have changed something: a write that was not refused."""
        return self.mutating and (self.error is None or self.done_unanswered)


class CallLog:
    """The newest calls; older ones stay in the file, of which one predecessor is kept."""

    def __init__(self, path: Path, *, keep: int = 50_000, max_bytes: int = 64 << 20) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._entries: deque[Entry] = deque(maxlen=keep)
        self._unimplemented: Counter[tuple[str, str]] = Counter()
        self._max_bytes = max_bytes
        for entry in earlier(path):
            self._remember(entry)
        self._file = path.open("a", encoding="utf-8")
        if not _ends_a_line(path):
            self._file.write("\n")
        self._lock = threading.Lock()

    def add(self, entry: Entry) -> None:
        """Record a call."""
        line = json.dumps(present(entry), separators=(",", ":"))
        with self._lock:
            self._remember(entry)
            if self._file.closed:
                return
            self._file.write(line + "\n")
            self._file.flush()
            if self._file.tell() > self._max_bytes:
                self._rotate()

    def _remember(self, entry: Entry) -> None:
        self._entries.append(entry)
        if entry.unimplemented:
            self._unimplemented[entry.service, entry.action] += 1

    def select(self, wanted: Callable[[Entry], bool]) -> list[Entry]:
        """The remembered calls for which ``wanted`` is true, oldest first."""
        with self._lock:
            entries = list(self._entries)
        return [entry for entry in entries if wanted(entry)]

    def unimplemented(self) -> list[dict[str, Any]]:
        """Operations that were asked for and that nothing here implements, with how often."""
        with self._lock:
            items = sorted(self._unimplemented.items())
        return [{"service": service, "action": action, "calls": calls} for (service, action), calls in items]

    def close(self) -> None:
        """Close the file; later calls are remembered only."""
        with self._lock:
            self._file.close()

    def _rotate(self) -> None:
        self._file.close()
        self.path.replace(_predecessor(self.path))
        self._file = self.path.open("a", encoding="utf-8")


def _predecessor(path: Path) -> Path:
    return path.with_suffix(".1.jsonl")


def earlier(path: Path) -> Iterator[Entry]:
    """The calls of earlier runs that the files hold; a line that a kill broke off is left out."""
    names = {field.name for field in fields(Entry)}
    for file in (_predecessor(path), path):
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        for line in lines:
            with contextlib.suppress(ValueError, TypeError, AttributeError):
                yield Entry(**{name: value for name, value in json.loads(line).items() if name in names})


def _ends_a_line(path: Path) -> bool:
    return not path.stat().st_size or path.read_bytes()[-1:] == b"\n"


def present(entry: Entry) -> dict[str, Any]:
    """The entry as the log file and the HTTP interface show it."""
    return asdict(entry) | {"wrote": entry.wrote, "outcome": entry.error or "success"}
