"""From a kubeconfig file to a client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.access import client_of, read_kubeconfig
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.model import NODES

from .server import Answer, serving

KUBECONFIG = """
current-context: demo
contexts: [{name: demo, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: SERVER}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: /opt/token}}}]
"""


class Module:
    """What a module gives: its options, and a way to run a command."""

    def __init__(self, kubeconfig: Path) -> None:
        self.params: dict[str, Any] = {"kubeconfig": str(kubeconfig), "context": None}
        self.commands: list[list[str]] = []

    def run_command(self, args: list[str], *, environ_update: dict[str, str]) -> tuple[int, str, str]:
        self.commands.append(args)
        assert "KUBERNETES_EXEC_INFO" in environ_update
        return 0, '{"status": {"token": "t"}}', ""


def test_the_module_runs_the_credential_program(tmp_path: Path) -> None:
    with serving(Answer(body={"metadata": {}, "items": []})) as server:
        path = tmp_path / "kubeconfig"
        path.write_text(KUBECONFIG.replace("SERVER", server.url))
        module = Module(path)
        assert client_of(module).all(NODES) == []
    assert module.commands == [["/opt/token"]]
    assert server.asked[0].headers["Authorization"] == "Bearer t"


@pytest.mark.parametrize(
    ("text", "words"), [(None, "cannot be read"), ("a: [", "is no YAML"), ("just text", "is no mapping")]
)
def test_a_file_that_is_no_kubeconfig_is_told(tmp_path: Path, text: str | None, words: str) -> None:
    path = tmp_path / "kubeconfig"
    if text is not None:
        path.write_text(text)
    with pytest.raises(EksopsError, match=words) as error:
        read_kubeconfig(str(path))
    assert str(path) in str(error.value)
