"""Second versions are built once for all who wait, by a child whose log stays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.agent import images
from sandbox.build import binaries, builder, cache, ondemand
from sandbox.build.binaries import Binaries
from sandbox.build.ondemand import OnDemand, Programs
from sandbox.process import Processes
from tests.unit.waiting import eventually

from .conftest import SECOND, World

IMAGE = "public.ecr.aws/karpenter/controller:0.9.0"


@pytest.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    found = Processes(tmp_path / "state")
    yield found
    await found.stop_all(grace_seconds=0.5)


@pytest.fixture
def built(world: World, monkeypatch: pytest.MonkeyPatch) -> Binaries:
    """The first versions; a build of a second one is a shell that does what ``world.root/how`` says."""
    world.go()
    monkeypatch.setattr(ondemand, "SECOND", SECOND)
    found = builder.ensure(world.environ, world.said.append)
    monkeypatch.setattr(ondemand.sys, "executable", _shell(world))
    return found


def _shell(world: World) -> str:
    path = world.root / "python"
    lines = [f"echo x >> {world.root}/builds", f". {world.root}/how"]
    for tool in SECOND["old-0.9.0"]:
        target = cache.binary_path(world.cache, tool)
        lines += [f"mkdir -p {target.parent}", f"printf '#!/bin/sh\\n' > {target}", f"chmod 755 {target}"]
        lines += [f"echo {tool.recipe} > {cache.recipe_path(world.cache, tool)}"]
    path.write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
    path.chmod(0o755)
    return str(path)


async def test_who_waits_waits_for_the_same_build(world: World, built: Binaries, processes: Processes) -> None:
    (world.root / "how").write_text("sleep 0.2\n")
    on_demand = OnDemand(processes, built)
    await asyncio.gather(on_demand.provide("old-0.9.0"), on_demand.provide("old-0.9.0"))
    assert built.path("one", "0.9.0").exists()
    await on_demand.provide("old-0.9.0")
    await on_demand.provide("kubernetes-of-the-first-version")
    assert (world.root / "builds").read_text() == "x\n"


async def test_a_build_that_fails_says_why_and_can_be_tried_again(
    world: World, built: Binaries, processes: Processes
) -> None:
    (world.root / "how").write_text("echo error: no space left; exit 1\n")
    on_demand = OnDemand(processes, built)
    with pytest.raises(RuntimeError, match=r"(?s)building old-0\.9\.0 failed with exit code 1.*no space left"):
        await on_demand.provide("old-0.9.0")
    (world.root / "how").write_text("\n")
    await on_demand.provide("old-0.9.0")
    assert not built.missing("old-0.9.0")


async def test_an_image_that_is_not_built_is_being_built_while_its_pod_waits(
    world: World, built: Binaries, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (world.root / "how").write_text(f"while [ ! -e {world.root}/go-on ]; do sleep 0.05; done\n")
    monkeypatch.setattr(images, "PROGRAM", "three")
    programs = Programs(built, OnDemand(processes, built))
    assert set(programs) == {"one-1.0.0", "two-1.0.0"}
    with pytest.raises(LookupError, match=r"not yet; the sandbox builds old-0\.9\.0, for 0 s now"):
        images.binary(IMAGE, programs)
    (world.root / "go-on").touch()
    await eventually(lambda: not built.missing("old-0.9.0"), "the build")
    assert images.binary(IMAGE, programs) == built.path("three", "0.9.0")
    assert len(programs) == 4
    with pytest.raises(LookupError, match="not found; the sandbox has built three-0.9.0"):
        images.binary(IMAGE.replace("0.9.0", "0.8.0"), programs)


def test_what_the_user_brings_is_not_built(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.go()
    for tool in SECOND["old-0.9.0"]:
        path = world.root / "mine" / tool.folder
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\necho v0.9.0\n")
        path.chmod(0o755)
    environ = world.environ | {binaries.BIN_DIR_VARIABLE: str(world.root / "mine")}
    found = builder.ensure(environ, world.said.append)
    assert not found.missing("old-0.9.0")
    assert found.path("three", "0.9.0") == world.root / "mine" / "three-0.9.0"
