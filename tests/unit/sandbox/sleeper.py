"""A process that does nothing, with or without the mark of a sandbox."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.process import procfs
from sandbox.state import MARK
from tests.unit.waiting import until


@contextmanager
def sleeping(marked: Path | None) -> Iterator[int]:
    """The pid of a process that sleeps. ``marked``: the state folder whose mark it carries."""
    mark = {} if marked is None else {MARK: str(marked)}
    process = subprocess.Popen(["sleep", "600"], env={"PATH": os.environ["PATH"], **mark})
    try:
        # Popen returns while the kernel still puts the environment in its place.
        until(lambda: bool(procfs.environment(process.pid)), "the environment of the process")
        yield process.pid
    finally:
        process.kill()
        process.wait()
