# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""One test at a time: the namespace is the claim, and its renewed mark says that the claimant lives.

A run that was killed cannot clean up; the next one finds its namespace without a fresh mark and removes it.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid

from .._core.errors import EksopsError, EksopsTimeoutError
from .._core.progress import Progress
from .._core.waiting import Sleep, Waiter
from .._kubernetes.client import Client
from .._kubernetes.errors import KubernetesError
from .._kubernetes.model import NAMESPACES, Object
from . import api
from .model import MANAGER, NAMESPACE, RUN_ANNOTATION, namespace
from .plan import alive, refuse_foreign

RENEW_SECONDS = 5.0
PATIENCE_SECONDS = 90.0
"""How long another run may go on before this one gives up. One whose playbook was killed ends well within it."""


def run_id() -> str:
    """Names this run for a person: machine, process, and something of its own."""
    return f"{socket.gethostname()}/{os.getpid()}/{uuid.uuid4().hex[:8]}"


class Claim(threading.Thread):
    """Makes the namespace, renews its mark, and deletes it. ``lost`` is set when another run has it.

    :ivar removed: the namespace of a dead run, if there was one.
    """

    def __init__(self, client: Client, progress: Progress, sleep: Sleep = time.sleep) -> None:
        super().__init__(daemon=True, name="claim")
        self.run_id = run_id()
        self.lost = False
        self.removed: Object | None = None
        self._client = client
        self._progress = progress
        self._sleep = sleep
        self._namespace: Object | None = None
        self._end = threading.Event()

    def take(self) -> None:
        """Wait for a living run, remove a dead one's namespace, make our own. Raises EksopsError."""
        self._wait_for_living()
        dead = api.former(self._client)
        if dead is not None:
            refuse_foreign(dead)
            self._progress.report("scale test", f"remove namespace {NAMESPACE} of a run that did not end well")
            api.remove(self._client, dead, self._progress)
            self.removed = dead
        try:
            self._namespace = self._client.create(NAMESPACES, namespace(self.run_id, time.time()), manager=MANAGER)
        except KubernetesError as error:
            if error.kind == "exists":
                raise _busy(api.former(self._client)) from error
            raise
        self.start()

    def run(self) -> None:
        """Renew until the end."""
        while not self._end.wait(RENEW_SECONDS):
            try:
                ours = api.renew(self._client, self.run_id, time.time())
            except KubernetesError:
                continue  # told by the watches; the mark has time for several tries
            if not ours:
                # Looked after the release, it is this run itself that took the namespace away.
                self.lost = not self._end.is_set()
                return

    def check(self) -> None:
        """Raises EksopsError when the namespace is no longer ours."""
        if self.lost:
            raise EksopsError(
                f"Namespace {NAMESPACE} was deleted, or taken over by another scale test, while this one ran",
                where=NAMESPACE,
                next_step="run the test again when nobody else does",
            )

    def release(self) -> None:
        """Delete the namespace if it is ours. Raises EksopsError when it stays."""
        self._end.set()
        if self._namespace is not None:
            api.remove(self._client, self._namespace, self._progress)

    def _wait_for_living(self) -> None:
        if not alive(api.former(self._client), time.time()):
            return

        def look() -> dict[str, str | None]:
            found = api.former(self._client)
            return {NAMESPACE: _owner(found) if alive(found, time.time()) else None}

        try:
            Waiter(PATIENCE_SECONDS, progress=self._progress, sleep=self._sleep, max_interval_seconds=3).until(
                "other scale test", "Another scale test did not end", look
            )
        except EksopsTimeoutError as error:
            raise _busy(api.former(self._client)) from error


def _owner(found: Object | None) -> str:
    annotations = ((found or {}).get("metadata") or {}).get("annotations") or {}
    return f"run {annotations.get(RUN_ANNOTATION, 'of unknown origin')} is at work"


def _busy(found: Object | None) -> EksopsError:
    return EksopsError(
        f"Another scale test is running in this cluster ({_owner(found)})",
        where=NAMESPACE,
        next_step=f"wait for its end; if it has none, delete namespace {NAMESPACE}",
    )
