"""The checks of the shape find what they are for."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from . import layout, test_files, test_modules, test_purity, test_roles

Pretend = Callable[[str, str], Path]


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """Makes the checks see a file that is not there."""
    contents: dict[Path, str] = {}
    real_text = layout.text

    def text(path: Path) -> str:
        return contents[path] if path in contents else real_text(path)

    monkeypatch.setattr(layout, "text", text)
    monkeypatch.setattr(layout, "tree", lambda path: ast.parse(text(path)))

    def make(name: str, content: str) -> Path:
        contents[Path(name)] = content
        return Path(name)

    return make


@pytest.mark.parametrize(
    ("source", "number"),
    [
        ("def run(check_mode):\n    if not check_mode:\n        write()\n", 1),
        ("def run(module):\n    if module.check_mode:\n        return\n    x = 1 if module.check_mode else 2\n", 2),
        ("def run(check_mode):\n    write()\n", 0),
        ("def run(plan, check_mode):\n    return plan.changed and not check_mode\n", 1),
    ],
)
def test_gates_are_counted(pretend: Pretend, source: str, number: int) -> None:
    assert len(test_modules.gates(pretend("plugins/module_utils/_x/run.py", source))) == number


@pytest.mark.parametrize(
    ("source", "pure"),
    [
        ("import json\nfrom dataclasses import dataclass\n", True),
        ("import boto3\n", False),
        ("from .._core.plan import Plan\n", True),
        ("def late():\n    import yaml\n", False),
        ("from .._aws.client import Aws\n", False),
    ],
)
def test_impurity_is_found_also_behind_our_own_files(pretend: Pretend, source: str, pure: bool) -> None:
    assert (test_purity.impurities(pretend("plugins/module_utils/_x/plan.py", source)) == []) == pure


def test_texts_for_people_may_name_variables_of_others_and_expressions_may_not(pretend: Pretend) -> None:
    path = pretend(
        "roles/x/tasks/present.yml",
        "- name: Say it\n  ansible.builtin.fail:\n    msg: Take eks_cluster_result, not {{ eks_network_result.id }}\n",
    )
    code = test_roles._code(path)
    assert "eks_network_result" in code
    assert "eks_cluster_result" not in code


@pytest.mark.parametrize(
    ("line", "silences", "reasoned"),
    [
        ("x = 1  # no" + "qa: E501 the address is that long", True, True),
        ("x = 1  # no" + "qa", True, False),
        ("x = None  # type: ig" + "nore[assignment]", True, False),
        ("x = 1  # an ordinary remark", False, False),
    ],
)
def test_silenced_checks_are_found(line: str, silences: bool, reasoned: bool) -> None:
    assert bool(test_files.SILENCED.search(line)) == silences
    assert bool(test_files.REASONED.search(line)) == reasoned


def test_length_leaves_the_docstring_out() -> None:
    (function,) = ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    a = 1\n    return a\n').body
    assert isinstance(function, ast.FunctionDef)
    assert test_files.length(function) == 3
