"""CPU and memory of processes by name, from /proc."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.process import procfs

_POD = re.compile(
    r"pods/(?P<cluster>[^/]+)/[^/]*_(?P<pod>[^_/]+?)(-[0-9a-f]{6,10}-\w{5})?_[^/]*/(?P<container>[^/]+)/\d+"
)


@dataclass(frozen=True)
class Usage:
    """What a component used in one lap: CPU-seconds, and the most memory at any look."""

    cpu_seconds: float
    memory_bytes: int


def title(name: str) -> str:
    """A component as people call it: without cluster and pod, of which there may be several."""
    if match := _POD.fullmatch(name):
        return f"{match['pod']} {match['container']}"
    return name.rpartition("/")[2]


class Meter:
    """Looks at processes from time to time."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        self._pids = dict(pids)
        self._start = {name: procfs.cpu_seconds(pid) for name, pid in self._pids.items()}
        self._most: dict[str, int] = defaultdict(int)

    def look(self) -> None:
        """Remember the memory if it is the most so far."""
        for name, pid in self._pids.items():
            self._most[name] = max(self._most[name], procfs.resident_bytes(pid))

    def lap(self) -> dict[str, Usage]:
        """What was used since the start or the lap before, replicas of one component together."""
        self.look()
        now = {name: procfs.cpu_seconds(pid) for name, pid in self._pids.items()}
        found: dict[str, Usage] = {}
        for name in self._pids:
            before = found.get(title(name), Usage(0.0, 0))
            used = max(0.0, now[name] - self._start[name])
            found[title(name)] = Usage(before.cpu_seconds + used, before.memory_bytes + self._most[name])
        self._start, self._most = now, defaultdict(int)
        return found


def table(up: Mapping[str, Usage], down: Mapping[str, Usage]) -> str:
    """A grid for the documentation, the most CPU first."""
    rows = [("Component", "CPU-seconds, up", "CPU-seconds, down", "Memory, MiB at most")]
    order = sorted(up, key=lambda name: -(up[name].cpu_seconds + down[name].cpu_seconds))
    for name in order:
        most = max(up[name].memory_bytes, down[name].memory_bytes)
        rows.append((name, f"{up[name].cpu_seconds:.0f}", f"{down[name].cpu_seconds:.0f}", f"{most / 2**20:.0f}"))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    rule = "  ".join("=" * width for width in widths)
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])
