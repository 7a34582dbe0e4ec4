"""What is decided is decided by pure code: plans and models import the standard library only."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from . import layout

PURE_NAMES = {"model.py", "plan.py"}
PURE = [path for path in layout.matching("plugins/**/*.py") if path.name in PURE_NAMES]


def _imports(path: Path) -> list[tuple[int, str | None, list[str]]]:
    """(relative level, module, names) of each import."""
    found: list[tuple[int, str | None, list[str]]] = []
    for node in ast.walk(layout.tree(path)):
        if isinstance(node, ast.Import):
            found += [(0, alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.level, node.module, [alias.name for alias in node.names]))
    return found


def _relative(path: Path, level: int, module: str | None, names: list[str]) -> list[Path]:
    """The project's files that a relative import loads."""
    base = path.parents[level - 1]
    target = base.joinpath(*(module or "").split(".")) if module else base
    if (layout.ROOT / target).with_suffix(".py").is_file():
        return [target.with_suffix(".py")]
    return [target / f"{name}.py" for name in names if (layout.ROOT / target / f"{name}.py").is_file()]


def impurities(path: Path, seen: frozenset[Path] = frozenset()) -> list[str]:
    """Imports from outside the standard library, followed through the collection's own files."""
    found = []
    for level, module, names in _imports(path):
        if level:
            for target in _relative(path, level, module, names):
                if target not in seen:
                    found += impurities(target, seen | {path})
        elif module and module.split(".")[0] not in sys.stdlib_module_names:
            found.append(f"{path} imports {module}")
    return found


def test_there_is_pure_code() -> None:
    assert PURE


@pytest.mark.parametrize("path", PURE, ids=str)
def test_pure_files_import_the_standard_library_only(path: Path) -> None:
    assert not impurities(path)


def test_only_api_files_call_boto() -> None:
    """boto3 and botocore come in by the files that talk to AWS."""
    allowed = {"api.py", "waiters.py", "client.py", "errors.py", "exec_credential.py"}
    found = [
        f"{path} imports {module}"
        for path in layout.matching("plugins/**/*.py")
        if path.name not in allowed
        for level, module, _ in _imports(path)
        if not level and module and module.split(".")[0] in {"boto3", "botocore"}
    ]
    assert not found


def test_production_code_knows_no_sandbox() -> None:
    found = [
        str(path)
        for path in layout.files()
        if path.parts[0] in {"plugins", "roles", "playbooks"} and path.suffix in {".py", ".yml"}
        if any(word in layout.text(path) for word in ("127.0.0.1", ".sandbox/", "EKSOPS_SANDBOX", "ministack", "moto"))
    ]
    assert not found, f"The sandbox is reached by the same inputs as AWS: {found}"


def test_sandbox_knows_no_collection_code() -> None:
    found = [
        f"{path} imports {module}"
        for path in layout.matching("sandbox/**/*.py")
        for level, module, _ in _imports(path)
        if not level and module and module.startswith("ansible")
    ]
    assert not found, f"A twin that shares code with what it tests agrees with its mistakes: {found}"
