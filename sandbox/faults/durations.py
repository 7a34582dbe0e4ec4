"""Durations: always the same, or drawn so that their percentiles are the given ones. Pure."""

from __future__ import annotations

import random
import threading
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from sandbox.faults.model import Fault

#: The percentiles that can be given, by parameter.
PERCENTILES = {"p0_seconds": 0.0, "p50_seconds": 0.5, "p90_seconds": 0.9, "p99_seconds": 0.99, "p100_seconds": 1.0}


def points(parameters: Mapping[str, object]) -> list[tuple[float, float]]:
    """The given percentiles as (share, seconds), in the order of shares."""
    return [
        (share, value)
        for name, share in PERCENTILES.items()
        if isinstance(value := parameters.get(name), (int, float)) and not isinstance(value, bool)
    ]


def quantile(known: Sequence[tuple[float, float]], share: float) -> float:
    """The duration that this share of all do not exceed: straight lines between the given points, level outside."""
    shares = [one for one, _ in known]
    index = bisect_left(shares, share)
    if index == 0:
        return known[0][1]
    if index == len(known):
        return known[-1][1]
    (left, low), (right, high) = known[index - 1], known[index]
    return low + (high - low) * (share - left) / (right - left)


class Draws:
    """Draws one duration for each thing and remembers it. Thread-safe.

    The n-th thing that asks gets the n-th number of the fault's seed, so that a run with the same seed has the same
    durations although ids are new each time.
    """

    def __init__(self) -> None:
        self._random: dict[str, random.Random] = {}
        self._drawn: dict[tuple[str, str], float] = {}
        self._lock = threading.Lock()

    def seconds(self, fault: Fault, thing: str) -> float:
        """How long it takes for ``thing`` under ``fault``."""
        if "seconds" in fault.parameters:
            return fault.number("seconds")
        with self._lock:
            key = (fault.id, thing)
            if key not in self._drawn:
                # Not for secrets: the same seed is to give the same numbers.
                source = self._random.setdefault(fault.id, random.Random(int(fault.number("seed"))))
                self._drawn[key] = quantile(points(fault.parameters), source.random())
            return self._drawn[key]

    def dump(self, fault: Fault) -> dict[str, float]:
        """What was drawn under ``fault``, by thing."""
        with self._lock:
            return {thing: seconds for (number, thing), seconds in self._drawn.items() if number == fault.id}

    def restore(self, fault: Fault, drawn: Mapping[str, float]) -> None:
        """Take back what ``dump`` gave; the next draw is the one that would have been next."""
        if not drawn:
            return
        with self._lock:
            source = self._random[fault.id] = random.Random(int(fault.number("seed")))
            for thing, seconds in drawn.items():
                self._drawn[fault.id, thing] = seconds
                source.random()

    def forget(self, fault: Fault) -> None:
        """The fault has gone."""
        with self._lock:
            self._random.pop(fault.id, None)
            self._drawn = {key: value for key, value in self._drawn.items() if key[0] != fault.id}
