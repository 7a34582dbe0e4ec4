"""What ``status`` says: taken from the records of processes, so that it also works when the daemon is gone."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sandbox.process import procfs, records
from sandbox.process.sweep import belongs
from sandbox.state import State

HEALTHY, UNHEALTHY, DEAD, RUNNING, STOPPED = "healthy", "unhealthy", "dead", "running", "stopped"


def _component(record: records.Record, state_dir: Path, reasons: Mapping[str, str | None] | None) -> dict[str, Any]:
    reason = record.failure
    running = record.running and belongs(record.pid, record.start_ticks, state_dir)
    if not running:
        state, reason = DEAD, reason or "the process is gone"
    elif reasons is None or record.name not in reasons:
        state = RUNNING
    else:
        reason = reasons[record.name]
        state = UNHEALTHY if reason else HEALTHY
    return {
        "name": record.name,
        "state": state,
        "reason": reason,
        "pid": record.pid,
        "exit_code": record.exit_code,
        "memory_bytes": procfs.resident_bytes(record.pid) if running else 0,
        "started_at": record.started_at,
        "log": record.log,
        "log_tail": records.log_tail(Path(record.log)) if state in (DEAD, UNHEALTHY) else "",
    }


def components(state: State, reasons: Mapping[str, str | None] | None = None) -> list[dict[str, Any]]:
    """One entry per child process. ``reasons``: why a child is not healthy, None for healthy; only the daemon knows."""
    return [_component(record, state.root, reasons) for record in records.read_all(state.processes)]


def whole(state: State, description: Mapping[str, Any] | None, answer: Mapping[str, Any] | None) -> dict[str, Any]:
    """The whole status. ``answer`` is what the daemon said, None when it did not."""
    daemon: dict[str, Any] = {"state": STOPPED, "pid": None, "reason": None, "log": str(state.daemon_log)}
    # A file that was cut short or edited tells of no daemon.
    if description is not None and {"pid", "start_ticks", "started_at"} <= description.keys():
        pid = int(description["pid"])
        daemon |= {"pid": pid, "started_at": description["started_at"]}
        running = belongs(pid, description["start_ticks"], state.root)
        daemon["memory_bytes"] = procfs.resident_bytes(pid) if running else 0
        if not running:
            daemon |= {"state": DEAD, "reason": "the process is gone without having stopped the sandbox"}
        elif answer is None:
            daemon |= {"state": UNHEALTHY, "reason": f"does not answer at {description['front_url']}"}
        elif problem := answer.get("problem"):
            daemon |= {"state": UNHEALTHY, "reason": problem}
        else:
            daemon["state"] = HEALTHY
        if daemon["state"] != HEALTHY:
            daemon["log_tail"] = records.log_tail(state.daemon_log)
    told = description or {}
    return {
        "daemon": daemon,
        "front_url": told.get("front_url"),
        "account_id": told.get("account_id"),
        "registry": told.get("registry"),
        "charts_url": told.get("charts_url"),
        "state_dir": str(state.root),
        "clusters": list(answer["clusters"]) if answer else [],
        "components": list(answer["components"]) if answer else components(state),
    }


def broken(status: Mapping[str, Any]) -> bool:
    """Whether something is dead or not healthy."""
    states = [status["daemon"]["state"], *(component["state"] for component in status["components"])]
    return DEAD in states or UNHEALTHY in states


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _cells(name: str, part: Mapping[str, Any]) -> list[str]:
    started = part.get("started_at")
    memory = part.get("memory_bytes") or 0
    age = f"{time.time() - started:.0f} s" if started and memory else "-"
    return [name, part["state"], str(part["pid"] or "-"), f"{memory / 2**20:.0f} MiB" if memory else "-", age]


def text(status: Mapping[str, Any]) -> str:
    """The status for people: where things are, a table, then what is wrong with the end of its log."""
    daemon, parts = status["daemon"], status["components"]
    lines = [f"AWS endpoint  {status['front_url'] or '-'}", f"charts        {status['charts_url'] or '-'}"]
    lines += [
        f"cluster       {c['name']} ({c['account']}, {c['region']}) {c['url']}  {c['kubernetes']}"
        for c in status["clusters"]
    ]
    rows = [["component", "state", "pid", "memory", "up"], _cells("daemon", daemon)]
    rows += [_cells(part["name"], part) for part in parts]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines += ["", *(_row(row, widths) for row in rows)]
    for name, part in [("daemon", daemon), *((part["name"], part) for part in parts)]:
        if part["state"] in (DEAD, UNHEALTHY):
            lines += ["", f"{name}: {part['reason']}; the end of {part['log']}:"]
            lines += [f"    {line}" for line in part.get("log_tail", "").splitlines()]
    return "\n".join(lines)
