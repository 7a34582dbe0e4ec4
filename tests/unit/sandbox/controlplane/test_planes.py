"""Starting and stopping control planes when things go wrong; the good way is in tests/sandbox, with real binaries."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.build import Binaries
from sandbox.build.tools import KUBERNETES_VERSION
from sandbox.contracts import ClusterKey, ControlPlaneLimitError, ControlPlaneSpec
from sandbox.controlplane import LocalControlPlanes, pki
from sandbox.process import ComponentFailedError, Processes, records

KEY = ClusterKey("111122223333", "us-west-2", "demo")
SPEC = ControlPlaneSpec(KEY, "1.36", "10.100.0.0/16", "http://127.0.0.1:1/r", "https://127.0.0.1:1/m", b"")

#: An etcd that says it is healthy; with a file ``taken`` beside it, its port is taken the first time.
ETCD = """#!{python}
import http.server, os, sys
flags = dict(part[2:].split("=", 1) for part in sys.argv[1:])
taken = "{folder}/taken"
if os.path.exists(taken):
    os.remove(taken)
    sys.exit("listen tcp: bind: address already in use")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
    def log_message(self, *_): pass
http.server.HTTPServer(("127.0.0.1", int(flags["listen-client-urls"].rpartition(":")[2])), Handler).serve_forever()
"""
BROKEN = """#!/bin/sh
echo "Error: unknown flag: --egress-selector-config-file"
exit 1
"""


@pytest.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    found = Processes(tmp_path / "state")
    yield found
    await found.stop_all(grace_seconds=0.5)


@pytest.fixture
def planes(tmp_path: Path, processes: Processes) -> LocalControlPlanes:
    paths = {}
    for name, text in (("etcd", ETCD.format(python=sys.executable, folder=tmp_path)), ("kube-apiserver", BROKEN)):
        path = tmp_path / name
        path.write_text(text)
        path.chmod(0o755)
        paths[name, KUBERNETES_VERSION] = path
    return LocalControlPlanes(processes, Binaries(paths, {}), tmp_path / "state", most=1)


async def test_a_minor_without_binaries_is_refused(planes: LocalControlPlanes) -> None:
    with pytest.raises(RuntimeError, match=r"Kubernetes 1\.34 cannot be started: the sandbox has 1\.36, 1\.35"):
        await planes.start(replace(SPEC, kubernetes_minor="1.34"))


async def test_a_component_that_fails_is_named_and_the_rest_is_ended(
    planes: LocalControlPlanes, processes: Processes, tmp_path: Path
) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)demo/kube-apiserver: ended with exit code 1.*unknown flag"):
        await planes.start(SPEC)
    assert not any(child.running for child in processes.children.values())
    assert planes.endpoints == {}
    assert not (tmp_path / "state" / "clusters" / KEY.slug).exists()
    # `status` still tells what failed, until the cluster is deleted.
    [record] = records.read_all(tmp_path / "state" / "processes")
    assert record.name == f"{KEY.slug}/kube-apiserver"
    await planes.stop(KEY)
    assert records.read_all(tmp_path / "state" / "processes") == []


async def test_a_port_that_was_taken_meanwhile_is_replaced(
    planes: LocalControlPlanes, processes: Processes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(ComponentFailedError, match="kube-apiserver"):  # so etcd came up
        await planes.start(SPEC)
    assert "etcd: port" in caplog.text
    assert not (tmp_path / "taken").exists()


async def test_a_cluster_that_does_not_come_back_keeps_its_data(planes: LocalControlPlanes, tmp_path: Path) -> None:
    folder = tmp_path / "state" / "clusters" / KEY.slug
    with pytest.raises(RuntimeError, match=r"the keys of the control plane are not complete: .*kubernetes-ca.crt"):
        await planes.resume(SPEC, "https://127.0.0.1:20001")
    pki.create(folder / "pki", SPEC.service_cidr)
    (folder / "etcd").mkdir()
    with pytest.raises(ComponentFailedError, match="demo/kube-apiserver"):
        await planes.resume(SPEC, "https://127.0.0.1:20001")
    assert (folder / "etcd").is_dir()
    assert pki.load(folder / "pki").ca.pem
    assert planes.endpoints == {}


async def test_no_more_than_the_most_run_at_once(planes: LocalControlPlanes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when they are asked for at the same moment; one that fails or goes leaves its place to the next."""
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(*_: object) -> None:
        begun.set()
        await go_on.wait()
        raise RuntimeError("broken off")

    monkeypatch.setattr(planes, "_start_etcd", slow)
    first = asyncio.create_task(planes.start(SPEC))
    await begun.wait()
    second = replace(SPEC, key=replace(KEY, name="second"))
    with pytest.raises(ControlPlaneLimitError, match=r"1 control planes run.*--max-clusters"):
        await planes.start(second)
    go_on.set()
    with pytest.raises(RuntimeError, match="broken off"):
        await first
    with pytest.raises(RuntimeError, match="broken off"):
        await planes.start(second)


async def test_nothing_to_stop_is_no_error(planes: LocalControlPlanes) -> None:
    await planes.stop(KEY)
    await planes.suspend_all()


async def test_routes_of_a_cluster_that_is_not_there(planes: LocalControlPlanes) -> None:
    planes.route(KEY, "10.0.0.1", 10250, None)
    with pytest.raises(LookupError, match="demo does not run"):
        planes.route(KEY, "10.0.0.1", 10250, ("127.0.0.1", 1))
