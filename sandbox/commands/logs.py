"""``logs``: prints or follows the log of one component."""

from __future__ import annotations

import os
from pathlib import Path

from sandbox.commands.common import CommandError
from sandbox.process.records import log_tail
from sandbox.state import State


def names(state: State) -> list[str]:
    """The components that have a log."""
    return sorted(str(path.relative_to(state.logs).with_suffix("")) for path in state.logs.rglob("*.log"))


def find(state: State, component: str) -> Path:
    """The log of ``component``: its whole name, or the end of it (``kube-apiserver``) when only one has that end.

    Raises CommandError that lists what there is.
    """
    known = names(state)
    found = [name for name in known if name == component] or [name for name in known if name.endswith(f"/{component}")]
    if len(found) == 1:
        return state.logs / f"{found[0]}.log"
    reason = f"{component!r} may be {', '.join(found)}" if found else f"there is no log of {component!r}"
    raise CommandError(f"{reason}; there are logs of: {', '.join(known) or 'nothing'}")


def run(state: State, component: str | None, *, follow: bool, lines: int) -> int:
    """Print the last ``lines``, and go on with ``follow``; without a component, list those that have a log."""
    if component is None:
        print("\n".join(names(state)) or f"no logs in {state.logs}")
        return 0
    path = find(state, component)
    if follow:
        # By name and again after a restart, when the log is a new file.
        os.execvp("tail", ["tail", "-n", str(lines), "-F", str(path)])
    print(log_tail(path, lines))
    return 0
