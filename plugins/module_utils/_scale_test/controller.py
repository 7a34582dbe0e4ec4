# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the controller says and uses while the test runs. Private to the collection."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from .._fleet.prices import METRIC as PRICE
from .._karpenter_controller.model import CONTAINER, log_entries
from .._kubernetes.client import Client, Query
from .._kubernetes.errors import KubernetesError
from .._kubernetes.model import PODS
from . import api, narration
from .usage import NAMES, Usage

QUIET_SECONDS = 60.0


class LogFollower(threading.Thread):
    """Hands on a sentence for each telling line of the leader's log, and finds the new leader when it changes."""

    def __init__(self, client: Client, namespace: str, tell: Callable[[str | None], None]) -> None:
        super().__init__(daemon=True, name="controller-log")
        self._client = client
        self._namespace = namespace
        self._tell = tell
        self._since = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._at_since: set[str] = set()
        self._end = threading.Event()

    def stop(self) -> None:
        """Tell nothing more."""
        self._end.set()

    def run(self) -> None:
        """Follow until stopped. A log that cannot be read makes the test no worse, only quieter."""
        while not self._end.is_set():
            with suppress(KubernetesError):
                self._follow(api.leader(self._client, self._namespace))
            self._end.wait(1.0)

    def _follow(self, leader: str | None) -> None:
        if leader is None:
            return
        path = f"{PODS.path(leader, self._namespace)}/log"
        query: Query = {"container": CONTAINER, "follow": True, "sinceTime": self._since[:19] + "Z"}
        for line in self._client.lines(path, query, read_seconds=QUIET_SECONDS):
            if self._end.is_set():
                return
            self._take(line.decode("utf-8", "replace"))

    def _take(self, line: str) -> None:
        for entry in log_entries(line):
            moment = str(entry.get("time") or self._since)
            # A stream that was opened anew begins at a full second, with lines that were told already.
            if moment < self._since or line in self._at_since:
                continue
            self._at_since = {line} | (self._at_since if moment == self._since else set())
            self._since = moment
            self._tell(narration.of_line(entry))


class Scraper(threading.Thread):
    """Reads the leader's metrics every so many seconds: memory, CPU, throttled calls. ``prices`` has all of them."""

    def __init__(self, client: Client, namespace: str, interval_seconds: float) -> None:
        super().__init__(daemon=True, name="controller-metrics")
        self.usage = Usage()
        self.prices: str | None = None
        self._interval_seconds = interval_seconds
        self._client = client
        self._namespace = namespace
        self._end = threading.Event()

    def stop(self) -> None:
        """Scrape no more."""
        self._end.set()

    def run(self) -> None:
        """Scrape until stopped."""
        self.scrape(prices=True)
        while not self._end.wait(self._interval_seconds):
            self.scrape()

    def scrape(self, *, prices: bool = False) -> None:
        """Once. What cannot be read is left out.

        :param prices: also keep the prices, which are tens of thousands of lines.
        """
        try:
            leader = api.leader(self._client, self._namespace)
        except KubernetesError:
            return
        names = (*NAMES, PRICE) if prices else NAMES
        text = api.metrics(self._client, leader, self._namespace, names) if leader else None
        if leader and text:
            self.prices = text if prices else self.prices
            self.usage.take(leader, time.monotonic(), text)
