"""Runs the Go command: finds it, builds one package while telling that it still works, lists a module's folder."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sandbox.build.tools import PACKAGE_DIR, Tool

_FIRST_WITH_TOOLCHAINS = (1, 21)


class BuildFailed(RuntimeError):
    """A build that cannot start or did not end well; the text says what to do."""


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The user's Go settings (proxy, caches) stay; what would change the result does not.

    No cgo: the binaries depend on no C library. No -trimpath: with it every package would be compiled again by a user
    whose Go cache already holds them.
    """
    return {**environ, "CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off"}


def find_go(environ: Mapping[str, str] = os.environ) -> str:
    """The path of ``go``. Raises BuildFailed, one sentence, when it is missing or too old to fetch a newer self."""
    usual = (Path("/usr/local/go/bin"), Path.home() / "go" / "bin")
    go = shutil.which("go", path=os.pathsep.join([environ.get("PATH", ""), *map(str, usual)]))
    if go is None:
        raise BuildFailed(
            "Go is missing: install Go 1.21 or newer from https://go.dev/dl (it fetches the version it needs), "
            "or point EKSOPS_SANDBOX_BIN_DIR at ready-made binaries"
        )
    done = subprocess.run(
        [go, "version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**environ, "GOTOOLCHAIN": "local"},
    )
    version = re.search(r"go(\d+)\.(\d+)", done.stdout)
    if version is None or (int(version[1]), int(version[2])) < _FIRST_WITH_TOOLCHAINS:
        raise BuildFailed(
            f"{go} is {done.stdout.strip() or 'not usable'}: install Go 1.21 or newer from https://go.dev/dl"
        )
    return go


def go_cache(go: str, environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of Go's own build cache."""
    done = subprocess.run(
        [go, "env", "GOCACHE"], capture_output=True, text=True, timeout=60, check=False, env=dict(environ)
    )
    return Path(done.stdout.strip() or Path.home() / ".cache" / "go-build")


def module_folder(go: str, module: str, module_dir: str = ".", environ: Mapping[str, str] = os.environ) -> Path:
    """Where the source of ``module`` lies that the go.mod of ``module_dir`` pins, fetched if need be.

    Raises BuildFailed.
    """
    done = subprocess.run(
        [go, "mod", "download", "-json", module],
        cwd=PACKAGE_DIR / module_dir,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
        env=_environment(environ),
    )
    found = re.search(r'"Dir": "(.*)"', done.stdout)
    if done.returncode or found is None:
        raise BuildFailed(f"cannot fetch the source of {module}: {(done.stderr or done.stdout).strip()[-600:]}")
    return Path(found[1])


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop the compiler's whole process group, then wait for the Go command."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    process.wait()


def build(
    go: str,
    tool: Tool,
    target: Path,
    log: Path,
    heartbeat: Callable[[float], None],
    *,
    environ: Mapping[str, str] = os.environ,
    heartbeat_seconds: float = 20.0,
) -> float:
    """Build ``tool`` into ``target``; call ``heartbeat(seconds so far)`` now and then. Returns the seconds it took.

    Raises BuildFailed with the end of the compiler's output.
    """
    started = time.monotonic()
    argv = [go, *tool.command, "-ldflags", tool.flags, "-o", str(target), tool.package]
    with log.open("wb") as output:
        process = subprocess.Popen(
            argv,
            cwd=PACKAGE_DIR / tool.module_dir,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(environ),
            start_new_session=True,
        )
        try:
            while process.poll() is None:
                try:
                    process.wait(heartbeat_seconds)
                except subprocess.TimeoutExpired:
                    heartbeat(time.monotonic() - started)
        except BaseException:
            _end(process)
            raise
    if process.returncode:
        end = log.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise BuildFailed(f"building {tool.label} failed with exit code {process.returncode} (log {log}):\n{end}")
    return time.monotonic() - started
