# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Thresholds: pass or fail, one by one. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Figures = Mapping[str, Any]


def _statistic(field: str, name: str) -> Callable[[Figures], float | None]:
    """Of both measurements, the one by the watch; it has the finer grain."""

    def read(figures: Figures) -> float | None:
        value: float | None = figures["latencies"][field]["watch"][name]
        return value

    return read


def _peak(name: str) -> Callable[[Figures], float | None]:
    def read(figures: Figures) -> float | None:
        value: float | None = (figures["packing"] or {}).get(name)
        return value

    return read


READERS: Mapping[str, Callable[[Figures], float | None]] = {
    "scale_up_seconds": lambda figures: figures["scale_up_seconds"],
    "pod_startup_p50_seconds": _statistic("pod_startup", "p50"),
    "pod_startup_max_seconds": _statistic("pod_startup", "max"),
    "node_startup_p50_seconds": _statistic("node_startup", "p50"),
    "node_startup_max_seconds": _statistic("node_startup", "max"),
    "scale_down_seconds": lambda figures: figures["scale_down_seconds"],
    "consolidation_seconds": lambda figures: figures["consolidation"]["seconds"],
    "unavailable_seconds": lambda figures: figures["unavailable_seconds"]["running"],
    "nodes": _peak("nodes"),
    "packing_percent_min": _peak("cpu_percent"),
    "cost_per_hour": _peak("cost_per_hour"),
}


def verdicts(figures: Figures, thresholds: Mapping[str, float]) -> list[dict[str, Any]]:
    """Each threshold with its value and whether it holds. A value that is not known is inconclusive, never a pass."""
    return [_verdict(name, READERS[name](figures), limit) for name, limit in thresholds.items()]


def _verdict(name: str, value: float | None, limit: float) -> dict[str, Any]:
    if value is None:
        status = "inconclusive"
    else:
        status = "pass" if (value >= limit if name.endswith("_min") else value <= limit) else "fail"
    return {"name": name, "value": value, "limit": limit, "status": status}


def sentence(verdict: Mapping[str, Any]) -> str:
    """What is wrong, in words."""
    word = "at least" if verdict["name"].endswith("_min") else "at most"
    value = "is not known" if verdict["value"] is None else f"is {verdict['value']:g}"
    return f"{verdict['name']} {value}, wanted {word} {verdict['limit']:g}"
