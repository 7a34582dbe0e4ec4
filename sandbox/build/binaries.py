"""Finds the binaries and charts to use: ready-made ones that the user points to, else those of the cache."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sandbox.build import buildinfo, cache
from sandbox.build.tools import KARPENTER_VERSION, TOOLS, Tool

CHARTS = ("karpenter", "karpenter-crd")
BIN_DIR_VARIABLE = "EKSOPS_SANDBOX_BIN_DIR"


class MissingBinaries(RuntimeError):
    """Something is not built yet; ``names`` says what."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        super().__init__(f"not built yet: {', '.join(names)}; run: python -m sandbox build")


@dataclass(frozen=True)
class Binaries:
    """Paths of tools by (name, version) and of packaged charts by (name, version)."""

    tools: Mapping[tuple[str, str], Path]
    charts: Mapping[tuple[str, str], Path]

    def path(self, name: str, version: str | None = None) -> Path:
        """The binary ``name`` (``kube-apiserver``, ``karpenter-controller``), by default the first version there is.

        Raises LookupError, saying which versions there are.
        """
        versions = [known for tool, known in self.tools if tool == name]
        wanted = version or (versions[0] if versions else "")
        try:
            return self.tools[name, wanted]
        except KeyError:
            there = ", ".join(versions) or "none"
            raise LookupError(f"no binary {name} {wanted}".rstrip() + f"; versions there are: {there}") from None

    def by_folder(self) -> dict[str, Path]:
        """The same tools by ``<name>-<version>``."""
        return {f"{name}-{version}": path for (name, version), path in self.tools.items()}

    def link(self, folder: Path, names: Sequence[str] = ("helm", "kubectl")) -> None:
        """Make ``folder`` hold links to these tools, for users and for Ansible."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            fresh = folder / f".{name}.{os.getpid()}"
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(self.path(name))
            fresh.replace(folder / name)


def reported_version(tool: Tool, path: Path) -> str:
    """What the binary says its version is; a sentence about the failure when it says nothing."""
    if not tool.version_arguments:
        return buildinfo.main_version(path) or "no Go build information"
    try:
        done = subprocess.run(
            [path, *tool.version_arguments], capture_output=True, text=True, timeout=30, check=False, env={"HOME": "/"}
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"cannot be run: {error}"
    return (done.stdout + done.stderr).strip() or f"nothing, exit code {done.returncode}"


@dataclass(frozen=True)
class ReadyMade:
    """What the folder ``$EKSOPS_SANDBOX_BIN_DIR`` offers: usable tools and charts, and notes for the user."""

    tools: Mapping[tuple[str, str], Path]
    charts: Mapping[tuple[str, str], Path]
    notes: Sequence[str]


def _candidates(folder: Path, tool: Tool) -> list[Path]:
    names = (f"{tool.folder}/{tool.name}", tool.folder, tool.name)
    return [folder / name for name in names if os.access(folder / name, os.X_OK) and (folder / name).is_file()]


def _judge(folder: Path, tool: Tool) -> tuple[Path | None, str | None]:
    for candidate in _candidates(folder, tool):
        reported = reported_version(tool, candidate)
        if tool.matches(reported):
            return candidate, f"using ready-made {tool.label}: {candidate}"
        first = reported.splitlines()[0]
        return None, f"not using {candidate}: wanted {tool.version}, it reports {first!r}"
    return None, None


def ready_made(environ: Mapping[str, str], tools: Sequence[Tool] | None = None) -> ReadyMade:
    """Look through the user's folder. Raises RuntimeError when it is named but not there."""
    given = environ.get(BIN_DIR_VARIABLE)
    if not given:
        return ReadyMade({}, {}, ())
    folder, tools = Path(given).expanduser(), TOOLS if tools is None else tools
    if not folder.is_dir():
        raise RuntimeError(f"{BIN_DIR_VARIABLE} names {folder}, which is not a folder")
    with ThreadPoolExecutor(4) as pool:
        judged = list(pool.map(lambda tool: _judge(folder, tool), tools))
    found = {(t.name, t.version): path for t, (path, _) in zip(tools, judged, strict=True) if path}
    notes = [note for _, note in judged if note]
    charts = {}
    for name in CHARTS:
        path = folder / f"{name}-{KARPENTER_VERSION}.tgz"
        if path.is_file():
            charts[name, KARPENTER_VERSION] = path
            notes.append(f"using ready-made chart: {path}")
    return ReadyMade(found, charts, notes)


def chart_path(cache_root: Path, name: str, version: str) -> Path:
    """Where a packaged chart lies in the cache."""
    return cache_root / "charts" / f"{name}-{version}.tgz"


def resolve(environ: Mapping[str, str] = os.environ, given: ReadyMade | None = None) -> Binaries:
    """The binaries and charts to use now. Raises MissingBinaries naming what has to be built first."""
    root = cache.cache_dir(environ)
    given = given or ready_made(environ)
    tools, charts, missing = {}, {}, []
    for tool in TOOLS:
        key = (tool.name, tool.version)
        if key in given.tools:
            tools[key] = given.tools[key]
        elif cache.is_built(root, tool):
            tools[key] = cache.binary_path(root, tool)
        else:
            missing.append(tool.label)
    for name in CHARTS:
        path = given.charts.get((name, KARPENTER_VERSION), chart_path(root, name, KARPENTER_VERSION))
        charts[name, KARPENTER_VERSION] = path
        if not path.is_file():
            missing.append(f"chart {name} {KARPENTER_VERSION}")
    if missing:
        raise MissingBinaries(missing)
    return Binaries(tools, charts)
