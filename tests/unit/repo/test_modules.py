"""Every module is thin, documented, in its action group, run by a scenario, and has one check-mode gate."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml

from . import layout

CODE_LINES_AFTER_RETURN = 60
# One group for what talks to AWS, one for what talks to a cluster.
GROUPS = ("eks", "karpenter")
EXITS = {"exit_json", "fail_json", "fail_json_aws"}

RUNTIME = layout.load(Path("meta/runtime.yml"))


def _path(module: str) -> Path:
    return Path("plugins/modules") / f"{module}.py"


def _constant(path: Path, name: str) -> str:
    for node in ast.walk(layout.tree(path)):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
            assert isinstance(node.value, ast.Constant), f"{name} of {path} must be a plain text"
            return str(node.value.value)
    pytest.fail(f"{path} has no {name}")


def gates(path: Path) -> list[int]:
    """The lines on which the code decides by check mode."""
    found = []
    for node in ast.walk(layout.tree(path)):
        if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert | ast.BoolOp):
            test = node.test if not isinstance(node, ast.BoolOp) else node
            names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
            names |= {n.attr for n in ast.walk(test) if isinstance(n, ast.Attribute)}
            if "check_mode" in names:
                found.append(node.lineno)
    return sorted(set(found))


@pytest.mark.parametrize("module", layout.modules())
def test_entry_is_thin(module: str) -> None:
    _constant(_path(module), "RETURN")
    source = layout.text(_path(module)).splitlines()
    after = next(
        node.end_lineno or 0
        for node in layout.tree(_path(module)).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "RETURN"
    )
    code = [line for line in source[after:] if line.strip() and not line.strip().startswith("#")]
    assert len(code) <= CODE_LINES_AFTER_RETURN, f"{len(code)} lines of code after RETURN; move them to module_utils"


@pytest.mark.parametrize("module", layout.modules())
def test_only_main_exits(module: str) -> None:
    tree = layout.tree(_path(module))
    outside = [node for node in tree.body if not (isinstance(node, ast.FunctionDef) and node.name == "main")]
    calls = [
        call.lineno
        for node in outside
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in EXITS
    ]
    assert not calls, f"exit_json and fail_json belong in main(): lines {calls}"


def test_helpers_never_exit() -> None:
    calls = [
        f"{path}:{call.lineno}"
        for path in layout.matching("plugins/module_utils/**/*.py")
        for call in ast.walk(layout.tree(path))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in EXITS
    ]
    assert not calls, f"Raise EksopsError instead; main() alone talks to the user: {calls}"


def _runners(path: Path) -> list[Path]:
    """The run.py that a module's ``run`` comes from, and the run.py that this one builds on."""
    found: list[Path] = []
    for node in ast.walk(layout.tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[-1] == "run":
            parts = node.module.split(".")
            inside = parts[parts.index("module_utils") + 1 :] if "module_utils" in parts else parts
            runner = Path("plugins/module_utils", *inside).with_suffix(".py")
            found += [runner, *_runners(runner)]
    return found


@pytest.mark.parametrize("module", [name for name in layout.modules() if not name.endswith("_info")])
def test_one_check_mode_gate(module: str) -> None:
    runners = _runners(_path(module))
    assert runners, f"plugins/modules/{module}.py imports nothing from a run.py"
    found = {str(runner): lines for runner in runners if (lines := gates(runner))}
    assert sum(map(len, found.values())) == 1, f"{module} decides by check mode at {found}; once is right"


def test_gates_are_in_run_alone() -> None:
    elsewhere = {
        str(path): lines
        for path in layout.matching("plugins/**/*.py")
        if path.name != "run.py" and path.parts[1] in {"modules", "module_utils"} and (lines := gates(path))
    }
    assert not elsewhere, f"Only run.py decides by check mode: {elsewhere}"


def returned(module: str) -> dict[str, dict[str, object]]:
    """A module's return values, with those of the fragments that it extends."""
    values = yaml.safe_load(_constant(_path(module), "RETURN")) or {}
    for name in values.pop("extends_documentation_fragment", []):
        file, _, constant = name.removeprefix(f"{layout.NAMESPACE}.").partition(".")
        fragment = _constant(Path("plugins/doc_fragments") / f"{file}.py", constant.upper())
        for value, description in yaml.safe_load(fragment).items():
            values[value] = {**description, **values.get(value, {})}
    return dict(values)


@pytest.mark.parametrize("module", layout.modules())
def test_documentation(module: str) -> None:
    documentation = yaml.safe_load(_constant(_path(module), "DOCUMENTATION"))
    assert documentation["module"] == module
    # ansible-test wants a GitHub handle or this word; the collection's authors have no handle.
    assert documentation["author"] == ["Contributors to the eksops.karpenter collection (!UNKNOWN)"]
    fragments = documentation.get("extends_documentation_fragment", [])
    attributes = documentation.get("attributes", {})
    assert attributes or any("attributes" in name for name in fragments), "declare check-mode and diff-mode support"
    examples = yaml.safe_load(_constant(_path(module), "EXAMPLES"))
    assert any(f"{layout.NAMESPACE}.{module}" in task for task in examples), "an example calls the module by full name"
    undescribed = _undescribed(returned(module))
    assert not undescribed, f"RETURN lacks description, type or returned: {undescribed}"


def _undescribed(values: dict[str, dict[str, object]]) -> list[str]:
    return [name for name, value in values.items() if not {"description", "type", "returned"} <= set(value)]


def test_every_module_is_in_one_action_group() -> None:
    members = [entry for group in GROUPS for entry in RUNTIME["action_groups"][group] if isinstance(entry, str)]
    assert len(members) == len(set(members)), f"meta/runtime.yml: in two groups: {sorted(members)}"
    wanted, found = set(layout.modules()), set(members)
    assert found == wanted, f"meta/runtime.yml: missing {wanted - found}, unknown {found - wanted}"


@pytest.mark.parametrize("module", layout.modules())
def test_a_scenario_runs_it(module: str) -> None:
    call = re.compile(rf"\b{re.escape(layout.NAMESPACE)}\.{module}\b")
    scenarios = {
        path.parts[1]
        for path in layout.files()
        if path.parts[0] in {"molecule", "roles"} and path.suffix == ".yml" and call.search(layout.text(path))
    }
    assert scenarios, f"No scenario calls {layout.NAMESPACE}.{module}: add it to molecule/module_<service>/"
