"""Ends every process of a sandbox whose daemon is gone: found by the mark in its environment, never by its name."""

from __future__ import annotations

import os
import select
import signal
import time
from pathlib import Path

from sandbox.process import procfs
from sandbox.state import MARK


def _own_line() -> set[int]:
    """This process and its ancestors, which may carry the mark when a command runs from inside the sandbox."""
    line: set[int] = set()
    pid: int | None = os.getpid()
    while pid and pid not in line:
        line.add(pid)
        pid = procfs.parent(pid)
    return line


def carries_mark(pid: int, state_dir: Path) -> bool:
    """Whether the process was started by the sandbox of this state folder."""
    return procfs.environment(pid).get(MARK) == str(state_dir)


def belongs(pid: int, start_ticks: int, state_dir: Path) -> bool:
    """Whether this very process of the sandbox runs.

    A file from before a restart of the machine may name a pid, and by chance the ticks after boot too, of another one.
    """
    return procfs.is_running(pid, start_ticks) and carries_mark(pid, state_dir)


def marked_pids(state_dir: Path) -> list[int]:
    """Running processes that carry the mark of this state folder, but for this command's own line."""
    skip = _own_line()
    return [
        pid for pid in procfs.all_pids() if pid not in skip and carries_mark(pid, state_dir) and procfs.is_running(pid)
    ]


def _open(pid: int, state_dir: Path) -> int | None:
    """A pidfd of the process, None when it is gone. The mark is read again after opening: the pid may be another's."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    if carries_mark(pid, state_dir):
        return handle
    os.close(handle)
    return None


def _wait(handles: dict[int, int], seconds: float) -> dict[int, int]:
    """Wait until all ended or the time is over; what is left. A pidfd turns readable when its process ends."""
    deadline = time.monotonic() + seconds
    poller = select.poll()
    for handle in handles.values():
        poller.register(handle, select.POLLIN)
    left = dict(handles)
    while left and (remaining := deadline - time.monotonic()) > 0:
        ended = {handle for handle, _ in poller.poll(remaining * 1000)}
        for pid, handle in list(left.items()):
            if handle in ended:
                poller.unregister(handle)
                del left[pid]
    return left


def _signal(handles: dict[int, int], number: signal.Signals) -> None:
    for handle in handles.values():
        try:
            signal.pidfd_send_signal(handle, number)
        except ProcessLookupError:
            continue


def sweep(state_dir: Path, *, grace_seconds: float = 5.0) -> list[int]:
    """End every marked process: SIGTERM, then SIGKILL after ``grace_seconds``. Returns the pids that were there.

    Repeats until a scan finds nothing, since a process may start another one while it is being ended.
    Raises RuntimeError when processes survive SIGKILL.
    """
    ended: list[int] = []
    for _ in range(5):
        opened = {pid: _open(pid, state_dir) for pid in marked_pids(state_dir)}
        handles = {pid: handle for pid, handle in opened.items() if handle is not None}
        if not handles:
            return ended
        ended += handles
        try:
            _signal(handles, signal.SIGTERM)
            left = _wait(handles, grace_seconds)
            _signal(left, signal.SIGKILL)
            _wait(left, 5.0)
        finally:
            for handle in handles.values():
                os.close(handle)
    left_over = marked_pids(state_dir)
    if left_over:
        raise RuntimeError(f"processes {left_over} of {state_dir} could not be ended")
    return ended


def end_group(group: int, state_dir: Path) -> None:
    """Kill what a child that has ended left in its process group; only what carries the mark."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return
    for pid in procfs.all_pids():
        if procfs.process_group(pid) == group and (handle := _open(pid, state_dir)) is not None:
            try:
                _signal({pid: handle}, signal.SIGKILL)
            finally:
                os.close(handle)
