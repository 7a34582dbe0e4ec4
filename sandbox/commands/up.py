"""``up``: checks, builds what is missing, starts the daemon and waits until everything is healthy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.build import builder, checks
from sandbox.commands.common import HOW_TO_STOP, CommandError, ask, daemon_pid, locked
from sandbox.process.ready import ready
from sandbox.process.records import log_tail
from sandbox.process.sweep import marked_pids, sweep
from sandbox.state import MARK, State, read_json

_DEADLINE_SECONDS = 90.0
#: For each cluster that comes back; on two idle cores one takes 10 seconds.
_CLUSTER_SECONDS = 60.0
_ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Settings:
    """What the command line says: ``fresh`` forgets what an earlier run left."""

    fresh: bool = False
    max_clusters: int | None = None
    save_seconds: float = 1.0


def run(state: State, settings: Settings = Settings()) -> int:
    """Bring the sandbox up; 0 also when it runs already. Raises CommandError or RuntimeError."""
    problems = checks.platform_problems()
    if problems:
        raise CommandError("; ".join(problems))
    with locked(state):
        if _already_running(state):
            return 0
        clean_up_stale(state, fresh=settings.fresh)
        _require_memory()
        builder.ensure()
        started = time.monotonic()
        _start(state, settings)
        _tell(state, time.monotonic() - started)
    return 0


def _already_running(state: State) -> bool:
    description = read_json(state.description)
    pid = daemon_pid(state, description)
    if description is None or pid is None:
        return False
    try:
        ask(description, "/_sandbox/health")
    except CommandError as error:
        raise CommandError(f"the daemon (process {pid}) runs, but {error}; {HOW_TO_STOP}, then try again") from error
    print(f"the sandbox runs already: {description['front_url']} (process {pid}); {HOW_TO_STOP}")
    return True


def clean_up_stale(state: State, *, fresh: bool = False) -> None:
    """End what a daemon left that did not end well.

    With ``fresh``, or nothing to go on with, the last run's logs go, too.
    """
    state.create()
    left = marked_pids(state.root)
    if left or state.description.exists():
        ended = sweep(state.root)
        print(f"cleaned up after a sandbox that was not stopped: {len(ended)} processes ended")
    if fresh or not state.saved.exists():
        state.wipe()
        shutil.rmtree(state.logs, ignore_errors=True)
    else:
        state.settle()


def _require_memory() -> None:
    problems = checks.memory_problems(checks.RUN_MEMORY_BYTES, "a sandbox with one cluster")
    if problems:
        raise CommandError("; ".join(problems))


def daemon_environment(environ: Mapping[str, str], state: State) -> dict[str, str]:
    """The user's environment without what could lead out of the sandbox: AWS settings, proxies, kubeconfigs."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith("AWS_") and not name.lower().endswith("_proxy") and name != "KUBECONFIG"
    }
    nowhere = str(state.root / "no-such-file")
    ours = {"AWS_CONFIG_FILE": nowhere, "AWS_SHARED_CREDENTIALS_FILE": nowhere, "AWS_EC2_METADATA_DISABLED": "true"}
    return {**kept, **ours, MARK: str(state.root)}


def _start(state: State, settings: Settings) -> None:
    state.logs.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(prefix="start-", dir=state.root) as folder:
        pipe = Path(folder) / "ready"
        os.mkfifo(pipe, 0o600)
        # Open for reading and writing: then neither side has to wait for the other one.
        handle = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        try:
            process = _launch(state, pipe, settings)
            _wait(process, handle, state)
        finally:
            os.close(handle)


def _launch(state: State, pipe: Path, settings: Settings) -> subprocess.Popen[bytes]:
    most = settings.max_clusters or checks.room_for_clusters()
    argv = [sys.executable, "-m", "sandbox.daemon", "--state-dir", str(state.root), "--ready", str(pipe)]
    argv += ["--max-clusters", str(most), "--save-seconds", str(settings.save_seconds)]
    handle = os.open(state.daemon_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        return subprocess.Popen(
            argv,
            cwd=_ROOT,
            stdin=subprocess.DEVNULL,
            stdout=handle,
            stderr=handle,
            env=daemon_environment(os.environ, state),
            start_new_session=True,
        )
    finally:
        os.close(handle)


def _wait(process: subprocess.Popen[bytes], handle: int, state: State) -> None:
    """Wait for the daemon's word, its end, or the deadline; in the last two cases nothing of it is left."""
    clusters = len(list(state.clusters.iterdir())) if state.clusters.is_dir() else 0
    deadline = _DEADLINE_SECONDS + clusters * _CLUSTER_SECONDS
    ended = os.pidfd_open(process.pid)
    try:
        told = ready([handle, ended], deadline)
    except BaseException:
        sweep(state.root)
        raise
    finally:
        os.close(ended)
    message = json.loads(os.read(handle, 65536)) if handle in told else {}
    if message.get("ready"):
        return
    reason = message.get("reason") or ("it ended" if told else f"not ready after {deadline:.0f} s")
    sweep(state.root)
    process.wait()
    raise CommandError(
        f"the daemon did not start: {reason}\nthe end of {state.daemon_log}:\n{log_tail(state.daemon_log)}"
    )


def _tell(state: State, seconds: float) -> None:
    description = read_json(state.description) or {}
    print(f"the sandbox is up after {seconds:.1f} s: {_what(description)}")
    print(f'  AWS endpoint  {description["front_url"]}  (variables: eval "$(python -m sandbox env)")')
    print(f"  charts        {description['charts_url']}  (plain HTTP)")
    print(f"  logs          {state.logs}  (python -m sandbox status, python -m sandbox logs)")
    print(f"  {HOW_TO_STOP}")


def _what(description: Mapping[str, Any]) -> str:
    accounts, clusters = (
        description.get("restored", {}).get("accounts", 0),
        description.get("restored", {}).get("clusters", 0),
    )
    if not accounts:
        return f"an empty AWS account {description['account_id']}"
    return f"with {accounts} accounts and {clusters} clusters of the last run (forget them with: up --fresh)"
