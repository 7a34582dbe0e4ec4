"""``down``: ends the daemon and everything below it, also when the daemon is gone already."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from sandbox.commands.common import daemon_pid, locked
from sandbox.process.ready import ready
from sandbox.process.sweep import carries_mark, marked_pids, sweep
from sandbox.state import State, read_json

_GRACE_SECONDS = 30.0


def run(state: State, *, forget: bool = False) -> int:
    """Stop the sandbox; logs stay, and so does, unless ``forget``, what the next run goes on with.

    Nothing to stop is not an error.
    """
    if not state.root.exists():
        print("no sandbox runs")
        return 0
    with locked(state):
        pid = daemon_pid(state, read_json(state.description))
        before = len(marked_pids(state.root))
        if pid is not None:
            _end_daemon(pid, state.root)
        left = sweep(state.root)
        if forget:
            state.wipe()
        else:
            state.settle()
    if not before:
        print("no sandbox runs")
    elif pid is None:
        print(f"ended {len(left)} processes of a sandbox whose daemon was gone; logs are kept in {state.logs}")
    else:
        kept = "" if forget else ", accounts and clusters for the next up"
        print(f"the sandbox is down; logs are kept in {state.logs}{kept}")
    return 0


def _end_daemon(pid: int, state_dir: Path) -> None:
    """Ask the daemon to end and give it time; the sweep after it takes care of the rest."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        if carries_mark(pid, state_dir):  # read again, now that the pid cannot become another's
            signal.pidfd_send_signal(handle, signal.SIGTERM)
            ready([handle], _GRACE_SECONDS)
    except ProcessLookupError:
        return
    finally:
        os.close(handle)
