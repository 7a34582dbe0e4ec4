"""A small asynchronous client of a cluster's API server, for the sandbox's own administrator credentials."""

from __future__ import annotations

import base64
import json
import ssl
import tempfile
from pathlib import Path
from typing import Any

import aiohttp
import yaml

PLURALS = {
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "ConfigMap": "configmaps",
    "DaemonSet": "daemonsets",
    "Deployment": "deployments",
    "MutatingWebhookConfiguration": "mutatingwebhookconfigurations",
    "PodDisruptionBudget": "poddisruptionbudgets",
    "Role": "roles",
    "RoleBinding": "rolebindings",
    "Service": "services",
    "ServiceAccount": "serviceaccounts",
}


class KubeError(Exception):
    """The API server said no, or did not answer (``status`` 0)."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(f"{status} {reason}: {message}")
        self.status = status
        self.reason = reason
        self.message = message


def path_of(manifest: dict[str, Any]) -> str:
    """The URL path of the object that ``manifest`` describes. Raises KeyError for a kind that we do not use."""
    version, meta = manifest["apiVersion"], manifest["metadata"]
    root = f"/api/{version}" if "/" not in version else f"/apis/{version}"
    place = f"/namespaces/{meta['namespace']}" if "namespace" in meta else ""
    return f"{root}{place}/{PLURALS[manifest['kind']]}/{meta['name']}"


class Kube:
    """Requests to one API server; every method raises KubeError when it does not answer with success."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self._server: str = cluster["server"].rstrip("/")
        self._ssl = _ssl_context(cluster, user, kubeconfig.parent)
        self._headers = {"Authorization": f"Bearer {user['token']}"} if "token" in user else {}
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def get(self, path: str, **query: str) -> dict[str, Any]:
        """One object, or a list of them."""
        return await self._request("GET", path, query=query)

    async def list(self, path: str, **query: str) -> list[dict[str, Any]]:
        """The items of a list."""
        items: list[dict[str, Any]] = (await self._request("GET", path, query=query))["items"]
        return items

    async def text(self, path: str) -> str:
        """What a path answers that is not JSON, such as metrics."""
        status, text = await self._send("GET", path, headers=self._headers)
        if status >= 300:
            raise KubeError(status, "", text[:200])
        return text

    async def create(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """A new object, or the answer of a review or an eviction."""
        return await self._request("POST", path, body=body)

    async def merge(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """An object after a merge patch."""
        return await self._request("PATCH", path, body=body, content_type="application/merge-patch+json")

    async def apply(self, manifest: dict[str, Any], *, manager: str = "eks", force: bool = True) -> dict[str, Any]:
        """An object after server-side apply; without ``force`` a conflict with another manager is KubeError 409."""
        query = {"fieldManager": manager, "force": "true" if force else "false"}
        return await self._request(
            "PATCH", path_of(manifest), body=manifest, content_type="application/apply-patch+yaml", query=query
        )

    async def delete(self, path: str) -> None:
        """Delete an object in the background; an object that is not there is not an error."""
        try:
            await self._request("DELETE", path, query={"propagationPolicy": "Background"})
        except KubeError as error:
            if error.status != 404:
                raise

    async def close(self) -> None:
        """Close the connections for good; requests are refused from now on."""
        self._closed = True
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _request(
        self,
        method: str,
        path: str,
        *,
        body: dict[str, Any] | None = None,
        content_type: str = "application/json",
        query: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        headers = {**self._headers, "Accept": "application/json", "Content-Type": content_type}
        data = None if body is None else json.dumps(body)
        return _read(*await self._send(method, path, headers=headers, query=query, data=data))

    async def _send(
        self,
        method: str,
        path: str,
        *,
        headers: dict[str, str],
        query: dict[str, str] | None = None,
        data: str | None = None,
    ) -> tuple[int, str]:
        if self._closed:
            raise KubeError(0, "Closed", f"{method} {path}: the cluster is gone")
        if self._session is None:
            connector = aiohttp.TCPConnector(ssl=self._ssl)
            self._session = aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=30))
        try:
            async with self._session.request(
                method, f"{self._server}{path}", params=query, data=data, headers=headers
            ) as response:
                return response.status, await response.text()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise KubeError(0, "Unreachable", f"{method} {path}: {error!r}") from error


def _read(status: int, text: str) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError:
        answer = {"message": text[:200]}
    if status >= 300:
        raise KubeError(status, str(answer.get("reason", "")), str(answer.get("message", "")))
    result: dict[str, Any] = answer
    return result


def _ssl_context(cluster: dict[str, Any], user: dict[str, Any], folder: Path) -> ssl.SSLContext | bool:
    if not cluster["server"].startswith("https://"):
        return False
    authority = _pem(cluster, "certificate-authority", folder)
    context = ssl.create_default_context(cadata=authority.decode() if authority else None)
    certificate, key = _pem(user, "client-certificate", folder), _pem(user, "client-key", folder)
    if certificate and key:
        # The ssl module reads client certificates from files only.
        with tempfile.NamedTemporaryFile() as file:
            file.write(certificate + b"\n" + key)
            file.flush()
            context.load_cert_chain(file.name)
    return context


def _pem(part: dict[str, Any], name: str, folder: Path) -> bytes | None:
    if f"{name}-data" in part:
        return base64.b64decode(part[f"{name}-data"])
    return (folder / part[name]).read_bytes() if name in part else None
