"""What the commands share: the lock of a state folder, and asking the daemon."""

from __future__ import annotations

import fcntl
import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sandbox.process.sweep import belongs
from sandbox.state import State, read_json

HOW_TO_STOP = "stop it with: make sandbox-down (or: python -m sandbox down)"


class CommandError(RuntimeError):
    """Ends a command with its text on stderr and exit code 1."""


@contextmanager
def locked(state: State) -> Iterator[None]:
    """One ``up`` or ``down`` per state folder at a time; the second one waits."""
    state.refuse_foreign()
    state.root.mkdir(parents=True, exist_ok=True, mode=0o700)
    with state.lock.open("a", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another up or down works on this sandbox; waiting for it", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def daemon_pid(state: State, description: Mapping[str, Any] | None) -> int | None:
    """The daemon's pid when it runs, recognised by its start time and its mark too."""
    pid, start_ticks = (description or {}).get("pid"), (description or {}).get("start_ticks")
    # A file that was cut short or edited tells of no daemon; what runs below one is found by its mark.
    if not isinstance(pid, int) or not isinstance(start_ticks, int):
        return None
    return pid if belongs(pid, start_ticks, state.root) else None


def ask(
    description: Mapping[str, Any],
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    method: str | None = None,
    timeout_seconds: float = 15,
) -> Any:
    """The daemon's JSON answer, as its administrator. Raises CommandError with its words when it refuses."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"X-Sandbox-Token": description["admin_token"], "Content-Type": "application/json"}
    request = urllib.request.Request(f"{description['front_url']}{path}", data=data, headers=headers, method=method)
    # No proxy: the answer is on loopback.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=timeout_seconds) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise CommandError(f"the sandbox refuses: {error.read().decode(errors='replace').strip()}") from error
    except OSError as error:
        raise CommandError(f"the sandbox does not answer at {description['front_url']}: {error}") from error


def running(state: State) -> dict[str, Any]:
    """The description of the running sandbox. Raises CommandError when it does not run."""
    description = read_json(state.description)
    if description is None or daemon_pid(state, description) is None:
        raise CommandError("the sandbox does not run; start it with: make sandbox-up (or: python -m sandbox up)")
    return description
