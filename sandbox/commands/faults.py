"""``fault``: sets, lists and clears what is to go wrong."""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from sandbox.commands.common import CommandError, ask, running
from sandbox.faults.kinds import KINDS, parse
from sandbox.faults.model import FaultError
from sandbox.state import State

_PATH = "/_sandbox/faults"
#: Stopping and starting an API server takes its time.
_TIMEOUT_SECONDS = 150


def table() -> str:
    """Every kind of fault with what it takes, for ``--help``."""
    lines = []
    for kind in KINDS.values():
        values = ", ".join(f"{one.name}*" if one.required else one.name for one in kind.allowed)
        lines += [f"  {kind.name}: {kind.does}"]
        lines += textwrap.wrap(values, 100, initial_indent="      ", subsequent_indent="      ", break_on_hyphens=False)
    return "\n".join(["kinds of faults, each with what it can be narrowed to and what it takes (* is needed):", *lines])


def values_of(pairs: Sequence[str]) -> dict[str, str]:
    """``NAME=VALUE`` arguments as a mapping. Raises CommandError."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name or name in found:
            reason = f"{name} is given twice" if name in found else f"{pair!r} is not NAME=VALUE"
            raise CommandError(f"{reason}; for example: image=ami-0123456789abcdef0 for_seconds=60")
        found[name] = value
    return found


def line(fault: Mapping[str, Any], now: float) -> str:
    """One fault for people."""
    values = [f"{key}={value}" for part in ("selectors", "parameters") for key, value in fault[part].items()]
    until = [] if fault["until"] is None else [f"for another {max(0.0, fault['until'] - now):.0f} s"]
    return "  ".join([fault["id"], fault["account"], fault["kind"], *values, *until])


def run_set(state: State, kind: str, pairs: Sequence[str], account: str | None) -> int:
    """Set a fault and print its id. Raises CommandError."""
    values = values_of(pairs)
    try:
        parse(kind, values)
    except FaultError as error:
        raise CommandError(str(error)) from error
    description = running(state)
    body = {"account": account or description["account_id"], "kind": kind, "values": values}
    fault = ask(description, _PATH, body, timeout_seconds=_TIMEOUT_SECONDS)
    print(line(fault, time.time()))
    over = "it has happened and is over"
    print(f"clear it with: python -m sandbox fault clear {fault['id']}" if fault["holds"] else over)
    return 0


def run_clear(state: State, numbers: Sequence[str], account: str | None) -> int:
    """Clear some faults, or without ids all of the account. Raises CommandError."""
    description = running(state)
    whose = quote(account or description["account_id"])
    paths = [f"{_PATH}/{quote(one, safe='')}" for one in numbers] or [f"{_PATH}?account={whose}"]
    for path in paths:
        for fault in ask(description, path, method="DELETE", timeout_seconds=_TIMEOUT_SECONDS):
            print(f"cleared {line(fault, time.time())}")
    return 0


def run_list(state: State, account: str | None, *, as_json: bool) -> int:
    """Print the faults that are set, of one account or of all. Raises CommandError."""
    found = ask(running(state), _PATH + (f"?account={quote(account)}" if account else ""))
    print(json.dumps(found, indent=2) if as_json else "\n".join(line(one, time.time()) for one in found) or "no faults")
    return 0
