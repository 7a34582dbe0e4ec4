"""The log of one instance: what its bootstrap and kubelet would have written to the journal."""

from __future__ import annotations

import time
from pathlib import Path


class NodeLog:
    """Appends lines; a line that repeats the one before it is written at most once a minute."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last: tuple[str, float] = ("", 0.0)

    def write(self, unit: str, text: str) -> None:
        """One line of a unit (``nodeadm``, ``kubelet``)."""
        line = f"{unit}: {text}"
        now = time.time()
        if line == self._last[0] and now - self._last[1] < 60:
            return
        self._last = (line, now)
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{stamp} {line}\n")
