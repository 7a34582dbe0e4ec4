"""Container logs as the kubelet serves them, from the files that processes write.

Lines get their time from the entry itself: the programs that run as processes log JSON with a ``time``. A line
without one (a panic's trace) has the time of the line before it.
https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ (log)
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

_TIME = re.compile(rb'"(?:time|ts|timestamp)":\s*"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))"')
_POLL_SECONDS = 0.25
_BLOCK = 256 * 1024


@dataclass(frozen=True)
class LogOptions:
    """PodLogOptions; ``since`` as seconds since the epoch, ``limit_bytes`` and ``tail_lines`` None for all."""

    follow: bool = False
    tail_lines: int | None = None
    previous: bool = False
    timestamps: bool = False
    since: float | None = None
    limit_bytes: int | None = None

    @classmethod
    def of(cls, query: Mapping[str, str], now: float) -> LogOptions:
        """From the query of a request. Raises ValueError for what is no number or no time."""
        since = float(query["sinceSeconds"]) if query.get("sinceSeconds") else None
        if query.get("sinceTime"):
            start: float | None = datetime.fromisoformat(query["sinceTime"]).timestamp()
        else:
            start = now - since if since is not None else None
        return cls(
            follow=query.get("follow") == "true",
            tail_lines=int(query["tailLines"]) if query.get("tailLines") else None,
            previous=query.get("previous") == "true",
            timestamps=query.get("timestamps") == "true",
            since=start,
            limit_bytes=int(query["limitBytes"]) if query.get("limitBytes") else None,
        )


class Clock:
    """Gives each line of a log its time."""

    def __init__(self, first: datetime) -> None:
        self._last = first

    def of(self, line: bytes) -> datetime:
        """The time of the next line."""
        match = _TIME.search(line)
        if match:
            self._last = datetime.fromisoformat(match[1].decode()).astimezone(UTC)
        return self._last


def render(line: bytes, at: datetime, options: LogOptions) -> bytes | None:
    """The line as it is sent; None when it is too old."""
    if options.since is not None and at.timestamp() < options.since:
        return None
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ ").encode() + line if options.timestamps else line


def tail(lines: list[bytes], count: int | None) -> list[bytes]:
    """The last ``count`` lines."""
    if count is None:
        return lines
    return lines[-count:] if count > 0 else []


def _lines(data: bytes, options: LogOptions, clock: Clock) -> list[bytes]:
    rendered = (render(line, clock.of(line), options) for line in data.splitlines(keepends=True))
    return [line for line in rendered if line is not None]


async def read(path: Path, options: LogOptions, ended: Callable[[], bool]) -> AsyncIterator[bytes]:
    """The log, in pieces; with ``follow`` until the container has ended and all is read."""
    clock = Clock(datetime.fromtimestamp((await asyncio.to_thread(path.stat)).st_ctime, UTC))
    left = options.limit_bytes
    with path.open("rb") as file:
        data = await asyncio.to_thread(file.read)
        cut = data.rfind(b"\n") + 1 if options.follow else len(data)
        pending = data[cut:]
        pieces = tail(_lines(data[:cut], options, clock), options.tail_lines)
        while True:
            text = b"".join(pieces)
            if left is not None:
                text, left = text[:left], left - len(text[:left])
            if text:
                yield text
            if not options.follow or left == 0:
                return
            over = ended()
            data = pending + file.read(_BLOCK)
            cut = data.rfind(b"\n") + 1
            if data == pending and over:
                return
            if data == pending:
                await asyncio.sleep(_POLL_SECONDS)
            pieces, pending = _lines(data[:cut], options, clock), data[cut:]
