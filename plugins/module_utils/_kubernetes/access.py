# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""From a module's options to a client. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from .._core.documents import load_yaml
from .._core.errors import EksopsError
from .client import Client
from .credentials import Credentials, RunCommand
from .model import connection

ARGUMENT_SPEC: dict[str, Any] = {
    "kubeconfig": {"type": "path", "required": True},
    "context": {"type": "str"},
}
"""The options of the documentation fragment ``eksops.karpenter.kubernetes``."""


class Module(Protocol):
    """What is asked of an AnsibleModule."""

    params: dict[str, Any]

    def run_command(self, args: list[str], *, environ_update: dict[str, str]) -> tuple[int, str, str]:
        """Run a command."""


def client_of(module: Module) -> Client:
    """The client that the module's options ask for. Raises EksopsError when the kubeconfig cannot be used."""

    def run_command(command: list[str], environment: Mapping[str, str]) -> tuple[int, str, str]:
        return module.run_command(command, environ_update=dict(environment))

    return client_from_file(module.params["kubeconfig"], module.params["context"], run_command)


def client_from_file(path: str, context: str | None, run_command: RunCommand) -> Client:
    """The client of a kubeconfig file."""
    target = connection(read_kubeconfig(path), path, context)
    return Client(target, Credentials(target, run_command))


def read_kubeconfig(path: str) -> dict[str, Any]:
    """The file's content. Raises EksopsError when it is missing or is no mapping."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise EksopsError(
            f"The kubeconfig {path} cannot be read: {error.strerror}",
            where="kubeconfig",
            next_step="let role eks_cluster (module eks_kubeconfig) write it",
        ) from error
    content = load_yaml(text, f"The kubeconfig {path}", "kubeconfig")
    if not isinstance(content, dict):
        raise EksopsError(f"The kubeconfig {path} is no mapping", where="kubeconfig")
    return content
