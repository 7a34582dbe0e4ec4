"""Checked before a build: the machine, its disk and its memory. Each failure is one sentence."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Sequence
from pathlib import Path

from sandbox.process.procfs import available_memory_bytes

GIB = 1024**3
BUILD_DISK_BYTES = 12 * GIB
#: The EC2 client of the AWS SDK alone takes 3 GB to compile.
BUILD_MEMORY_BYTES = 4 * GIB
#: One control plane (0.6 GB), two controllers (0.6 GB) and the emulators (0.8 GB).
RUN_MEMORY_BYTES = 2 * GIB


#: What one cluster needs, and what everything else together does; as measured for RUN_MEMORY_BYTES.
CLUSTER_MEMORY_BYTES = int(1.2 * GIB)
REST_MEMORY_BYTES = int(0.8 * GIB)


def room_for_clusters() -> int:
    """How many clusters the memory that is free now is enough for; one at least."""
    return max(1, (available_memory_bytes() - REST_MEMORY_BYTES) // CLUSTER_MEMORY_BYTES)


def _existing(path: Path) -> Path:
    """The nearest folder above ``path`` that is there."""
    while not path.exists():
        path = path.parent
    return path


def disk_problems(folders: Sequence[Path], needed: int = BUILD_DISK_BYTES) -> list[str]:
    """A sentence for each folder whose disk has less than ``needed`` bytes free."""
    found: list[str] = []
    for folder in folders:
        free = shutil.disk_usage(_existing(folder)).free
        if free < needed:
            found.append(f"{folder} has {free / GIB:.1f} GiB free and a build needs {needed / GIB:.0f} GiB")
    return found


def memory_problems(needed: int, purpose: str) -> list[str]:
    """A sentence when less than ``needed`` bytes of memory are available."""
    free = available_memory_bytes()
    return (
        []
        if free >= needed
        else [f"{free / GIB:.1f} GiB of memory are free and {purpose} needs {needed / GIB:.0f} GiB"]
    )


def platform_problems() -> list[str]:
    """The sandbox reads /proc and uses pidfds: Linux only."""
    return [] if platform.system() == "Linux" else [f"the sandbox runs on Linux only, this is {platform.system()}"]
