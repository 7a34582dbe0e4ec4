# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Watching: what changes, as it changes, with the time it was heard of. Private to the collection."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .client import Client, Query
from .errors import KubernetesError
from .model import Object, Resource

Type = Literal["ADDED", "MODIFIED", "DELETED"]
ROUND_SECONDS = 20
"""A watch asks for that long and then goes on where it was; so a stopped watcher ends within that time."""


@dataclass(frozen=True)
class Change:
    """One change of one object. ``received`` is seconds since the epoch on this machine."""

    type: Type
    resource: Resource
    item: Object
    received: float


class Watcher(threading.Thread):
    """Lists, then watches one kind, and hands every change on until it is stopped.

    What exists at the start is handed on as ADDED. A watch that breaks goes on from the last version seen; one whose
    version is too old lists again, and what has gone meanwhile is handed on as DELETED. ``trouble`` holds the last
    error while the API server does not answer.
    """

    def __init__(
        self,
        client: Client,
        resource: Resource,
        hear: Callable[[Change], None],
        *,
        namespace: str | None = None,
        labels: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(daemon=True, name=f"watch-{resource.plural}")
        self.trouble: KubernetesError | None = None
        self._client = client
        self._resource = resource
        self._hear = hear
        self._namespace = namespace
        self._labels = labels
        self._clock = clock
        self._stopping = threading.Event()  # Thread has a _stop of its own up to Python 3.12
        self._known: dict[str, Object] = {}
        self._version = ""
        self._listed = threading.Event()
        self._unlisted: KubernetesError | None = None

    def open(self, timeout_seconds: float = 30.0) -> None:
        """Start, and return when the first listing is in. Raises KubernetesError when that fails."""
        self.start()
        listed = self._listed.wait(timeout_seconds)
        trouble = self._unlisted  # not self.trouble: the watch that follows may have failed by now, and is tried again
        if not listed:
            trouble = KubernetesError(
                "unreachable", f"The {self._resource.plural} were not listed within {timeout_seconds:g} seconds"
            )
        if trouble is not None:
            self.stop()
            raise trouble

    def stop(self) -> None:
        """Hand on nothing more."""
        self._stopping.set()

    def run(self) -> None:
        """List and watch until stopped."""
        while not self._stopping.is_set():
            try:
                if not self._version:
                    self._list()
                self._watch()
            except KubernetesError as error:
                if error.kind == "gone":
                    self._version = ""
                    continue
                self.trouble = error
                if not self._listed.is_set():
                    self._unlisted = error
                self._listed.set()
                self._stopping.wait(1.0)

    def _list(self) -> None:
        items, version = self._client.all_with_version(self._resource, self._namespace, labels=self._labels)
        now = {item["metadata"]["uid"]: item for item in items}
        for uid, item in list(self._known.items()):
            if uid not in now:
                self._tell("DELETED", item)
        for item in items:
            self._tell("MODIFIED" if item["metadata"]["uid"] in self._known else "ADDED", item)
        self._version = version
        self.trouble = None
        self._listed.set()

    def _watch(self) -> None:
        query: Query = {
            "watch": True,
            "resourceVersion": self._version,
            "allowWatchBookmarks": True,
            "timeoutSeconds": ROUND_SECONDS,
            "labelSelector": self._labels,
        }
        path = self._resource.path(namespace=self._namespace)
        for line in self._client.lines(path, query, read_seconds=ROUND_SECONDS + 10):
            if self._stopping.is_set():
                return
            self.trouble = None
            self._take(json.loads(line))

    def _take(self, event: Object) -> None:
        item = event["object"]
        if event["type"] == "ERROR":
            self._version = ""
            kind: Literal["gone", "server"] = "gone" if item.get("code") == 410 else "server"
            raise KubernetesError(kind, str(item.get("message")), status=item)
        self._version = item["metadata"]["resourceVersion"]
        if event["type"] != "BOOKMARK":
            self._tell(event["type"], item)

    def _tell(self, kind: Type, item: Object) -> None:
        uid = item["metadata"]["uid"]
        if kind == "DELETED":
            self._known.pop(uid, None)
        else:
            self._known[uid] = item
        if not self._stopping.is_set():
            self._hear(Change(kind, self._resource, item, self._clock()))
