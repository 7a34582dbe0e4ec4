"""Stand-ins for Go and for finished binaries: shell scripts that do what the real ones are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.build import builder
from sandbox.build.binaries import all_charts
from sandbox.build.tools import Tool

MAKES = """#!/bin/sh
case "$1" in
version) echo "go version go1.26.8 linux/amd64" ;;
env) echo "{root}/go-cache" ;;
build | test)
    echo "$CGO_ENABLED|$GOFLAGS|$GOWORK|$*" >> "{root}/calls"
    while [ "$1" != -o ]; do shift; done
    {behaviour}
    printf '#!/bin/sh\\necho v1.0.0\\n' > "$2" ;;
esac
"""
TOOLS = (
    Tool("one", "1.0.0", "example.org/one", seconds=60),
    Tool("two", "1.0.0", "example.org/two", module_dir="versions/registry-3.1.2", seconds=120),
)


SECOND = {
    "old-0.9.0": (
        Tool("one", "0.9.0", "example.org/one", source="1.0.0", seconds=30),
        Tool("three", "0.9.0", "example.org/three", seconds=30),
    )
}


@dataclass
class World:
    """A cache, an environment whose PATH has a Go of our making, and what was said."""

    root: Path
    environ: dict[str, str]
    said: list[str]

    @property
    def cache(self) -> Path:
        return self.root / "xdg" / "eksops-karpenter"

    @property
    def calls(self) -> list[str]:
        path = self.root / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def go(self, behaviour: str = ":") -> None:
        """Install a Go that does ``behaviour`` before it writes a binary."""
        path = self.root / "path" / "go"
        path.parent.mkdir(exist_ok=True)
        path.write_text(MAKES.format(root=self.root, behaviour=behaviour))
        path.chmod(0o755)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Two small tools instead of nine big ones, and charts that are packaged already."""
    for module in ("builder", "binaries"):
        monkeypatch.setattr(f"sandbox.build.{module}.TOOLS", TOOLS)
        monkeypatch.setattr(f"sandbox.build.{module}.SECOND", SECOND)
    monkeypatch.setattr(builder, "_require_machine", lambda *_: None)
    environ = {"XDG_CACHE_HOME": str(tmp_path / "xdg"), "PATH": f"{tmp_path / 'path'}:/usr/bin:/bin"}
    found = World(tmp_path, environ, [])
    charts = found.cache / "charts"
    charts.mkdir(parents=True)
    for name, version in all_charts():
        (charts / f"{name}-{version}.tgz").touch()
    return found


@pytest.fixture
def script() -> Callable[[Path, str], Path]:
    """Makes an executable shell script."""

    def make(path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    return make
