"""``python -m sandbox build``: builds what is missing, tells how far it is, can be interrupted and run again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sandbox.build import cache, charts, checks, golang
from sandbox.build.binaries import CHARTS, Binaries, ReadyMade, chart_path, ready_made, resolve
from sandbox.build.golang import BuildFailed
from sandbox.build.tools import KARPENTER_MODULES, KARPENTER_VERSION, SECOND, TOOLS, Tool

Say = Callable[[str], None]


def _print(line: str) -> None:
    print(line, flush=True)


def _require_machine(go: str, root: Path, environ: Mapping[str, str]) -> None:
    problems = (
        checks.platform_problems()
        + checks.disk_problems(sorted({root, golang.go_cache(go, environ)}))
        + checks.memory_problems(checks.BUILD_MEMORY_BYTES, "a build")
    )
    if problems:
        raise BuildFailed("; ".join(problems))


def _minutes(seconds: float) -> str:
    return f"{max(1, round(seconds / 60))} min"


def _build_one(go: str, tool: Tool, root: Path, tell: Callable[[float, bool], None]) -> None:
    folder = cache.binary_path(root, tool).parent
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{tool.name}.new"
    try:
        took = golang.build(go, tool, fresh, folder / "build.log", lambda seconds: tell(seconds, False))
        tell(took, True)
        cache.keep(root, tool, fresh)
    finally:
        fresh.unlink(missing_ok=True)


def _build_all(go: str, root: Path, missing: Sequence[Tool], say: Say) -> None:
    started = time.monotonic()
    forecast = sum(tool.seconds for tool in missing)
    say(
        f"building {len(missing)} binaries into {root / 'bin'}: up to {_minutes(forecast)} on two "
        "cores with nothing cached; once per version, and an interrupted build goes on where it stopped"
    )
    for number, tool in enumerate(missing, 1):
        prefix = f"[{number}/{len(missing)}] {tool.label}"
        left = sum(other.seconds for other in missing[number - 1 :])
        say(f"{prefix} ... up to {_minutes(left)} left")

        def tell(seconds: float, done: bool, prefix: str = prefix) -> None:
            word = "built in" if done else "..."
            say(f"{prefix} {word} {seconds:.0f} s, total {time.monotonic() - started:.0f} s")

        _build_one(go, tool, root, tell)


def _missing(tools: Sequence[Tool], root: Path, given: ReadyMade) -> list[Tool]:
    return [t for t in tools if (t.name, t.version) not in given.tools and not cache.is_built(root, t)]


def _build_tools(tools: Sequence[Tool], environ: Mapping[str, str], given: ReadyMade, say: Say) -> None:
    root = cache.cache_dir(environ)
    if missing := _missing(tools, root, given):
        go = golang.find_go(environ)
        _require_machine(go, root, environ)
        _build_all(go, root, missing, say)


def _build_missing(environ: Mapping[str, str], given: ReadyMade, say: Say, wanted: Sequence[Tool]) -> None:
    root = cache.cache_dir(environ)
    _build_tools(wanted, environ, given, say)
    for version in KARPENTER_MODULES:
        if not _charts_there(root, given, version):
            _package(environ, given, say, version)


def _package(environ: Mapping[str, str], given: ReadyMade, say: Say, version: str) -> None:
    """Package the charts of a Karpenter version; without those of a second one the sandbox can do."""
    root = cache.cache_dir(environ)
    try:
        source = golang.module_folder(golang.find_go(environ), charts.MODULE, KARPENTER_MODULES[version], environ)
        helm = next(tool for tool in TOOLS if tool.name == "helm")
        helm_path = given.tools.get((helm.name, helm.version), cache.binary_path(root, helm))
        for path in charts.package(helm_path, source, root, version):
            say(f"packaged {path.name}")
    except BuildFailed as error:
        if version == KARPENTER_VERSION:
            raise
        say(f"no charts of Karpenter {version}: {error}")


def _charts_there(root: Path, given: ReadyMade, version: str) -> bool:
    return all((name, version) in given.charts or chart_path(root, name, version).is_file() for name in CHARTS)


def ensure(
    environ: Mapping[str, str] = os.environ, say: Say = _print, *, second: Sequence[str] = ()
) -> Binaries:
    """Build what is missing, of ``second`` versions those that are named, and return everything.

    Raises BuildFailed with one clear text.
    """
    given = ready_made(environ)
    for note in given.notes:
        say(note)
    root, wanted = cache.cache_dir(environ), [*TOOLS, *(tool for name in second for tool in SECOND[name])]
    if not _complete(environ, given, wanted):
        with cache.build_lock(root):
            _build_missing(environ, given, say, wanted)
    return resolve(environ, given)


def _complete(environ: Mapping[str, str], given: ReadyMade, wanted: Sequence[Tool]) -> bool:
    root = cache.cache_dir(environ)
    return not _missing(wanted, root, given) and all(_charts_there(root, given, version) for version in KARPENTER_MODULES)


def ensure_tools(tools: Sequence[Tool], environ: Mapping[str, str] = os.environ, say: Say = _print) -> dict[str, Path]:
    """Build what is missing of ``tools``, which are others than the sandbox's own, into the same cache.

    Returns their paths by name. Raises BuildFailed with one clear text.
    """
    root, given = cache.cache_dir(environ), ready_made(environ, tools)
    if _missing(tools, root, given):
        with cache.build_lock(root):
            _build_tools(tools, environ, given, say)
    return {tool.name: given.tools.get((tool.name, tool.version), cache.binary_path(root, tool)) for tool in tools}
