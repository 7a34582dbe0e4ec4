# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Percentiles as ClusterLoader2 takes them, and the ramp of a curve. Pure. Private to the collection."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

RULE = "nearest rank: the sorted value at ceil(n*p)-1; p99 is told from n=100 on, below it the maximum is"
"""Said in every result, since other tools interpolate (kube-burner) and their figures differ for small n."""
P99_FROM = 100
SHARES = (50, 70, 90, 99, 100)


def nearest_rank(ordered: Sequence[float], percent: int) -> float:
    """The percentile of sorted values. Raises ValueError without a value."""
    if not ordered:
        raise ValueError("no value has no percentile")
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def summary(values: Iterable[float]) -> dict[str, Any]:
    """n, min, p50, p90, p99 and max in seconds; null where there is nothing, or too little, to say it from."""
    ordered = sorted(values)
    if not ordered:
        return {"n": 0, "min": None, "p50": None, "p90": None, "p99": None, "max": None}
    return {
        "n": len(ordered),
        "min": round(ordered[0], 3),
        "p50": round(nearest_rank(ordered, 50), 3),
        "p90": round(nearest_rank(ordered, 90), 3),
        "p99": round(nearest_rank(ordered, 99), 3) if len(ordered) >= P99_FROM else None,
        "max": round(ordered[-1], 3),
    }


def ramp(moments: Iterable[float], start: float, total: int) -> dict[str, float | None]:
    """Seconds from ``start`` until so many percent of ``total`` had happened; null for what did not happen."""
    ordered = sorted(moments)
    found: dict[str, float | None] = {}
    for share in SHARES:
        rank = math.ceil(total * share / 100)
        reached = 0 < rank <= len(ordered)
        found[f"t{share}"] = round(ordered[rank - 1] - start, 3) if reached else None
    return found
