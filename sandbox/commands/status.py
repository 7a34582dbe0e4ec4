"""``status``: what runs, and what died with the end of its log."""

from __future__ import annotations

import json

from sandbox import report
from sandbox.commands.common import CommandError, ask, daemon_pid
from sandbox.state import State, read_json

#: As `systemctl status` answers for a unit that does not run.
NOT_RUNNING = 3


def run(state: State, *, as_json: bool) -> int:
    """Print the status. 0: all healthy, 1: something is dead or unhealthy, 3: no sandbox runs."""
    description = read_json(state.description)
    answer = None
    if description is not None and daemon_pid(state, description) is not None:
        try:
            answer = ask(description, "/_sandbox/status")
        except CommandError:
            answer = None  # the report says so, and tells the rest from the records
    status = report.whole(state, description, answer)
    if as_json:
        print(json.dumps(status, indent=2))
    elif description is None and not status["components"]:
        print(f"no sandbox runs in {state.root}")
    else:
        print(report.text(status))
    if report.broken(status):
        return 1
    return 0 if description is not None else NOT_RUNNING
