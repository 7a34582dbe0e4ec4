"""Finds the binaries and charts to use: ready-made ones that the user points to, else those of the cache."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.build import buildinfo, cache
from sandbox.build.tools import KARPENTER_MODULES, KARPENTER_VERSION, SECOND, TOOLS, Tool

CHARTS = ("karpenter", "karpenter-crd")
BIN_DIR_VARIABLE = "EKSOPS_SANDBOX_BIN_DIR"


class MissingBinaries(RuntimeError):
    """Something is not built yet; ``names`` says what."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        super().__init__(f"not built yet: {', '.join(names)}; run: python -m sandbox build")


@dataclass(frozen=True)
class Later:
    """A tool of a second version: there once it is built."""

    tool: Tool
    cache_root: Path

    @property
    def path(self) -> Path | None:
        """Where it lies; None as long as it is not built."""
        return cache.binary_path(self.cache_root, self.tool) if cache.is_built(self.cache_root, self.tool) else None


@dataclass(frozen=True)
class Binaries:
    """Paths of tools by (name, version) and of packaged charts by (name, version); ``later`` may be built yet."""

    tools: Mapping[tuple[str, str], Path]
    charts: Mapping[tuple[str, str], Path]
    later: Mapping[tuple[str, str], Later] = field(default_factory=dict)

    def path(self, name: str, version: str | None = None) -> Path:
        """The binary ``name`` (``kube-apiserver``, ``karpenter-controller``), by default the first version there is.

        Raises LookupError, saying which versions there are.
        """
        versions = [known for tool, known in self.tools if tool == name]
        wanted = version or (versions[0] if versions else "")
        later = self.later.get((name, wanted))
        found = self.tools.get((name, wanted)) or (later.path if later else None)
        if found is None:
            there = ", ".join(versions) or "none"
            raise LookupError(f"no binary {name} {wanted}".rstrip() + f"; versions there are: {there}")
        return found

    def missing(self, second: str) -> bool:
        """Whether something of a second version has to be built."""
        keys = [(tool.name, tool.version) for tool in SECOND[second]]
        return any(self.later[key].path is None for key in keys if key in self.later)

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
    known = (*TOOLS, *(tool for second in SECOND.values() for tool in second))
    folder, tools = Path(given).expanduser(), known if tools is None else tools
    if not folder.is_dir():
        raise RuntimeError(f"{BIN_DIR_VARIABLE} names {folder}, which is not a folder")
    with ThreadPoolExecutor(4) as pool:
        judged = list(pool.map(lambda tool: _judge(folder, tool), tools))
    found = {(t.name, t.version): path for t, (path, _) in zip(tools, judged, strict=True) if path}
    notes = [note for _, note in judged if note]
    charts = {}
    for name, version in all_charts():
        path = folder / f"{name}-{version}.tgz"
        if path.is_file():
            charts[name, version] = path
            notes.append(f"using ready-made chart: {path}")
    return ReadyMade(found, charts, notes)


def all_charts() -> list[tuple[str, str]]:
    """Name and version of every chart, those of the first Karpenter version first."""
    return [(name, version) for version in KARPENTER_MODULES for name in CHARTS]


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
    for name, version in all_charts():
        path = given.charts.get((name, version), chart_path(root, name, version))
        if path.is_file():
            charts[name, version] = path
        elif version == KARPENTER_VERSION:
            missing.append(f"chart {name} {version}")
    if missing:
        raise MissingBinaries(missing)
    second = [tool for some in SECOND.values() for tool in some]
    later = {(tool.name, tool.version): Later(tool, root) for tool in second}
    mine = {key: given.tools[key] for key in later if key in given.tools}
    return Binaries(tools | mine, charts, {key: one for key, one in later.items() if key not in mine})
