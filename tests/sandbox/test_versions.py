"""A cluster of the second Kubernetes version, moved to the first one and back with real binaries."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time

import pytest
import yaml

from sandbox.process import records
from tests.sandbox.twin import Sandbox, eventually

pytestmark = pytest.mark.acceptance


@pytest.fixture(scope="module")
def old(own: Sandbox) -> Sandbox:
    """A sandbox with a cluster of Kubernetes 1.35."""
    built = own.command("build", "kubernetes-1.35.9", timeout_seconds=1800)
    assert built.returncode == 0, built.stdout + built.stderr
    own.up()
    own.create_cluster("demo", "1.35")
    return own


class Reader:
    """Asks the API server for its version over a new connection each time, as long as it runs.

    A connection that ends without an answer is made again once, as Kubernetes' clients do and EKS asks of all:
    https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html
    """

    def __init__(self, sandbox: Sandbox) -> None:
        [config] = sandbox.state.clusters.glob("*/kubeconfigs/admin")
        found = yaml.safe_load(config.read_text(encoding="utf-8"))
        self._port = int(found["clusters"][0]["cluster"]["server"].rpartition(":")[2])
        keys = config.parents[1] / "pki"
        self._context = ssl.create_default_context(cafile=keys / "kubernetes-ca.crt")
        self._context.load_cert_chain(keys / "admin.crt", keys / "admin.key")
        self._stop, self._thread = threading.Event(), threading.Thread(target=self._run)
        self.versions: list[str] = []
        self.failures: list[str] = []

    def __enter__(self) -> Reader:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.05):
            try:
                version = self._ask()
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(repr(error))
                continue
            if version not in self.versions[-1:]:
                self.versions.append(version)

    def _ask(self) -> str:
        try:
            return self._ask_once()
        except (http.client.RemoteDisconnected, ConnectionResetError):
            return self._ask_once()

    def _ask_once(self) -> str:
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, context=self._context, timeout=60)
        try:
            connection.request("GET", "/version")
            return str(json.loads(connection.getresponse().read())["gitVersion"])
        finally:
            connection.close()


def _move(sandbox: Sandbox, version: str) -> str:
    eks = sandbox.client("eks")
    update = eks.update_cluster_version(name="demo", version=version)["update"]

    def ended() -> bool:
        return bool(eks.describe_update(name="demo", updateId=update["id"])["update"]["status"] != "InProgress")

    eventually(ended, "the end of the update", 120)
    found = eks.describe_update(name="demo", updateId=update["id"])["update"]
    assert found["status"] == "Successful", found["errors"]
    return str(found["type"])


def test_status_and_the_server_say_the_second_version(old: Sandbox) -> None:
    assert "Server Version: v1.35.9" in old.kubectl("version").stdout
    [cluster] = old.status()["clusters"]
    assert cluster["kubernetes"] == "Kubernetes 1.35.9 (built from 1.36.3)"
    assert "Kubernetes 1.35.9 (built from 1.36.3)" in old.command("status").stdout


def test_an_upgrade_keeps_data_and_address_and_somebody_always_answers(old: Sandbox) -> None:
    assert old.kubectl("create", "configmap", "kept", "--from-literal=a=b").returncode == 0
    before = old.client("eks").describe_cluster(name="demo")["cluster"]["endpoint"]
    with Reader(old) as reader:
        assert _move(old, "1.36") == "VersionUpdate"
        time.sleep(1)
    assert (reader.failures, reader.versions[0], reader.versions[-1]) == ([], "v1.35.9", "v1.36.3")
    assert old.client("eks").describe_cluster(name="demo")["cluster"]["endpoint"] == before
    assert "Server Version: v1.36.3" in old.kubectl("version").stdout
    assert old.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.a}").stdout == "b"
    parts = old.components()
    assert {part["state"] for part in parts.values()} == {"healthy"}
    assert "kube-apiserver-next" not in parts
    argv = {one.name.rpartition("/")[2]: one.argv[0] for one in records.read_all(old.state.processes)}
    for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler"):
        assert argv[name].endswith(f"{name}-1.36.3/{name}")


def test_the_way_back_is_a_rollback(old: Sandbox) -> None:
    with Reader(old) as reader:
        assert _move(old, "1.35") == "VersionRollback"
    assert reader.failures == []
    assert "Server Version: v1.35.9" in old.kubectl("version").stdout
    assert old.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.a}").stdout == "b"
