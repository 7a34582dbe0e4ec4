"""Charts are pushed once, and again when they changed or the store lost them; the real registry is in tests/sandbox."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.build import Binaries
from sandbox.process import Processes
from sandbox.registry import ChartRegistry
from sandbox.registry.registry import configuration

#: A registry that has the chart whose name is in the file ``has``, and a Helm that writes down what it is asked.
REGISTRY = """#!{python}
import http.server, json, pathlib, sys
config = json.loads(pathlib.Path(sys.argv[2]).read_text())
has = pathlib.Path("{folder}/has")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        there = self.path == "/v2/" or has.exists() and has.read_text() in self.path
        self.send_response(200 if there else 404); self.end_headers()
    do_HEAD = do_GET
    def log_message(self, *_): pass
host, port = config["http"]["addr"].split(":")
http.server.HTTPServer((host, int(port)), Handler).serve_forever()
"""
HELM = """#!/bin/sh
echo "$@" >> {folder}/pushed
[ ! -f {folder}/refuse ] || {{ echo "Error: unexpected status from PUT"; exit 1; }}
"""


@pytest.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    found = Processes(tmp_path / "state")
    yield found
    await found.stop_all(grace_seconds=0.5)


@pytest.fixture
def registry(tmp_path: Path, processes: Processes) -> ChartRegistry:
    paths = {}
    for name, text in (("registry", REGISTRY), ("helm", HELM)):
        path = tmp_path / name
        path.write_text(text.format(python=sys.executable, folder=tmp_path))
        path.chmod(0o755)
        paths[name, "1.0.0"] = path
    chart = tmp_path / "karpenter-1.14.0.tgz"
    chart.write_bytes(b"chart")
    return ChartRegistry(processes, Binaries(paths, {("karpenter", "1.14.0"): chart}), tmp_path / "state")


def _pushed(tmp_path: Path) -> list[str]:
    path = tmp_path / "pushed"
    return path.read_text().splitlines() if path.exists() else []


async def test_a_chart_is_pushed_when_it_is_missing_or_changed(registry: ChartRegistry, tmp_path: Path) -> None:
    await registry.start()
    chart = tmp_path / "karpenter-1.14.0.tgz"
    assert _pushed(tmp_path) == [f"push {chart} {registry.charts_url} --plain-http"]
    assert registry.charts_url.startswith("oci://127.0.0.1:")
    (tmp_path / "has").write_text("karpenter/manifests/1.14.0")
    await registry.stop()
    await registry.start()
    assert len(_pushed(tmp_path)) == 1, "it is there"
    await registry.stop()
    chart.write_bytes(b"another chart")
    await registry.start()
    assert len(_pushed(tmp_path)) == 2, "it changed"
    await registry.stop()
    (tmp_path / "has").unlink()
    await registry.start()
    assert len(_pushed(tmp_path)) == 3, "the store was emptied"


async def test_a_push_that_fails_is_told_and_tried_again(registry: ChartRegistry, tmp_path: Path) -> None:
    (tmp_path / "refuse").touch()
    with pytest.raises(RuntimeError, match=r"pushing karpenter-1\.14\.0\.tgz failed: Error: unexpected status"):
        await registry.start()
    await registry.stop()
    (tmp_path / "refuse").unlink()
    (tmp_path / "has").write_text("karpenter/manifests/1.14.0")
    await registry.start()
    assert len(_pushed(tmp_path)) == 2, "what was not pushed is not taken for pushed"


def test_the_configuration_is_json_and_on_the_given_address() -> None:
    config = json.loads(json.dumps(configuration(Path("/store"), "127.0.0.1:5000")))
    assert config["http"] == {"addr": "127.0.0.1:5000"}
    assert config["storage"]["filesystem"] == {"rootdirectory": "/store"}
