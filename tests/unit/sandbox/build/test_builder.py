"""A build makes what is missing, goes on where it stopped, and says in one sentence why it cannot."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.build import builder, checks, golang
from sandbox.build.golang import BuildFailed
from sandbox.build.tools import Tool

from tests.unit.waiting import HANGS_SECONDS, until
from .conftest import TOOLS, World

ROOT = Path(__file__).resolve().parents[4]


def test_everything_is_built_once(world: World) -> None:
    world.go()
    found = builder.ensure(world.environ, world.said.append)
    assert found.path("one") == world.cache / "bin" / "one-1.0.0" / "one"
    assert os.access(found.path("two"), os.X_OK)
    assert len(world.calls) == 2
    assert all(call.startswith("0||off|build -ldflags -s -w -o ") for call in world.calls)
    assert "[1/2] one v1.0.0 ... up to 3 min left" in world.said
    assert any(line.startswith("[2/2] two v1.0.0 built in 0 s, total 0 s") for line in world.said)
    said = len(world.said)
    assert builder.ensure(world.environ, world.said.append) == found
    assert (len(world.calls), len(world.said)) == (2, said), "nothing is built and nothing said the second time"


def test_programs_of_others_are_built_into_the_same_cache(world: World, tmp_path: Path) -> None:
    """A program of a package's tests, pinned by a go.mod outside of the sandbox, and nothing of the sandbox's own."""
    world.go()
    tool = Tool("three", "1.0.0", "example.org/three", module_dir=str(tmp_path), command=("test", "-c"))
    found = builder.ensure_tools([tool], world.environ, world.said.append)
    assert found == {"three": world.cache / "bin" / "three-1.0.0" / "three"}
    assert os.access(found["three"], os.X_OK)
    assert [call.startswith("0||off|test -c -ldflags -s -w -o ") for call in world.calls] == [True]
    assert builder.ensure_tools([tool], world.environ, world.said.append) == found
    assert len(world.calls) == 1
    assert tool.recipe != replace(tool, command=("build",)).recipe


def test_a_failed_build_shows_the_compilers_words_and_is_gone_on_with(world: World) -> None:
    world.go('case "$*" in *example.org/two*) echo "two.go:1: no space left" >&2; exit 1 ;; esac')
    with pytest.raises(BuildFailed, match=r"(?s)building two v1\.0\.0 failed with exit code 1.*no space left"):
        builder.ensure(world.environ, world.said.append)
    assert not (world.cache / "bin" / "two-1.0.0" / "two").exists()
    world.go()
    builder.ensure(world.environ, world.said.append)
    assert [call.rsplit(" ", 1)[1] for call in world.calls] == ["example.org/one", *["example.org/two"] * 2]
    assert "[1/1] two v1.0.0 ... up to 2 min left" in world.said


def test_a_binary_of_another_recipe_is_built_again(world: World) -> None:
    world.go()
    builder.ensure(world.environ, world.said.append)
    (world.cache / "bin" / "one-1.0.0" / "recipe").write_text("another\n")
    builder.ensure(world.environ, world.said.append)
    assert [call.rsplit("/", 1)[1] for call in world.calls] == ["one", "two", "one"]


def test_a_second_version_is_built_when_it_is_named_and_not_before(world: World) -> None:
    world.go()
    found = builder.ensure(world.environ, world.said.append)
    assert found.missing("old-0.9.0")
    with pytest.raises(LookupError, match=r"no binary one 0\.9\.0"):
        found.path("one", "0.9.0")
    assert found.path("one") == found.path("one", "1.0.0")
    builder.ensure(world.environ, world.said.append, second=["old-0.9.0"])
    assert [call.rsplit("/", 1)[1] for call in world.calls] == ["one", "two", "one", "three"]
    assert "[1/2] one v0.9.0 (built from v1.0.0) ... up to 1 min left" in world.said
    assert not found.missing("old-0.9.0")
    assert found.path("one", "0.9.0") == world.cache / "bin" / "one-0.9.0" / "one"


def test_charts_of_a_second_version_are_packaged_too_and_can_be_done_without(world: World) -> None:
    world.go()  # which knows no module
    (world.cache / "charts" / "karpenter-1.13.0.tgz").unlink()
    found = builder.ensure(world.environ, world.said.append)
    assert ("karpenter", "1.13.0") not in found.charts
    assert ("karpenter", "1.14.0") in found.charts
    assert any(line.startswith("no charts of Karpenter 1.13.0: cannot fetch the source") for line in world.said)
    (world.cache / "charts" / "karpenter-1.14.0.tgz").unlink()
    with pytest.raises(BuildFailed, match="cannot fetch the source"):
        builder.ensure(world.environ, world.said.append)


def test_a_long_build_tells_that_it_still_works(world: World, tmp_path: Path) -> None:
    world.go("sleep 0.5")
    heard: list[float] = []
    go = golang.find_go(world.environ)
    golang.build(
        go, TOOLS[0], tmp_path / "one", tmp_path / "log", heard.append, environ=world.environ, heartbeat_seconds=0.1
    )
    assert len(heard) >= 2
    assert heard == sorted(heard)


def test_an_interrupted_build_ends_the_compiler(world: World) -> None:
    world.go(f'echo $$ > "{world.root}/compiler"; sleep 60')
    code = (
        "import os; from sandbox.build import golang; from sandbox.build.tools import Tool; from pathlib import Path\n"
        f"root = Path({str(world.root)!r})\n"
        "golang.build(str(root / 'path' / 'go'), Tool('a', '1.0.0', 'a'), root / 'a', root / 'log', print)"
    )
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", code], env=environ, stderr=subprocess.DEVNULL)
    compiler = world.root / "compiler"
    until(lambda: compiler.exists() and compiler.read_text().strip(), "the compiler")
    process.send_signal(signal.SIGINT)
    assert process.wait(HANGS_SECONDS) != 0
    with pytest.raises(ProcessLookupError):
        os.kill(int(compiler.read_text()), 0)


def test_missing_go_is_one_sentence(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(BuildFailed, match=r"^Go is missing: install Go 1\.21 or newer") as caught:
        builder.ensure(world.environ, world.said.append)
    assert "\n" not in str(caught.value)


def test_a_go_that_is_too_old_is_told(world: World) -> None:
    world.go()
    path = world.root / "path" / "go"
    path.write_text(path.read_text().replace("go1.26.8", "go1.19.8"))
    with pytest.raises(BuildFailed, match=r"is go version go1\.19\.8 linux/amd64: install Go 1\.21 or newer"):
        builder.ensure(world.environ, world.said.append)


def test_the_machine_is_checked_before_a_build(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr("sandbox.build.builder.TOOLS", TOOLS)
    monkeypatch.setattr("sandbox.build.binaries.TOOLS", TOOLS)
    monkeypatch.setattr(checks, "available_memory_bytes", lambda: 3 * checks.GIB)
    world.go()
    with pytest.raises(BuildFailed, match=r"3\.0 GiB of memory are free and a build needs 4 GiB"):
        builder.ensure(world.environ, world.said.append)
    assert world.calls == []


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    [problem] = checks.disk_problems([tmp_path / "not" / "yet"], needed=1 << 60)
    assert str(tmp_path / "not" / "yet") in problem
    assert checks.disk_problems([tmp_path], needed=1) == []


def test_a_cache_that_cannot_be_made_is_told_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    environ = {"XDG_CACHE_HOME": str(tmp_path / "file")}
    with pytest.raises(RuntimeError, match=r"cannot be kept in .*; set XDG_CACHE_HOME to a folder that this user may"):
        builder.ensure(environ)
