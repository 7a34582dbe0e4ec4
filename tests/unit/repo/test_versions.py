"""Version, licence, floors and default versions are said once, or say the same."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from . import layout

GALAXY = layout.load(Path("galaxy.yml"))
PROJECT = tomllib.loads(layout.text(Path("pyproject.toml")))
RUNTIME = layout.load(Path("meta/runtime.yml"))


def test_version() -> None:
    assert PROJECT["project"]["version"] == GALAXY["version"]


def test_licence() -> None:
    assert GALAXY["license"] == [PROJECT["project"]["license"]] == ["GPL-3.0-or-later"]
    assert layout.text(Path("LICENSE")).split("\n", 1)[0].strip() == "GNU GENERAL PUBLIC LICENSE"


def test_description() -> None:
    assert PROJECT["project"]["description"] == GALAXY["description"]


def test_floor_of_ansible() -> None:
    floor = RUNTIME["requires_ansible"].removeprefix(">=").removesuffix(".0")
    locked = re.search(r"^ansible-core==([0-9]+\.[0-9]+)", layout.text(Path("requirements/dev.txt")), re.MULTILINE)
    assert locked
    assert locked.group(1) == floor, "the floor is what is tested"
    assert f'"{floor}"' in layout.text(Path(".ansible-lint"))
    for path in ("README.md", "docs/docsite/rst/getting_started.rst"):
        assert f"ansible-core {floor}" in layout.text(Path(path)), f"{path} names another ansible-core"


def test_floor_of_python() -> None:
    floor = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{floor.replace('.', '')}"
    assert PROJECT["tool"]["mypy"]["python_version"] == floor
    for path in ("README.md", "docs/docsite/rst/getting_started.rst"):
        assert f"Python {floor}" in layout.text(Path(path)), f"{path} names another Python"


def test_floors_of_dependencies() -> None:
    readme = layout.text(Path("README.md"))
    for name, wanted in GALAXY["dependencies"].items():
        assert f"{name} {wanted.removeprefix('>=')}" in readme, f"README.md names another {name} than galaxy.yml"


def test_default_versions_are_the_same_in_all_roles() -> None:
    """Roles read eksops_kubernetes_version and eksops_karpenter_version with one and the same fallback each."""
    for name in ("eksops_kubernetes_version", "eksops_karpenter_version"):
        fallbacks = {
            fallback
            for path in layout.matching("roles/*/defaults/main.yml")
            for fallback in re.findall(rf"{name} \| default\(['\"]([^'\"]+)['\"]", layout.text(path))
        }
        assert len(fallbacks) <= 1, f"{name} falls back to {fallbacks}"


def test_changelog_has_a_release_summary() -> None:
    fragment = layout.load(Path("changelogs/fragments") / f"{GALAXY['version']}.yml")
    assert fragment["release_summary"].strip()
