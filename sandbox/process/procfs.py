"""What Linux says about processes: identity, environment, memory and listening sockets, read from /proc.

https://man7.org/linux/man-pages/man5/proc.5.html
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_LISTEN = "0A"
_SOCKET = re.compile(r"socket:\[(\d+)\]")


@dataclass(frozen=True, order=True)
class Listener:
    """A TCP socket that process ``pid`` listens on."""

    pid: int
    address: str
    port: int

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return ipaddress.ip_address(self.address).is_loopback


def _stat_fields(pid: int) -> list[str] | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The second field is the command's name in parentheses and may hold blanks; the rest follows its last ")".
    return text[text.rfind(")") + 2 :].split()


def start_time(pid: int) -> int | None:
    """Clock ticks after boot at which the process started, None when there is none: with the pid an identity."""
    fields = _stat_fields(pid)
    return int(fields[19]) if fields else None


def is_running(pid: int, started: int | None = None) -> bool:
    """Whether the process (started at ``started`` ticks, if given) is there and not a zombie."""
    fields = _stat_fields(pid)
    if not fields or fields[0] in "ZX":
        return False
    return started is None or int(fields[19]) == started


def environment(pid: int) -> dict[str, str]:
    """The environment the process was started with; empty when it is gone or belongs to someone else."""
    try:
        raw = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return {}
    pairs = (entry.partition(b"=") for entry in raw.split(b"\0") if b"=" in entry)
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}


def all_pids() -> list[int]:
    """Every process there is."""
    return [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit()]


def parent(pid: int) -> int | None:
    """The parent's pid, None when the process is gone."""
    fields = _stat_fields(pid)
    return int(fields[1]) if fields else None


def process_group(pid: int) -> int | None:
    """The process group's id, None when the process is gone."""
    fields = _stat_fields(pid)
    return int(fields[2]) if fields else None


def resident_bytes(pid: int) -> int:
    """Resident memory in bytes, 0 when the process is gone."""
    try:
        pages = int((_PROC / str(pid) / "statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(pid: int) -> float:
    """User and system time so far (fields 14 and 15 of stat), 0 when the process is gone."""
    fields = _stat_fields(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def available_memory_bytes() -> int:
    """Memory that new processes can get without swapping (MemAvailable)."""
    for line in (_PROC / "meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def _socket_inodes(pid: int) -> set[str]:
    found: set[str] = set()
    try:
        entries = list((_PROC / str(pid) / "fd").iterdir())
    except OSError:
        return found
    for entry in entries:
        try:
            match = _SOCKET.fullmatch(str(entry.readlink()))
        except OSError:  # closed meanwhile
            continue
        if match:
            found.add(match[1])
    return found


def _address(text: str) -> tuple[str, int]:
    """``0100007F:1F90`` is 127.0.0.1:8080: the address in 32-bit words of the machine's byte order."""
    raw, port = text.split(":")
    words = [int(raw[i : i + 8], 16) for i in range(0, len(raw), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    address = ipaddress.ip_address(socket.inet_ntop(socket.AF_INET if len(words) == 1 else socket.AF_INET6, packed))
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address), int(port, 16)


def listeners(pids: Iterable[int]) -> list[Listener]:
    """The listening TCP sockets of these processes."""
    owners: dict[str, int] = {}
    for pid in pids:
        owners.update(dict.fromkeys(_socket_inodes(pid), pid))
    found = set()
    for table in ("tcp", "tcp6"):
        path = _PROC / "net" / table
        if not path.exists():
            continue
        for line in path.read_text(encoding="ascii").splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTEN and fields[9] in owners:
                found.add(Listener(owners[fields[9]], *_address(fields[1])))
    return sorted(found)
