"""Tools and libraries: found where, in which version, and is that enough."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._preflight.tools import (
    check_python,
    check_tools,
    find_tool,
)


def executable(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def prints(text: str, code: int = 0) -> Callable[[list[str]], tuple[int, str, str]]:
    return lambda command: (code, text, "")


@pytest.mark.parametrize(
    ("output", "code", "problem"),
    [
        ("v3.22.0+gabc", 0, None),
        ("v3.8.0", 0, None),
        ("v4.1.0+g123", 0, None),
        ("v3.7.2", 0, "helm 3.7.2 is too old"),
        ("v2.17.0", 0, "helm 2.17.0 is too old"),
        ("hello", 0, "does not tell its version"),
        ("v3.22.0", 1, "does not tell its version"),
    ],
)
def test_helm(tmp_path: Path, output: str, code: int, problem: str | None) -> None:
    path = executable(tmp_path, "helm")
    outcome = check_tools(["helm"], str(tmp_path), prints(output, code))
    assert outcome.facts["tools"][0]["path"] == str(path)
    assert [finding.what for finding in outcome.findings] == ([] if problem is None else [outcome.findings[0].what])
    if problem:
        assert problem in outcome.findings[0].what
        assert "3.8.0 or newer" in str(outcome.findings[0].allowed)


def test_a_missing_helm_says_where_it_was_sought_and_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (finding,) = check_tools(["helm"], None, prints("")).findings
    assert finding.what == "helm is not installed"
    assert "PATH" in str(finding.where)
    assert "eksops_binary_dir" in str(finding.next_step)


def test_the_given_folder_comes_before_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path, given = executable(tmp_path / "path", "helm"), executable(tmp_path / "given", "helm")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_tool("helm", str(given.parent)) == str(given)
    assert find_tool("helm", None) == str(on_path)
    assert find_tool("helm", str(tmp_path)) == str(on_path)
    given.chmod(0o644)
    assert find_tool("helm", str(given.parent)) == str(on_path)


@pytest.mark.parametrize("name", ["kubectl", "aws", "eksctl"])
def test_what_no_role_runs_is_not_asked_for(name: str) -> None:
    with pytest.raises(EksopsError, match="No role needs"):
        check_tools([name], None, prints(""))


def test_libraries() -> None:
    def installed(name: str) -> str:
        versions = {"boto3": "1.43.0", "botocore": "1.20.0"}
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    outcome = check_python(["boto3", "botocore", "kubernetes"], installed)
    assert [finding.what for finding in outcome.findings] == [
        "Python library botocore 1.20.0 is too old",
        "Python library kubernetes is not installed",
    ]
    assert "pip install 'kubernetes>=" in str(outcome.findings[1].next_step)
    assert [row["name"] for row in outcome.facts["python"]] == ["python", "boto3", "botocore", "kubernetes"]
