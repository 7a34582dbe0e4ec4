"""The leader's log: each line once, also when the stream was opened anew."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any, cast

from ansible_collections.eksops.karpenter.plugins.module_utils._fleet.prices import METRIC as PRICE
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.client import Client
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.controller import LogFollower, Scraper
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.usage import MEMORY

from .kube import Kube


def line(moment: str, claim: str) -> str:
    return json.dumps({"time": moment, "message": "initialized nodeclaim", "NodeClaim": {"name": claim}})


def test_lines_of_one_moment_are_all_told_and_repeated_ones_are_not() -> None:
    told: list[str | None] = []
    follower = LogFollower(cast(Client, Kube()), "kube-system", told.append)
    first = [line("2999-01-01T00:00:00.100Z", "a"), line("2999-01-01T00:00:00.100Z", "b")]
    later = [line("2999-01-01T00:00:00.900Z", "c")]
    for text in (*first, *later, *first, *later):
        follower._take(text)
    assert told == ["a is ready for pods", "b is ready for pods", "c is ready for pods"]


def test_what_was_written_before_the_test_is_not_told() -> None:
    told: list[str | None] = []
    LogFollower(cast(Client, Kube()), "kube-system", told.append)._take(line("2020-01-01T00:00:00.000Z", "old"))
    assert told == []


class Metrics(Kube):
    """A leader whose metrics are counted; ``asked`` has the names of each scrape."""

    def __init__(self) -> None:
        lease = {"metadata": {"name": "karpenter-leader-election"}, "spec": {"holderIdentity": "karpenter-a_1"}}
        super().__init__(leases=[lease], pods=[{"metadata": {"name": "karpenter-a"}}])
        self.asked: list[Sequence[str]] = []

    def text(self, path: str, query: Any = None) -> str:
        self.asked.append(query["name[]"])
        return "process_resident_memory_bytes 1\nprocess_cpu_seconds_total 2\n"


def test_prices_are_only_asked_for_at_the_start_and_at_the_end() -> None:
    kube = Metrics()
    scraper = Scraper(cast(Client, kube), "kube-system", interval_seconds=0.05)
    scraper.start()
    deadline = time.monotonic() + 5
    while len(kube.asked) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    scraper.stop()
    scraper.join()
    assert PRICE in kube.asked[0]
    assert all(PRICE not in names and MEMORY in names for names in kube.asked[1:])
    assert len(kube.asked) >= 3
    assert scraper.usage.as_dict()["samples"] == len(kube.asked)
