# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""All figures of a run, from what was heard. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._fleet.nodes import describe
from .._fleet.prices import Prices
from .._kubernetes.model import Object
from .attribution import claim_node, own_claims, pods
from .availability import Availability
from .churn import churn
from .consolidation import consolidation
from .latencies import latencies
from .model import Spec
from .packing import packing
from .recording import CLAIM_CONDITIONS, Recording, Seen
from .statistics import RULE, ramp

TYPE_LABEL = "node.kubernetes.io/instance-type"


@dataclass
class Moments:
    """What was noted along the way; times are seconds since the epoch, None for what was not reached."""

    up: float | None = None
    ready: float | None = None
    down: float | None = None
    gone: float | None = None
    nodes_before: Sequence[Object] = ()
    nodes_at_peak: Sequence[Object] = ()
    pods_at_peak: Sequence[Object] = ()
    nodes_after: Sequence[Object] | None = None
    quiet: float | None = None
    stable: bool | None = None
    prices: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    availability: Availability = field(default_factory=Availability)


def figures(recording: Recording, moments: Moments, spec: Spec) -> dict[str, Any]:
    """Every figure; null or n=0 for what was not reached."""
    claims = own_claims(recording)
    prices = Prices.from_metrics(moments.prices, _types(claims, moments))
    names = {claim_node(claim) for claim in claims}
    launched = [node for node in moments.nodes_at_peak if node["metadata"]["name"] in names]
    return {
        "scale_up_seconds": _between(moments.up, moments.ready),
        "scale_down_seconds": _between(moments.down, moments.gone) if claims else None,
        "latencies": latencies(recording),
        "percentile_rule": RULE,
        "ramps": _ramps(recording, moments, spec.replicas),
        "churn": churn(recording, moments.down),
        "consolidation": consolidation(
            recording, moments.down, moments.quiet, stable=moments.stable, stability_seconds=spec.stability_seconds
        ),
        "unavailable_seconds": moments.availability.as_dict(moments.down),
        "packing": packing(launched, moments.pods_at_peak, prices) if moments.ready else None,
        "cost": {
            "before_per_hour": _cost(moments.nodes_before, prices),
            "peak_per_hour": _cost(moments.nodes_at_peak, prices) if moments.ready else None,
            "after_per_hour": None if moments.nodes_after is None else _cost(moments.nodes_after, prices),
        },
        "controller": dict(moments.usage),
        "node_claims": [_claim(claim, prices) for claim in claims],
    }


def _types(claims: Iterable[Seen], moments: Moments) -> set[str]:
    """The instance types that a price is wanted of."""
    nodes = (*moments.nodes_before, *moments.nodes_at_peak, *(moments.nodes_after or ()))
    items = (*nodes, *(claim.item for claim in claims))
    return {str((item["metadata"].get("labels") or {}).get(TYPE_LABEL)) for item in items}


def _between(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None else round(end - start, 3)


def _cost(nodes: Iterable[Object], prices: Prices) -> float | None:
    """Together, or None when one price is not known: a sum with holes reads like a price."""
    costs = [prices.of_node(describe(node)) for node in nodes]
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 4) if len(known) == len(costs) else None


def _heard(items: Iterable[Seen], mark: str) -> list[float]:
    return [seen.heard[mark] for seen in items if mark in seen.heard]


def _ramps(recording: Recording, moments: Moments, replicas: int) -> dict[str, Any]:
    """Seconds from the scale call until so many percent were there, or gone. A pod counts once, by its first Ready."""
    own, claims = pods(recording), own_claims(recording)
    up, down = moments.up, moments.down
    return {
        "pods_up": ramp(_heard(own, "Ready"), up, replicas) if up else ramp((), 0, 0),
        "nodes_up": ramp(_heard(claims, CLAIM_CONDITIONS[-1]), up, len(claims)) if up else ramp((), 0, 0),
        "pods_down": ramp(_heard(own, "gone"), down, len(own)) if down else ramp((), 0, 0),
        "nodes_down": ramp(_heard(claims, "gone"), down, len(claims)) if down else ramp((), 0, 0),
    }


def _claim(claim: Seen, prices: Prices) -> dict[str, Any]:
    labels = claim.item["metadata"].get("labels") or {}
    status = claim.item.get("status") or {}
    kind, capacity = labels.get(TYPE_LABEL), labels.get("karpenter.sh/capacity-type")
    zone = labels.get("topology.kubernetes.io/zone")
    return {
        "name": claim.name,
        "node": claim_node(claim),
        "node_pool": labels.get("karpenter.sh/nodepool"),
        "instance_id": str(status.get("providerID") or "").rsplit("/", 1)[-1] or None,
        "instance_type": kind,
        "capacity_type": capacity,
        "zone": zone,
        "architecture": labels.get("kubernetes.io/arch"),
        "image_id": status.get("imageID"),
        "price_per_hour": prices.of(kind, capacity, zone) if kind else None,
        "gone": claim.gone is not None,
    }
