"""A small asynchronous client for the API server: requests, patches, and lists that are followed by watches."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import ssl
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import aiohttp
import yaml

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
_TIMEOUT = aiohttp.ClientTimeout(total=30, connect=5)
_WATCH_SECONDS = 290
_WATCH_TIMEOUT = aiohttp.ClientTimeout(total=None, connect=5, sock_read=_WATCH_SECONDS + 30)
_MAX_LINE = 4 * 1024 * 1024
TokenSource = Callable[[], Awaitable[str]]


class KubeError(RuntimeError):
    """The API server refused a request, or (``status`` 0) could not be reached."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        self.status, self.reason = status, reason
        super().__init__(message)


class KubeApi:
    """One identity at one API server. ``token`` gives a bearer token; without it the TLS context speaks for it."""

    def __init__(
        self, session: aiohttp.ClientSession, url: str, context: ssl.SSLContext, token: TokenSource | None = None
    ) -> None:
        self._session, self._url, self._context, self._token = session, url.rstrip("/"), context, token

    async def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {await self._token()}"} if self._token else {}

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | list[Any] | None = None,
        content_type: str = "application/json",
        params: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Send a request and return the decoded answer. Raises KubeError."""
        headers = await self._headers() | {"Content-Type": content_type, "Accept": "application/json"}
        data = None if body is None else json.dumps(body)
        try:
            async with self._session.request(
                method, self._url + path, data=data, headers=headers, params=params, ssl=self._context, timeout=_TIMEOUT
            ) as response:
                text = await response.text()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise KubeError(0, "Unreachable", f"{method} {self._url}{path}: {_cause(error)}") from error
        if response.status >= 400:
            raise _refusal(response.status, text)
        decoded: dict[str, Any] = json.loads(text) if text else {}
        return decoded

    async def get(self, path: str, **params: str) -> dict[str, Any]:
        """GET an object or a list."""
        return await self.request("GET", path, params=params)

    async def create(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """POST an object."""
        return await self.request("POST", path, body=body)

    async def patch(self, path: str, body: Mapping[str, Any] | list[Any], content_type: str = MERGE) -> dict[str, Any]:
        """PATCH an object."""
        return await self.request("PATCH", path, body=body, content_type=content_type)

    async def delete(self, path: str, body: Mapping[str, Any] | None = None) -> None:
        """DELETE an object; one that is not there is not an error."""
        try:
            await self.request("DELETE", path, body=body)
        except KubeError as error:
            if error.status != 404:
                raise

    async def watch(self, path: str, version: str, **params: str) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """Events (type, object) after a resource version, until the server ends the watch. Raises KubeError."""
        query = params | {
            "watch": "1",
            "allowWatchBookmarks": "true",
            "resourceVersion": version,
            "timeoutSeconds": str(_WATCH_SECONDS),
        }
        try:
            async with self._session.get(
                self._url + path,
                params=query,
                headers=await self._headers(),
                ssl=self._context,
                timeout=_WATCH_TIMEOUT,
                read_bufsize=_MAX_LINE,
            ) as response:
                if response.status >= 400:
                    raise _refusal(response.status, await response.text())
                async for line in response.content:
                    event = json.loads(line)
                    if event["type"] == "ERROR":
                        status = event["object"]
                        raise KubeError(status.get("code", 500), status.get("reason", ""), status.get("message", ""))
                    yield event["type"], event["object"]
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise KubeError(0, "Unreachable", f"watch {path}: {_cause(error)}") from error

    async def follow(self, path: str, **params: str) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """Events for ever: a list as SYNC (the whole list object), then ADDED, MODIFIED and DELETED.

        Starts over with a new SYNC when the watch cannot be continued; waits while the API server is away.
        """
        delay = 0.5
        while True:
            try:
                listed = await self.get(path, **params)
                yield "SYNC", listed
                delay = 0.5
                async for event in self._resume(path, listed["metadata"]["resourceVersion"], params):
                    yield event
            except KubeError:
                await asyncio.sleep(delay)
                delay = min(delay * 2, 5.0)

    async def _resume(
        self, path: str, version: str, params: Mapping[str, str]
    ) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        while True:
            async for kind, item in self.watch(path, version, **params):
                version = item["metadata"]["resourceVersion"]
                if kind != "BOOKMARK":
                    yield kind, item


def failure(error: aiohttp.ClientConnectorError) -> str:
    """Why a connection could not be made, in the words of the system: ``connection refused``."""
    number = error.os_error.errno
    return os.strerror(number).lower() if number else str(error.os_error)


def _cause(error: BaseException) -> str:
    """The words that a Go client would use for the usual failures."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"tls: failed to verify certificate: x509: {error.certificate_error}"
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"dial tcp {error.host}:{error.port}: connect: {failure(error)}"
    if isinstance(error, TimeoutError):
        return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    return str(error) or type(error).__name__


def _refusal(status: int, text: str) -> KubeError:
    try:
        answer = json.loads(text)
        return KubeError(status, answer.get("reason", ""), answer.get("message", text))
    except (json.JSONDecodeError, AttributeError):
        return KubeError(status, "", text[:500])


def ca_context(ca_pem: bytes) -> ssl.SSLContext:
    """A TLS context that trusts one authority. Raises ValueError when the data holds no certificate."""
    try:
        return ssl.create_default_context(cadata=ca_pem.decode())
    except (ssl.SSLError, UnicodeDecodeError) as error:
        raise ValueError("unable to load root certificates: unable to parse bytes as PEM block") from error


def admin_api(session: aiohttp.ClientSession, kubeconfig: Path) -> KubeApi:
    """The API as the current context's user of a kubeconfig (a token, or a client certificate)."""
    config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    context = next(c["context"] for c in config["contexts"] if c["name"] == config["current-context"])
    cluster = next(c["cluster"] for c in config["clusters"] if c["name"] == context["cluster"])
    user = next(u["user"] for u in config["users"] if u["name"] == context["user"])
    tls = ca_context(_material(cluster, "certificate-authority", kubeconfig))
    if "token" in user:
        token = str(user["token"])
        return KubeApi(session, cluster["server"], tls, lambda: _constant(token))
    with tempfile.NamedTemporaryFile() as pair:  # Python's ssl module takes client certificates from files only
        pair.write(_material(user, "client-certificate", kubeconfig) + b"\n")
        pair.write(_material(user, "client-key", kubeconfig))
        pair.flush()
        tls.load_cert_chain(pair.name)
    return KubeApi(session, cluster["server"], tls)


async def _constant(token: str) -> str:
    return token


def _material(entry: Mapping[str, Any], key: str, kubeconfig: Path) -> bytes:
    if f"{key}-data" in entry:
        return base64.b64decode(str(entry[f"{key}-data"]))
    return (kubeconfig.parent / str(entry[key])).read_bytes()
