"""Who asks: every way a kubeconfig can say it, renewed in time, and told when it fails."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.client import Client
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.credentials import Credentials
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.errors import KubernetesError
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.model import NODES, Connection, ExecPlugin

from .server import Answer, serving, status

PLUGIN = ExecPlugin("/opt/token", ("--cluster", "demo"), {"AWS_PROFILE": "shop"}, "client.authentication.k8s.io/v1")
NOON = 1_700_000_000.0


class Program:
    """An exec plugin: a new token at every call, good until ``expires``."""

    def __init__(self, expires: str | None = None) -> None:
        self.calls: list[tuple[list[str], Mapping[str, str]]] = []
        self.expires = expires

    def __call__(self, command: list[str], environment: Mapping[str, str]) -> tuple[int, str, str]:
        self.calls.append((command, environment))
        status = {"token": f"t{len(self.calls)}", "expirationTimestamp": self.expires}
        return 0, json.dumps({"status": {key: value for key, value in status.items() if value}}), ""


def with_plugin(program: Program, *times: float) -> Credentials:
    clock = iter(times)
    return Credentials(Connection("https://x", "kubeconfig", exec_plugin=PLUGIN), program, lambda: next(clock))


def test_the_program_is_run_as_client_go_runs_it() -> None:
    program = Program()
    assert with_plugin(program).header() == "Bearer t1"
    command, environment = program.calls[0]
    assert command == ["/opt/token", "--cluster", "demo"]
    assert environment["AWS_PROFILE"] == "shop"
    info = json.loads(environment["KUBERNETES_EXEC_INFO"])
    assert info["kind"] == "ExecCredential"
    assert info["spec"]["interactive"] is False


def test_a_token_is_kept_until_a_minute_before_its_end() -> None:
    program = Program(expires="2023-11-14T22:28:20Z")  # 900 seconds after NOON
    credentials = with_plugin(program, NOON + 839, NOON + 841)
    assert [credentials.header() for _ in range(3)] == ["Bearer t1", "Bearer t1", "Bearer t2"]


def test_a_token_without_an_end_is_kept_until_it_is_forgotten() -> None:
    program = Program()
    credentials = with_plugin(program)
    assert [credentials.header(), credentials.header()] == ["Bearer t1", "Bearer t1"]
    credentials.forget()
    assert credentials.header() == "Bearer t2"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((1, "", "the SSO session has expired"), "the SSO session has expired"),
        ((0, "no json", ""), "printed no"),
        ((0, '{"status": {}}', ""), "printed no"),
        ((0, '{"status": {"token": "t", "expirationTimestamp": "soon"}}', ""), "printed no"),
    ],
)
def test_a_program_that_fails_is_told_with_its_words(answer: tuple[int, str, str], words: str) -> None:
    credentials = Credentials(Connection("https://x", "kubeconfig", exec_plugin=PLUGIN), lambda *_: answer)
    with pytest.raises(KubernetesError, match=words) as error:
        credentials.header()
    assert error.value.kind == "credentials"
    assert "/opt/token" in str(error.value)


def test_a_token_file_is_read_each_time(tmp_path: Path) -> None:
    path = tmp_path / "token"
    credentials = Credentials(Connection("https://x", "kubeconfig", token_file=str(path)), Program())
    path.write_text("one\n")
    assert credentials.header() == "Bearer one"
    path.write_text("two\n")
    assert credentials.header() == "Bearer two"
    path.unlink()
    with pytest.raises(KubernetesError, match="cannot be read"):
        credentials.header()


def test_a_refused_token_is_renewed_once() -> None:
    program = Program()
    with serving(status(401, "Unauthorized"), Answer(body={"metadata": {}, "items": []})) as server:
        connection = Connection(server.url, "kubeconfig", exec_plugin=PLUGIN)
        Client(connection, Credentials(connection, program)).all(NODES)
    assert [asked.headers["Authorization"] for asked in server.asked] == ["Bearer t1", "Bearer t2"]


@pytest.mark.parametrize("user", [{"token": "t"}, {"exec_plugin": PLUGIN}], ids=["fixed", "renewed"])
def test_a_token_refused_again_is_an_error(user: dict[str, Any]) -> None:
    with serving(status(401, "Unauthorized")) as server:
        connection = Connection(server.url, "kubeconfig", **user)
        with pytest.raises(KubernetesError) as error:
            Client(connection, Credentials(connection, Program())).all(NODES)
    assert error.value.kind == "unauthorized"
    assert len(server.asked) == (2 if "exec_plugin" in user else 1)


def test_secrets_stay_out_of_the_connection_s_text() -> None:
    shown = repr(Connection("https://x", "kubeconfig", token="hush", password="hush", client_key_pem="hush"))
    assert "hush" not in shown
