# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Who is asking: the Authorization header of a connection, renewed when it is due. Private to the collection."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .errors import KubernetesError
from .model import Connection, ExecPlugin, timestamp

RunCommand = Callable[[list[str], Mapping[str, str]], tuple[int, str, str]]
"""Runs a command with additions to its environment; returns exit code, output and error output."""

EARLY_SECONDS = 60.0
"""A token is renewed that long before it expires."""


class Credentials:
    """The Authorization header of a connection. Safe to use from several threads.

    :param run_command: runs the exec plugin of the kubeconfig. :param clock: seconds since the epoch.
    """

    def __init__(self, connection: Connection, run_command: RunCommand, clock: Callable[[], float] = time.time) -> None:
        self._connection = connection
        self._run_command = run_command
        self._clock = clock
        self._lock = threading.Lock()
        self._token: str | None = None
        self._expires_at: float | None = None

    @property
    def renewable(self) -> bool:
        """Whether asking again may give another token."""
        return self._connection.exec_plugin is not None or self._connection.token_file is not None

    def header(self) -> str | None:
        """The value of the Authorization header, or None (client certificate, anonymous). Raises KubernetesError."""
        connection = self._connection
        if connection.exec_plugin:
            return f"Bearer {self._exec_token(connection.exec_plugin)}"
        if connection.token_file:
            return f"Bearer {self._file_token(connection.token_file)}"
        if connection.token:
            return f"Bearer {connection.token}"
        if connection.username and connection.password:
            pair = f"{connection.username}:{connection.password}".encode()
            return f"Basic {base64.b64encode(pair).decode()}"
        return None

    def forget(self) -> None:
        """Drop the token: the next header asks the plugin again."""
        with self._lock:
            self._token = None

    def _file_token(self, path: str) -> str:
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise self._error(f"The token file {path} cannot be read: {error.strerror}") from error

    def _exec_token(self, plugin: ExecPlugin) -> str:
        with self._lock:
            due = self._expires_at is not None and self._clock() >= self._expires_at - EARLY_SECONDS
            if self._token is None or due:
                self._token, self._expires_at = self._ask(plugin)
            return self._token

    def _ask(self, plugin: ExecPlugin) -> tuple[str, float | None]:
        request = {
            "apiVersion": plugin.api_version,
            "kind": "ExecCredential",
            "spec": {"interactive": False, "cluster": {"server": self._connection.server}},
        }
        environment = {**plugin.environment, "KUBERNETES_EXEC_INFO": json.dumps(request)}
        code, output, errors = self._run_command([plugin.command, *plugin.arguments], environment)
        if code != 0:
            raise self._error(f"The credential command {plugin.command} failed ({code}): {errors.strip()[-500:]}")
        try:
            status: dict[str, Any] = json.loads(output)["status"]
            expires = status.get("expirationTimestamp")
            return str(status["token"]), timestamp(expires) if expires else None
        except (ValueError, KeyError, TypeError) as error:
            raise self._error(
                f"The credential command {plugin.command} printed no ExecCredential with a token"
            ) from error

    def _error(self, what: str) -> KubernetesError:
        return KubernetesError(
            "credentials",
            what,
            where=self._connection.source,
            next_step="run the command by hand, and check the AWS profile and credentials it uses",
        )
