# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""A test in a few lines for people. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._fleet.table import money
from .verdict import sentence

Result = Mapping[str, Any]


def summary(result: Result) -> list[str]:
    """The lines; of a planned test what it would do."""
    if result["passed"] is None:
        return ["Scale test, not run in check mode. It would:", *[f"- {step}" for step in result["steps"]]]
    word = "passed" if result["passed"] else "did not pass"
    return [f"Scale test of {result['replicas']} pods {word}", *_times(result), *_nodes(result), *_limits(result)]


def _times(result: Result) -> Iterator[str]:
    up, down = result["scale_up_seconds"], result["scale_down_seconds"]
    yield f"- 0 -> {result['replicas']}: " + (
        "not all pods became ready" if up is None else f"all ready after {up:.1f} s"
    )
    for field, words in (("pod_startup", "pod made to ready"), ("node_startup", "node asked for to usable")):
        found = result["latencies"][field]["watch"]
        if found["n"]:
            yield f"- {words}: median {found['p50']:.1f} s, slowest {found['max']:.1f} s (n={found['n']})"
    if down is not None:
        yield f"- {result['replicas']} -> 0: launched nodes gone after {down:.1f} s"
    rest = result["consolidation"]
    if rest["seconds"] is not None:
        rounds = "1 round" if rest["rounds"] == 1 else f"{rest['rounds']} rounds"
        since = f"and for {rest['stability_seconds']:g} s since"
        yield f"- at rest {rest['seconds']:.1f} s after the drop, in {rounds}, {since}"


def _nodes(result: Result) -> Iterator[str]:
    for claim in result["node_claims"]:
        where = f"{claim['capacity_type']} {claim['instance_type']} in {claim['zone']}"
        price = "" if claim["price_per_hour"] is None else f", {money(claim['price_per_hour'])} per hour"
        yield f"- launched {claim['name']}: {where}{price}, {'gone again' if claim['gone'] else 'still there'}"
    packing = result["packing"]
    if packing and packing["nodes"]:
        yield f"- packing at the peak: {packing['cpu_percent']} % of the CPU requested, {packing['pods']} pods"


def _limits(result: Result) -> Iterator[str]:
    for check in result["thresholds"]:
        yield f"- {check['status']}: {sentence(check)}"
