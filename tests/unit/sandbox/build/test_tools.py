"""The table of tools and the go.mod files that pin them say the same."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sandbox.build.tools import KUBERNETES_VERSION, KUBERNETES_VERSIONS, PACKAGE_DIR, SECOND, TOOLS, Tool
from sandbox.eks.versions import MINORS

BY_NAME = {tool.name: tool for tool in TOOLS}
ALL = [*TOOLS, *(tool for tools in SECOND.values() for tool in tools)]


def _go_mod(tool: Tool) -> str:
    return (PACKAGE_DIR / tool.module_dir / "go.mod").read_text(encoding="utf-8")


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.label)
def test_each_tool_is_a_tool_of_its_go_mod_at_its_version(tool: Tool) -> None:
    text = _go_mod(tool)
    assert re.search(rf"^(?:tool )?\t?{re.escape(tool.package)}$", text, re.MULTILINE)
    required = dict(re.findall(r"^\t(\S+) v(\S+)", text, re.MULTILINE))
    module = max((name for name in required if tool.package.startswith(name)), key=len)
    source = tool.source or tool.version
    assert required[module] == source
    assert f"{module} v{source} h1:" in (PACKAGE_DIR / tool.module_dir / "go.sum").read_text(encoding="utf-8")


def test_a_version_of_another_name_says_what_it_is_built_from_and_is_built_again_when_that_moves() -> None:
    [tool] = [one for one in SECOND["kubernetes-1.35.9"] if one.name == "kube-apiserver"]
    assert tool.label == f"kube-apiserver v1.35.9 (built from v{KUBERNETES_VERSION})"
    assert "gitVersion=v1.35.9 " in tool.flags
    assert "gitMinor=35 " in tool.flags
    assert replace(tool, source="1.36.4").recipe != tool.recipe
    assert tool.recipe != BY_NAME["kube-apiserver"].recipe


def test_the_versions_that_can_be_started_are_the_newest_patches_of_eks() -> None:
    assert {minor: MINORS[minor].patch for minor in KUBERNETES_VERSIONS} == KUBERNETES_VERSIONS


def test_staging_modules_of_kubernetes_are_of_its_release() -> None:
    minor = KUBERNETES_VERSION.partition(".")[2]
    replaced = re.findall(r"^\t(k8s\.io/\S+) => k8s\.io/\S+ v0\.(\S+)$", _go_mod(BY_NAME["kubectl"]), re.MULTILINE)
    assert len(replaced) > 20
    assert {version for _, version in replaced} == {minor}


def test_go_mod_files_hold_nothing_of_this_machine() -> None:
    for path in PACKAGE_DIR.rglob("go.mod"):
        text = path.read_text(encoding="utf-8")
        assert "=> /" not in text
        assert "=> ." not in text
        assert "://" not in text


def test_a_version_is_matched_as_a_whole() -> None:
    tool = BY_NAME["helm"]
    assert tool.matches("v3.22.0")
    assert tool.matches("version.BuildInfo{Version:'v3.22.0'}")
    assert not tool.matches("v3.22.01")
    assert not tool.matches("v13.22.0")
    assert not tool.matches("v3.22.0.1")
    assert not tool.matches("v3.21.0")


def test_another_recipe_is_another_binary() -> None:
    one = Tool("a", "1.0.0", "example.org/a")
    assert one.recipe == Tool("a", "1.0.0", "example.org/a", seconds=5).recipe
    assert one.recipe != Tool("a", "1.0.0", "example.org/a", "-s").recipe
    assert one.recipe != Tool("a", "1.0.1", "example.org/a").recipe


def test_go_sum_pins_every_module() -> None:
    """Go refuses to build with a module whose hash is not there, and would have to ask a server for it."""
    for path in PACKAGE_DIR.rglob("go.mod"):
        text = path.read_text(encoding="utf-8")
        replaced = dict(re.findall(r"^\t(\S+) => \S+ (v\S+)$", text, re.MULTILINE))
        required = dict(re.findall(r"^\t(\S+) (v\S+)(?: // indirect)?$", text, re.MULTILINE))
        assert len(required) > 50
        sums = path.with_name("go.sum").read_text(encoding="utf-8")
        bare = [f"{name} {v}" for name, v in (required | replaced).items() if f"{name} {v}/go.mod h1:" not in sums]
        # Modules that are replaced for the sake of Kubernetes' own go.mod and that nothing here needs.
        assert {one.partition(" ")[0] for one in bare} <= replaced.keys() - required.keys()
