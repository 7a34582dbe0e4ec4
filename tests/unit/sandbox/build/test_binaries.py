"""Ready-made binaries are used when they report the right version, and only then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.build import MissingBinaries, builder, resolve
from sandbox.build.binaries import ready_made

from .conftest import TOOLS, World

Script = Callable[[Path, str], Path]


def test_a_ready_made_binary_is_used_and_named(world: World, script: Script) -> None:
    world.go()
    mine = script(world.root / "mine" / "one", "echo one version v1.0.0")
    environ = world.environ | {"EKSOPS_SANDBOX_BIN_DIR": str(mine.parent)}
    found = builder.ensure(environ, world.said.append)
    assert found.path("one") == mine
    assert found.path("two") == world.cache / "bin" / "two-1.0.0" / "two"
    assert f"using ready-made one v1.0.0: {mine}" in world.said


def test_one_of_another_version_is_not_used_and_that_is_said(world: World, script: Script) -> None:
    world.go()
    mine = script(world.root / "mine" / "one", "echo one version v1.0.1")
    environ = world.environ | {"EKSOPS_SANDBOX_BIN_DIR": str(mine.parent)}
    assert builder.ensure(environ, world.said.append).path("one") != mine
    assert f"not using {mine}: wanted 1.0.0, it reports 'one version v1.0.1'" in world.said


def test_one_that_cannot_tell_its_version_is_not_used(world: World, script: Script) -> None:
    mine = script(world.root / "mine" / "two", "exit 3")
    [note] = ready_made({"EKSOPS_SANDBOX_BIN_DIR": str(mine.parent)}, TOOLS).notes
    assert note == f"not using {mine}: wanted 1.0.0, it reports 'nothing, exit code 3'"


def test_the_layout_of_the_cache_is_understood_too(world: World, script: Script) -> None:
    mine = script(world.root / "mine" / "one-1.0.0" / "one", "echo v1.0.0")
    found = ready_made({"EKSOPS_SANDBOX_BIN_DIR": str(world.root / "mine")}, TOOLS)
    assert found.tools == {("one", "1.0.0"): mine}


def test_a_folder_that_is_not_there_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="EKSOPS_SANDBOX_BIN_DIR names /no/such/folder, which is not a folder"):
        ready_made({"EKSOPS_SANDBOX_BIN_DIR": "/no/such/folder"})


def test_what_is_missing_is_named(world: World) -> None:
    (world.cache / "charts" / "karpenter-1.14.0.tgz").unlink()
    with pytest.raises(MissingBinaries, match=r"one v1\.0\.0, two v1\.0\.0, chart karpenter 1\.14\.0; run: python -m"):
        resolve(world.environ)


def test_paths_links_and_unknown_names(world: World) -> None:
    world.go()
    found = builder.ensure(world.environ, world.said.append)
    assert found.path("two") == found.path("two", "1.0.0")
    for _ in range(2):
        found.link(world.root / "links", ("one",))
    assert (world.root / "links" / "one").resolve() == found.path("one")
    with pytest.raises(LookupError, match=r"no binary one 2\.0\.0; versions there are: 1\.0\.0"):
        found.path("one", "2.0.0")
    with pytest.raises(LookupError, match="no binary three; versions there are: none"):
        found.path("three")
