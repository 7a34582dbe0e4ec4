"""Command lines: everything on loopback, access entries and the egress proxy wired in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from sandbox.contracts import ClusterKey, ControlPlaneSpec
from sandbox.controlplane import components, pki
from sandbox.controlplane.components import Plane

SPEC = ControlPlaneSpec(
    ClusterKey("111122223333", "us-west-2", "demo"),
    "1.36",
    "10.100.0.0/16",
    "http://127.0.0.1:7000/review",
    "https://127.0.0.1:7001/mutate",
    b"",
    "https://oidc.eks.us-west-2.amazonaws.com/id/ABC",
)


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Plane:
    folder = tmp_path_factory.mktemp("plane")
    return Plane(SPEC, folder, pki.create(folder / "pki", SPEC.service_cidr))


def _flags(argv: list[str]) -> dict[str, str]:
    return dict(part.removeprefix("--").split("=", 1) for part in argv[1:])


def test_every_component_listens_on_loopback_alone(plane: Plane) -> None:
    binary = Path("/bin/x")
    etcd = _flags(components.etcd(binary, plane, 1, 2))
    assert (etcd["listen-client-urls"], etcd["listen-peer-urls"]) == ("http://127.0.0.1:1", "http://127.0.0.1:2")
    for argv in (
        components.api_server(binary, plane, 3, 1),
        components.controller_manager(binary, plane, 3),
        components.scheduler(binary, plane, 3),
    ):
        assert (_flags(argv)["bind-address"], _flags(argv)["secure-port"]) == ("127.0.0.1", "3")
    assert _flags(components.kwok(binary, plane, 4, []))["server-address"] == "127.0.0.1:4"


def test_the_api_server_asks_the_webhook_who_a_token_is(plane: Plane) -> None:
    flags = _flags(components.api_server(Path("/bin/x"), plane, 3, 1))
    config = json.loads(Path(flags["authentication-token-webhook-config-file"]).read_text())
    assert config["clusters"][0]["cluster"]["server"] == SPEC.authentication_url
    assert flags["authentication-token-webhook-version"] == "v1"
    assert flags["authorization-mode"] == "Node,RBAC"
    assert "NodeRestriction" in flags["enable-admission-plugins"]
    assert flags["service-account-issuer"] == SPEC.service_account_issuer
    assert flags["api-audiences"] == "https://kubernetes.default.svc"


def test_the_api_server_reaches_the_cluster_through_the_proxy(plane: Plane) -> None:
    flags = _flags(components.api_server(Path("/bin/x"), plane, 3, 1))
    [selection] = json.loads(Path(flags["egress-selector-config-file"]).read_text())["egressSelections"]
    assert selection["name"] == "cluster"
    assert selection["connection"] == {"proxyProtocol": "HTTPConnect", "transport": {"uds": {"udsName": "egress.sock"}}}


def test_kwok_gets_its_stages_in_one_file(plane: Plane) -> None:
    stages = [f"# {name}\nkind: Stage\nmetadata: {{name: {name}}}\n" for name in ("a", "b")]
    argv = components.kwok(Path("/bin/x"), plane, 4, stages)
    documents = list(yaml.safe_load_all(Path(_flags(argv)["config"]).read_text()))
    assert [document["kind"] for document in documents] == ["KwokConfiguration", "Stage", "Stage"]
    assert _flags(argv)["manage-nodes-with-annotation-selector"] == "kwok.x-k8s.io/node=fake"


def test_kubeconfigs_carry_everything_they_need(plane: Plane) -> None:
    plane.write_kubeconfigs("https://127.0.0.1:3")
    for name in ("admin", "kube-controller-manager", "kube-scheduler", "kwok"):
        config = yaml.safe_load(plane.kubeconfig(name).read_text())
        assert config["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:3"
        assert set(config["users"][0]["user"]) == {"client-certificate-data", "client-key-data"}
        assert plane.kubeconfig(name).stat().st_mode & 0o077 == 0
