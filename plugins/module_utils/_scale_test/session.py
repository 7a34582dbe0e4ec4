# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""One test from its first write to its last: up, down, clean-up. Private to the collection."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from .._core.errors import EksopsTimeoutError
from .._core.progress import Progress
from .._core.waiting import Look, Waiter
from .._kubernetes.client import Client
from .._kubernetes.model import DEPLOYMENTS, EVENTS, NODE_CLAIMS, NODES, PODS
from .._kubernetes.watch import Change, Watcher
from . import api, narration, reasons
from .attribution import own_claims, pods
from .claim import Claim
from .consolidation import quiet_since, restless
from .controller import LogFollower, Scraper
from .figures import Moments
from .model import MANAGER, NAMESPACE, POOL_LABEL, Spec, deployment
from .recording import Recording
from .stopping import Stopper

NAP_SECONDS = 1.0
"""The longest sleep: so soon a signal is answered."""
SETTLE_SECONDS = 0.2
"""News comes in swarms; one look answers a swarm."""


class Session:
    """A test at work. ``recording`` and ``moments`` hold what it has seen, however it ends."""

    def __init__(
        self, client: Client, spec: Spec, progress: Progress, stopper: Stopper, after: Mapping[str, str]
    ) -> None:
        self.recording = Recording()
        self.moments = Moments()
        self.claim = Claim(client, progress, self._sleep)
        self._client = client
        self._spec = spec
        self._progress = progress
        self._stopper = stopper
        self._after = after
        self._told: set[str] = set()
        self._watchers: list[Watcher] = []
        self._log = LogFollower(client, spec.controller_namespace, self._tell)
        self._scraper = Scraper(client, spec.controller_namespace, spec.metrics_interval_seconds)

    def prepare(self, taints: Sequence[Mapping[str, Any]]) -> None:
        """Namespace, workload with 0 replicas, and open watches. Raises EksopsError."""
        self.claim.take()
        self._client.apply(DEPLOYMENTS, deployment(self._spec, taints), manager=MANAGER)
        self.moments.nodes_before = api.nodes(self._client)
        kinds = ((PODS, NAMESPACE, None), (DEPLOYMENTS, NAMESPACE, None), (EVENTS, NAMESPACE, None),
                 (EVENTS, "default", None), (NODE_CLAIMS, None, None), (NODES, None, POOL_LABEL))  # fmt: skip
        for resource, namespace, labels in kinds:
            watcher = Watcher(self._client, resource, self._hear, namespace=namespace, labels=labels)
            self._watchers.append(watcher)
            watcher.open()
        self._log.start()
        self._scraper.start()
        self.recording.start()

    def scale_up(self) -> None:
        """0 to all ready. Raises EksopsTimeoutError that names what is not, and why."""
        replicas = self._spec.replicas
        self._progress.report("scale up", f"0 -> {replicas} replicas", done=0, total=replicas)
        self.moments.up = time.time()
        self.moments.availability.begin(self.moments.up, replicas)
        api.scale(self._client, replicas)
        self._wait(
            "scale up", f"Not all of {replicas} pods became ready", self._spec.timeout_seconds,
            lambda: self._not_ready(replicas),
            lambda: reasons.not_ready(self.recording, replicas, api.not_made(self._client)),
        )  # fmt: skip
        self.moments.ready = max(pod.heard["Ready"] for pod in pods(self.recording) if "Ready" in pod.heard)
        self.moments.nodes_at_peak = api.nodes(self._client)
        self.moments.pods_at_peak = api.bound_pods(self._client)

    def scale_down(self) -> None:
        """All to 0, and the launched nodes gone if that is asked for. Raises EksopsTimeoutError as above."""
        self._progress.report("scale down", f"{self._spec.replicas} -> 0 replicas")
        self.moments.down = time.time()
        api.scale(self._client, 0)
        self._wait("scale down", "Not all pods went away", self._spec.timeout_seconds, self._pods_left)
        if not self._spec.wait_for_removal:
            return
        self._wait(
            "nodes", "Not all nodes that the test launched are gone", self._spec.removal_timeout_seconds,
            lambda: reasons.not_gone(self.recording, self._after), self._why_left,
        )  # fmt: skip
        self.moments.gone = max((claim.gone or 0 for claim in own_claims(self.recording)), default=time.time())
        if own_claims(self.recording):
            self._rest(self.moments.down)
        self.moments.nodes_after = api.nodes(self._client)

    def _rest(self, drop: float) -> None:
        """Wait until the cluster has been at rest for long enough. One that does not come to rest is told, no error:
        others' nodes may be its cause."""
        seconds = self._spec.stability_seconds

        def look() -> Mapping[str, str | None]:
            quiet = quiet_since(self.recording, drop)
            rested = quiet is not None and time.time() - quiet >= seconds
            self.moments.quiet = quiet
            return {**restless(self.recording), "rest": None if rested else f"it has to last {seconds:g} seconds"}

        try:
            self._wait("rest", "The cluster did not come to rest", self._spec.removal_timeout_seconds, look)
        except EksopsTimeoutError:
            self.moments.stable = False
        else:
            self.moments.stable = True

    def close(self) -> None:
        """Stop watching, remove the namespace. Comes after success, failure and signals alike. Raises EksopsError."""
        self._log.stop()
        self._scraper.stop()
        for watcher in self._watchers:
            watcher.stop()
        if self.moments.up is not None:
            self._scraper.scrape(prices=True)
        self.moments.prices, self.moments.usage = self._scraper.prices, self._scraper.usage.as_dict()
        self.claim.release()

    def _not_ready(self, replicas: int) -> dict[str, str | None]:
        """The pods, and then their Deployment: until its status has followed, nothing tells which pods go missing."""
        state = reasons.not_ready(self.recording, replicas)
        if any(state.values()) or self.moments.availability.complete:
            return state
        return {**state, "the Deployment": "its status does not count all of them as available yet"}

    def _pods_left(self) -> dict[str, str | None]:
        return {pod.name: None if pod.gone is not None else "it is still there" for pod in pods(self.recording)}

    def _why_left(self) -> dict[str, str | None]:
        others = reasons.other_pods(api.bound_pods(self._client), NAMESPACE)
        return reasons.not_gone(self.recording, self._after, others)

    def _wait(self, phase: str, what: str, seconds: float, look: Look, why: Look | None = None) -> None:
        """Wait until ``look`` is content; on time-out ``why``, which may ask the API server, tells the reasons."""

        def watched() -> Mapping[str, str | None]:
            self._stopper.check()
            self.claim.check()
            deaf = {str(w.name): str(w.trouble) for w in self._watchers if w.trouble is not None}
            return {**look(), **deaf}

        try:
            Waiter(seconds, progress=self._progress, sleep=self._sleep, max_interval_seconds=NAP_SECONDS).until(
                phase, what, watched
            )
        except EksopsTimeoutError as error:
            missing = reasons.grouped((why or watched)()) or error.missing
            raise EksopsTimeoutError(
                f"{what} within {seconds:g} seconds",
                missing=missing,
                next_step="read what the controller said while the test ran (run with -v for all of it)",
            ) from error

    def _sleep(self, seconds: float) -> None:
        if self.recording.news.wait(min(seconds, NAP_SECONDS)):
            time.sleep(SETTLE_SECONDS)
        self.recording.news.clear()
        self._stopper.check()

    def _hear(self, change: Change) -> None:
        self.recording.hear(change)
        if change.resource is DEPLOYMENTS:
            self.moments.availability.hear(change.item, change.received)
        if change.resource is EVENTS and self.moments.up is not None and change.type != "DELETED":
            self._tell(narration.of_event(change.item))

    def _tell(self, sentence: str | None) -> None:
        if sentence and sentence not in self._told:
            self._told.add(sentence)
            self._progress.report("karpenter", sentence)
