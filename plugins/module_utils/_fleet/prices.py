# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Prices by the controller's own estimate, from its metrics. Pure. Private to the collection.

Karpenter exports US dollars per hour of every offering of the region as
karpenter_cloudprovider_instance_type_offering_price_estimate{instance_type,capacity_type,zone}
(https://karpenter.sh/docs/reference/metrics/). It asks AWS for prices every 12 hours and has built-in ones until then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._karpenter_controller.metrics import samples

METRIC = "karpenter_cloudprovider_instance_type_offering_price_estimate"
HOURS_PER_MONTH = 730


@dataclass(frozen=True)
class Prices:
    """US dollars per hour by (type, capacity type, zone)."""

    by_offering: Mapping[tuple[str, str, str], float] = field(default_factory=dict)

    @classmethod
    def from_metrics(cls, text: str | None, types: Iterable[str]) -> Prices:
        """The prices of those instance types in the controller's metrics; none when there are no metrics.

        The metric has a line for every offering of the region, tens of thousands; the types in use are a few.
        """
        wanted = tuple(f'instance_type="{name}"' for name in set(types))
        lines = (line for line in (text or "").splitlines() if line.startswith(METRIC))
        few = "\n".join(line for line in lines if any(name in line for name in wanted))
        found = {
            (
                sample.labels.get("instance_type", ""),
                sample.labels.get("capacity_type", ""),
                sample.labels.get("zone", ""),
            ): sample.value
            for sample in samples(few, METRIC)
            if sample.value > 0
        }
        return cls(found)

    @property
    def known(self) -> bool:
        """Whether there is any price."""
        return bool(self.by_offering)

    def of(self, instance_type: str | None, capacity_type: str | None, zone: str | None) -> float | None:
        """The price of one instance. An On-Demand price is the same in all zones, so another zone's will do."""
        key = (instance_type or "", capacity_type or "on-demand", zone or "")
        exact = self.by_offering.get(key)
        if exact is not None or key[1] != "on-demand":
            return exact
        same = (value for (kind, capacity, _zone), value in self.by_offering.items() if (kind, capacity) == key[:2])
        return next(same, None)

    def of_node(self, node: Mapping[str, Any]) -> float | None:
        """The price of a node as ``nodes.describe`` tells it."""
        return self.of(node["instance_type"], node["capacity_type"], node["zone"])
