"""Rules that hold for every file."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from . import layout

PYTHON_LINES = 300
FUNCTION_LINES = 40
TASK_FILE_LINES = 80

HEADER = (
    "# Copyright: Contributors to the eksops.karpenter collection",
    "# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)",
)
# Written so that this file does not hold what it looks for.
MACHINE_PATHS = re.compile("|".join(["/" + "work/", "/" + "root/", "/tmp/" + "brief"]))
LEFT_FOR_LATER = re.compile("|".join(rf"\b{word}\b" for word in ["TO" + "DO", "FIX" + "ME", "X" + "XX"]))
SWITCHED_OFF = re.compile(
    "|".join([r"mark\.skip", r"pytest\.skip\(", r"mark\." + "xfail", "importor" + "skip", r"unittest\." + "skip"])
)
SILENCED = re.compile(r"#\s*(?:no" + r"qa|type:\s*ig" + r"nore|pylint:\s*dis" + r"able|nos" + r"ec)")
REASONED = re.compile(r"#\s*(?:no" + r"qa: [A-Z]+\d+|type: ig" + r"nore\[[a-z-]+\]|nos" + r"ec)\s.*\w{3}")
LINT_SKIPS = re.compile(r"^\s*(?:skip_list|warn_list|enable_list):|#\s*no" + r"qa|skip_" + "ansible_lint", re.MULTILINE)

PYTHON = [path for path in layout.files() if path.suffix == ".py"]
TEXT = [path for path in layout.files() if path.suffix not in {".gz", ".png", ".svg", ".tgz", ".pem", ".sum"}]


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring."""
    lines = (function.end_lineno or 0) - function.lineno + 1
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        lines -= (first.end_lineno or 0) - first.lineno + 1
    return lines


def test_python_files_are_small() -> None:
    long = {str(path): count for path in PYTHON if (count := layout.text(path).count("\n")) > PYTHON_LINES}
    assert not long, f"More than {PYTHON_LINES} lines; split by idea: {long}"


def test_functions_are_small() -> None:
    long = {
        f"{path}:{function.lineno} {function.name}": length(function)
        for path in PYTHON
        for function in layout.functions(path)
        if length(function) > FUNCTION_LINES
    }
    assert not long, f"More than {FUNCTION_LINES} lines without docstring; give the steps names: {long}"


def test_task_files_are_small() -> None:
    paths = layout.matching("roles/*/tasks/*.yml")
    long = {str(path): count for path in paths if (count := layout.text(path).count("\n")) > TASK_FILE_LINES}
    assert not long, f"More than {TASK_FILE_LINES} lines: {long}"


def test_plugins_carry_the_licence_header() -> None:
    bare = []
    for path in layout.files():
        if path.parts[0] != "plugins" or path.suffix != ".py" or not layout.text(path).strip():
            continue
        lines = layout.text(path).splitlines()
        start = 1 if lines[0].startswith("#!") else 0
        if tuple(lines[start : start + 2]) != HEADER:
            bare.append(str(path))
    assert not bare, f"The first lines (after #! in modules) must be {HEADER}: {bare}"


def test_yaml_files_end_in_yml() -> None:
    # antsibull-changelog's own files have names that the tool fixes.
    named = [str(path) for path in layout.files() if path.suffix == ".yaml" and path.parts[0] != "changelogs"]
    assert not named, f"Call them .yml: {named}"


@pytest.mark.parametrize(
    ("rule", "pattern", "paths"),
    [
        ("a path of one machine", MACHINE_PATHS, TEXT),
        ("work left for later", LEFT_FOR_LATER, [path for path in TEXT if path.name != "LICENSE"]),
        ("a test that is switched off", SWITCHED_OFF, [path for path in PYTHON if path.parts[0] == "tests"]),
        (
            "a lint rule switched off",
            LINT_SKIPS,
            [path for path in layout.files() if path.suffix == ".yml" or path.name == ".ansible-lint"],
        ),
    ],
)
def test_no_file_holds(rule: str, pattern: re.Pattern[str], paths: list[Path]) -> None:
    found = [
        f"{path}:{number}: {line.strip()[:100]}"
        for path in paths
        for number, line in enumerate(layout.text(path).splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, f"These lines hold {rule}: {found}"


def test_silenced_checks_say_why() -> None:
    """A checker may be silenced for one line and one rule, with a reason in the same comment."""
    found = [
        f"{path}:{number}: {line.strip()[:100]}"
        for path in PYTHON
        for number, line in enumerate(layout.text(path).splitlines(), 1)
        if SILENCED.search(line) and not REASONED.search(line)
    ]
    assert not found, f"Fix the finding or say why it cannot be fixed: {found}"


def test_checkers_have_no_rule_switched_off_for_all_files() -> None:
    """A rule may be switched off for files that cannot keep it, with a reason above; mypy is as strict as it can be."""
    tool = tomllib.loads(layout.text(Path("pyproject.toml")))["tool"]
    assert not {"ignore", "extend-ignore"} & set(tool["ruff"]["lint"])
    loose = {key: value for key, value in tool["mypy"].items() if key.startswith(("disallow", "warn", "check", "no_"))}
    assert (tool["mypy"]["strict"], loose) == (True, {})
    assert not any("ignore_errors" in override for override in tool["mypy"]["overrides"])


def test_there_are_no_ignore_files() -> None:
    names = {".ansible-lint-ignore", ".pylintrc", "tox.ini", "uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock"}
    found = [str(path) for path in layout.files() if path.name in names or path.match("tests/sanity/ignore*")]
    assert not found, f"No finding is ignored and no lock file records download addresses: {found}"


def test_requirements_have_hashes_and_no_addresses() -> None:
    for path in layout.matching("requirements/*.txt"):
        content = layout.text(path)
        assert not re.search(r"https?://|index-url|find-links|trusted-host|@ file", content), f"{path} holds an address"
        pins = re.findall(r"^[A-Za-z0-9_.-]+(?:\[[^]]*\])?==[^\n]*\n(\s+--hash)?", content, re.MULTILINE)
        assert pins, f"{path} pins nothing"
        assert all(pins), f"{path} has a pin without a hash: run make requirements"
        assert (layout.ROOT / path).with_suffix(".in").exists(), f"{path} has no .in file"
