# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""A small client of the Kubernetes API: the calls the collection needs. Private to the collection."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from .credentials import Credentials
from .errors import KubernetesError, from_answer, unreachable
from .model import PODS, Connection, Object, Resource
from .transport import NETWORK_ERRORS, READ_SECONDS, pool_manager, timeouts

ATTEMPTS = 4
PAGE = 500
APPLY = "application/apply-patch+yaml"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
Query = Mapping[str, object]
"""Parameters: text, numbers, true, or a list of them; None and false leave one out."""


class Client:
    """One API server.

    :param connection: where, trusted how. :param credentials: as whom. :param sleep: for tests.
    Every call raises KubernetesError; what the server asks to try again (429, 503) and lost connections are repeated.
    """

    def __init__(
        self,
        connection: Connection,
        credentials: Credentials,
        *,
        pool: Any = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.server = connection.server
        self._source = connection.source
        self._credentials = credentials
        self._pool = pool or pool_manager(connection)
        self._sleep = sleep

    def get(self, resource: Resource, name: str, namespace: str | None = None) -> Object | None:
        """The object, or None when there is none of that name."""
        try:
            return self._json("GET", resource.path(name, namespace))
        except KubernetesError as error:
            if error.kind == "not_found":
                return None
            raise

    def all(
        self, resource: Resource, namespace: str | None = None, *, labels: str | None = None, fields: str | None = None
    ) -> list[Object]:
        """All objects, page by page."""
        return self.all_with_version(resource, namespace, labels=labels, fields=fields)[0]

    def all_with_version(
        self, resource: Resource, namespace: str | None = None, *, labels: str | None = None, fields: str | None = None
    ) -> tuple[list[Object], str]:
        """All objects, and the resourceVersion a watch goes on from."""
        found: list[Object] = []
        token: str | None = None
        while True:
            query: Query = {"limit": PAGE, "continue": token, "labelSelector": labels, "fieldSelector": fields}
            try:
                page = self._json("GET", resource.path(namespace=namespace), query)
            except KubernetesError as error:
                if error.kind == "gone" and token:  # the listing took too long: start again
                    found, token = [], None
                    continue
                raise
            found += page.get("items") or []
            token = page["metadata"].get("continue")
            if not token:
                return found, page["metadata"].get("resourceVersion", "")

    def apply(
        self, resource: Resource, manifest: Object, *, manager: str, force: bool = False, dry_run: bool = False
    ) -> Object:
        """Server-side apply; the object as it is then (or would be). A field of another manager is a conflict."""
        query: Query = {
            "fieldManager": manager,
            "force": force or None,
            "fieldValidation": "Strict",
            "dryRun": "All" if dry_run else None,
        }
        metadata = manifest["metadata"]
        path = resource.path(metadata["name"], metadata.get("namespace"))
        return self._json("PATCH", path, query, manifest, APPLY)

    def patch(
        self, resource: Resource, name: str, body: Any, *, manager: str, namespace: str | None = None,
        kind: str = MERGE_PATCH, subresource: str | None = None,
    ) -> Object:  # fmt: skip
        """A merge patch (a dict) or a JSON patch (a list, with ``kind=JSON_PATCH``)."""
        path = resource.path(name, namespace) + (f"/{subresource}" if subresource else "")
        return self._json("PATCH", path, {"fieldManager": manager}, body, kind)

    def create(self, resource: Resource, manifest: Object, *, manager: str, namespace: str | None = None) -> Object:
        """Create the object."""
        return self._json("POST", resource.path(namespace=namespace), {"fieldManager": manager}, manifest)

    def delete(
        self, resource: Resource, name: str, namespace: str | None = None, *,
        propagation: str = "Background", grace_seconds: int | None = None, uid: str | None = None,
    ) -> bool:  # fmt: skip
        """Ask for the deletion; False when there is nothing of that name (or uid) any more."""
        body: Object = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": propagation}
        if grace_seconds is not None:
            body["gracePeriodSeconds"] = grace_seconds
        if uid is not None:
            body["preconditions"] = {"uid": uid}
        try:
            self._json("DELETE", resource.path(name, namespace), None, body)
        except KubernetesError as error:
            if error.kind == "not_found" or (error.kind == "conflict" and uid is not None):
                return False
            raise
        return True

    def text(self, path: str, query: Query | None = None) -> str:
        """The answer to a GET as text: a pod's log, metrics through the pod proxy, ``/version``."""
        return self._call("GET", path, query).decode("utf-8", "replace")

    def logs(self, pod: str, namespace: str, *, container: str, tail: int = 500, previous: bool = False) -> str:
        """The last lines of a container's log."""
        query: Query = {"container": container, "tailLines": tail, "previous": previous or None}
        return self.text(f"{PODS.path(pod, namespace)}/log", query)

    def lines(self, path: str, query: Query, *, read_seconds: float) -> Iterator[bytes]:
        """The lines of an answer as they come (a watch, a log that is followed), until it ends."""
        response = self._send("GET", path, query, None, None, stream=True, read_seconds=read_seconds)
        rest = b""
        try:
            for chunk in response.stream(65536):
                *complete, rest = (rest + chunk).split(b"\n")
                yield from complete
        except NETWORK_ERRORS as error:
            raise unreachable(self.server, _reason(error), self._source) from error
        finally:
            response.close()

    def _json(
        self, method: str, path: str, query: Query | None = None, body: Any = None, content_type: str | None = None
    ) -> Object:
        answer: Object = json.loads(self._call(method, path, query, body, content_type))
        return answer

    def _call(
        self, method: str, path: str, query: Query | None = None, body: Any = None, content_type: str | None = None
    ) -> bytes:
        data: bytes = self._send(method, path, query, body, content_type).data
        return data

    def _send(
        self, method: str, path: str, query: Query | None, body: Any, content_type: str | None, *,
        stream: bool = False, read_seconds: float = READ_SECONDS,
    ) -> Any:  # fmt: skip
        pairs = {key: str(value).lower() if value is True else value for key, value in (query or {}).items()}
        url = (
            self.server
            + quote(path)
            + "?"
            + urlencode({k: v for k, v in pairs.items() if v not in (None, False)}, doseq=True)
        )
        payload = None if body is None else json.dumps(body).encode()
        kind = content_type or "application/json"
        # A lost answer to these is no harm; a JSON patch tests the version it has already changed itself.
        repeatable = method in ("GET", "DELETE") or content_type in (APPLY, MERGE_PATCH)
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._attempt(method, path, url, payload, kind, stream, read_seconds)
            except KubernetesError as error:
                if error.kind == "unauthorized" and self._credentials.renewable and attempt == 1:
                    self._credentials.forget()
                    continue
                pause = _pause(error, repeatable, attempt)
                if attempt >= ATTEMPTS or pause is None:
                    raise
                self._sleep(pause)

    def _attempt(
        self, method: str, path: str, url: str, payload: bytes | None, content_type: str, stream: bool, seconds: float
    ) -> Any:
        headers = {"Accept": "application/json, */*", "User-Agent": "eksops.karpenter"}
        if payload is not None:
            headers["Content-Type"] = content_type
        authorization = self._credentials.header()
        if authorization:
            headers["Authorization"] = authorization
        timeout = timeouts(seconds)
        try:
            response = self._pool.request(
                method, url, body=payload, headers=headers, preload_content=not stream, timeout=timeout, redirect=False
            )
            if response.status < 300:
                return response
            data = response.data if not stream else response.read()
        except NETWORK_ERRORS as error:
            raise unreachable(self.server, _reason(error), self._source) from error
        raise from_answer(response.status, data, verb=method, path=path, server=self.server, source=self._source)


def _pause(error: KubernetesError, repeatable: bool, attempt: int) -> float | None:
    """The pause before another attempt, or None when there is no use in one."""
    if error.kind == "throttled" or (error.kind == "server" and error.status.get("code") == 503):
        return error.retry_after_seconds or 2.0 ** (attempt - 1)
    if error.kind == "unreachable" and repeatable and attempt <= 2:
        return 1.0
    return None


def _reason(error: BaseException) -> str:
    """The innermost reason; urllib3 wraps it several times."""
    inner = getattr(error, "reason", None)
    return _reason(inner) if isinstance(inner, BaseException) else str(error) or type(error).__name__
