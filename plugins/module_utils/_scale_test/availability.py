# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""How long pods of the workload were missing, by what its Deployment said. Pure. Private to the collection."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from .._kubernetes.model import Object


@dataclass(frozen=True)
class Point:
    """From ``moment`` on so many pods were wanted, and so many were available."""

    moment: float
    desired: int
    available: int

    @property
    def missing(self) -> int:
        """Wanted and not available."""
        return max(0, self.desired - self.available)

    @property
    def complete(self) -> bool:
        """Whether all that are wanted are available."""
        return 0 < self.desired <= self.available


@dataclass
class Availability:
    """Hears the Deployment from the scale call on. Times are seconds since the epoch."""

    points: list[Point] = field(default_factory=list)

    def begin(self, moment: float, desired: int) -> None:
        """The scale call: from now on so many pods are wanted, whenever the watch tells of it."""
        self.points = [Point(moment, desired, 0)]

    def hear(self, deployment: Object, received: float) -> None:
        """The Deployment as a watch tells it. What it was before the scale call does not count."""
        if self.points:
            desired = int(deployment["spec"].get("replicas", 1))
            available = int((deployment.get("status") or {}).get("availableReplicas") or 0)
            self.points.append(Point(received, desired, available))

    @property
    def complete(self) -> bool:
        """Whether all pods are available by the last word of the Deployment."""
        return bool(self.points) and self.points[-1].complete

    def as_dict(self, end: float | None) -> dict[str, Any]:
        """Pod-seconds until all were available for the first time, and from then on until the drop at ``end``.

        Null for a phase that was not reached.
        """
        points = [point for point in self.points if end is None or point.moment < end]
        if not points:
            return {"starting": None, "running": None}
        if end is not None:
            points.append(Point(end, 0, 0))
        whole = next((index for index, point in enumerate(points) if point.complete), None)
        if whole is None:
            return {"starting": _integral(points), "running": None}
        return {"starting": _integral(points[: whole + 1]), "running": _integral(points[whole:])}


def _integral(points: list[Point]) -> float:
    return round(sum(one.missing * (other.moment - one.moment) for one, other in pairwise(points)), 3)
