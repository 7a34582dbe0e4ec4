# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""When a cluster has come to rest after the drop, and in how many rounds. Pure. Private to the collection.

The rule is that of Karpenter's own performance suite (kubernetes-sigs/karpenter, test/suites/performance/report.go):
consolidation has ended when no node has carried the disruption taint for three minutes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from .._kubernetes.model import NODES
from .attribution import claim_node, own_claims
from .recording import Recording, Seen

ROUND_GAP_SECONDS = 5.0
"""Karpenter looks for nodes to disrupt every ten seconds, and taints those of one command at once; so nodes that begin
to go further apart than half of that are of two rounds."""


def restless(recording: Recording) -> dict[str, str | None]:
    """Each node of Karpenter, and claim of the test, with None, or why the cluster is not at rest for its sake."""
    state: dict[str, str | None] = {}
    for node in recording.of(NODES):
        if "disrupted" in node.heard:
            state[node.name] = None if _rest(node) is not None else "it is being disrupted"
    for claim in own_claims(recording):
        state[claim.name] = None if claim.gone is not None else "it is still there"
    return state


def quiet_since(recording: Recording, drop: float) -> float | None:
    """Since when no node is being disrupted and no claim of the test is there; None while one is."""
    ends = [_rest(node) for node in recording.of(NODES) if "disrupted" in node.heard]
    ends += [claim.gone for claim in own_claims(recording)]
    known = [end for end in ends if end is not None]
    return max([drop, *known]) if len(known) == len(ends) else None


def _rest(node: Seen) -> float | None:
    """When a node lost its disruption taint, or went with it."""
    return node.heard.get("calm", node.gone)


def rounds(recording: Recording, drop: float) -> list[int]:
    """How many of the test's nodes began to go in each round since the drop."""
    begins = sorted(begin for begin in _begins(recording) if begin >= drop)
    if not begins:
        return []
    counts = [1]
    for one, other in pairwise(begins):
        if other - one > ROUND_GAP_SECONDS:
            counts.append(0)
        counts[-1] += 1
    return counts


def _begins(recording: Recording) -> list[float]:
    nodes = recording.by_name(NODES)
    found = []
    for claim in own_claims(recording):
        node = nodes.get(claim_node(claim) or "")
        marks = [node.heard.get("disrupted") if node else None, claim.heard.get("deletion"), claim.gone]
        known = [mark for mark in marks if mark is not None]
        if known:
            found.append(min(known))
    return found


def consolidation(
    recording: Recording, drop: float | None, quiet: float | None, *, stable: bool | None, stability_seconds: float
) -> dict[str, Any]:
    """The figures. ``quiet``: since when the cluster was at rest; ``stable``: None when nobody waited for it."""
    per_round = rounds(recording, drop) if drop is not None else []
    return {
        "seconds": round(quiet - drop, 3) if stable and quiet is not None and drop is not None else None,
        "stable": stable,
        "stability_seconds": stability_seconds,
        "rounds": len(per_round),
        "nodes_per_round": per_round,
    }
