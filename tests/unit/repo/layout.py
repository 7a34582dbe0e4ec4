"""What the repository holds, as the tests of its shape see it."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]
NAMESPACE = "eksops.karpenter"
# Upstream data, vendored as it is: design.md's rule is licence, source and version beside it.
VENDORED = "_vendor"


@cache
def files() -> tuple[Path, ...]:
    """All files of the project, relative to its root: what git tracks or would take."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = (Path(name) for name in listed.split("\0") if name)
    return tuple(sorted(path for path in paths if (ROOT / path).is_file() and VENDORED not in path.parts))


def matching(pattern: str) -> list[Path]:
    """The project's files that match a glob from the root (``**`` spans folders)."""
    wanted = {path.relative_to(ROOT) for path in ROOT.glob(pattern)}
    return [path for path in files() if path in wanted]


def text(path: Path) -> str:
    """The content of a file given relative to the root."""
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a Python file given relative to the root."""
    return ast.parse(text(path), filename=str(path))


def load(path: Path) -> Any:
    """The one YAML document of a file given relative to the root."""
    return yaml.safe_load(text(path))


@cache
def roles() -> tuple[str, ...]:
    """The names of the roles."""
    return tuple(sorted({path.parts[1] for path in files() if path.parts[0] == "roles" and len(path.parts) > 2}))


@cache
def modules() -> tuple[str, ...]:
    """The names of the modules."""
    return tuple(path.stem for path in matching("plugins/modules/*.py"))


@cache
def playbooks() -> tuple[str, ...]:
    """The names of the playbooks."""
    return tuple(path.stem for path in matching("playbooks/*.yml") if not path.stem.endswith(".meta"))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a Python file."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
