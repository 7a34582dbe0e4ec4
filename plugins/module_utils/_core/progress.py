# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""How a long module tells what it is doing: JSON lines in a private file. Pure. Private to the collection.

A module cannot print while it runs. It appends one line per event to the file named by its option ``progress_path``;
the action plugin of the same name (``plugins/plugin_utils/_progress.py``) makes that file and tails it to the display.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .errors import EksopsError

OPTION = "progress_path"
"""The module option that names the file."""

ARGUMENT_SPEC: dict[str, Any] = {OPTION: {"type": "path"}}
"""The option, to be merged into the argument spec of a module that reports."""


@dataclass(frozen=True)
class Event:
    """One line: ``done`` of ``total`` things of ``phase`` are finished after ``elapsed_seconds``.

    ``done`` and ``total`` are None where there is nothing to count.
    """

    phase: str
    message: str
    elapsed_seconds: float
    done: int | None = None
    total: int | None = None

    def encode(self) -> bytes:
        """The event as one line of JSON, newline included."""
        return json.dumps(self.__dict__, sort_keys=True, default=str).encode() + b"\n"

    @classmethod
    def decode(cls, line: bytes) -> Event | None:
        """The event of a line, or None when the line is not one."""
        try:
            data = json.loads(line)
            return cls(
                phase=str(data["phase"]),
                message=str(data["message"]),
                elapsed_seconds=float(data["elapsed_seconds"]),
                done=None if data.get("done") is None else int(data["done"]),
                total=None if data.get("total") is None else int(data["total"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            return None

    def render(self) -> str:
        """The event as a person reads it: ``[phase] done/total, 12 s: message``."""
        count = f" {self.done}/{self.total}," if self.done is not None and self.total is not None else ""
        return f"[{self.phase}]{count} {round(self.elapsed_seconds)} s: {self.message}"


class Progress:
    """Appends events to the file at ``path``; without a path it does nothing.

    :param path: a file that only the owner may read; it is made when missing.
    :param clock: seconds, monotonic.
    Raises EksopsError when the path is no private regular file of the caller. Later trouble with the file
    (a full disk, for example) never ends the run that reports.
    """

    def __init__(self, path: str | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = clock()
        self._descriptor = None if path is None else _open_private(path)

    def report(self, phase: str, message: str, *, done: int | None = None, total: int | None = None) -> None:
        """Append one event."""
        if self._descriptor is None:
            return
        event = Event(phase, message, round(self._clock() - self._start, 1), done, total)
        try:
            os.write(self._descriptor, event.encode())
        except OSError:
            self.close()

    def close(self) -> None:
        """Close the file; later events are dropped."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _open_private(path: str) -> int:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o600)
    except OSError as error:
        raise EksopsError(
            f"The progress file {path} cannot be opened: {error.strerror}",
            where=OPTION,
            allowed="a file in a folder that the caller may write to",
        ) from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        os.close(descriptor)
        raise EksopsError(
            f"The progress file {path} is not private",
            where=OPTION,
            allowed="a regular file of the caller's own with mode 0600",
            next_step="remove it, or leave the option out",
        )
    return descriptor
