# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The latencies of a run, by the objects' own times and by the watch. Pure. Private to the collection.

Every field has both: ``objects`` (grain one second) and ``watch`` (this machine's clock, with the way here in it).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._kubernetes.model import timestamp
from .attribution import about, claim_node, event_time, karpenter_events, node_of, own_claims, own_nodes, pods
from .recording import CLAIM_CONDITIONS, END_CONDITIONS, Recording, Seen
from .statistics import summary

Pair = tuple["float | None", "float | None"]
"""A latency by objects and by watch; None where it cannot be told."""
DECISIONS = ("Nominated", "FailedScheduling")


def latencies(recording: Recording) -> dict[str, Any]:
    """All latency fields, each with ``objects`` and ``watch``."""
    own_pods, claims, nodes = pods(recording), own_claims(recording), own_nodes(recording)
    fields = {
        "scheduling_decision": _decisions(recording, own_pods),
        "provisioning_latency": _provisioning(own_pods, claims),
        "launch": [_until(claim, CLAIM_CONDITIONS[0]) for claim in claims],
        "register": [_until(claim, CLAIM_CONDITIONS[1]) for claim in claims],
        "initialize": [_until(claim, CLAIM_CONDITIONS[2]) for claim in claims],
        "node_startup": [_until(claim, CLAIM_CONDITIONS[2]) for claim in claims],
        "node_ready": [_until(node, "Ready") for node in nodes],
        "pod_scheduling_delay": [_until(pod, "PodScheduled") for pod in own_pods],
        "containers_started": [_containers(pod) for pod in own_pods],
        "pod_startup": [_until(pod, "Ready") for pod in own_pods],
        "termination": [_termination(claim) for claim in claims],
        **{f"termination_{_snake(kind)}": [_ending(claim, kind) for claim in claims] for kind in END_CONDITIONS},
    }
    return {name: _both(pairs) for name, pairs in fields.items()}


def _both(pairs: Iterable[Pair]) -> dict[str, Any]:
    pairs = list(pairs)
    return {
        "objects": summary(pair[0] for pair in pairs if pair[0] is not None),
        "watch": summary(pair[1] for pair in pairs if pair[1] is not None),
    }


def _between(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None else end - start


def _until(seen: Seen, kind: str) -> Pair:
    """From made to the condition True. What was there before the test has no such latency."""
    if seen.before:
        return None, None
    return _between(seen.created, seen.became_true(kind)), _between(seen.heard["added"], seen.heard.get(kind))


def _containers(pod: Seen) -> Pair:
    """From made to the start of the last container; only the object knows."""
    states = [entry.get("state") or {} for entry in (pod.item.get("status") or {}).get("containerStatuses") or ()]
    started = [timestamp(state["running"]["startedAt"]) for state in states if "running" in state]
    return (max(started) - pod.created if started and len(started) == len(states) else None), None


def _decisions(recording: Recording, own_pods: list[Seen]) -> list[Pair]:
    """From a pod to the first word of Karpenter about it. Events are thinned out, so n may be less than the pods."""
    first: dict[str, Seen] = {}
    for event in karpenter_events(recording):
        name = about(event, "Pod")
        if name and event.item.get("reason") in DECISIONS:
            first.setdefault(name, event)
    return [
        (
            _between(pod.created, event_time(first[pod.name])),
            _between(pod.heard["added"], first[pod.name].heard["added"]),
        )
        for pod in own_pods
        if pod.name in first
    ]


def _provisioning(own_pods: list[Seen], claims: list[Seen]) -> list[Pair]:
    """From a pod to the claim of its node."""
    by_node = {claim_node(claim): claim for claim in claims}
    found: list[Pair] = []
    for pod in own_pods:
        claim = by_node.get(node_of(pod)) if node_of(pod) else None
        if claim is not None:
            found.append((claim.created - pod.created, claim.heard["added"] - pod.heard["added"]))
    return found


def _termination(claim: Seen) -> Pair:
    """From the wish to delete to gone; that it is gone is only heard of."""
    return _between(claim.deletion, claim.gone), _between(claim.heard.get("deletion"), claim.gone)


def _ending(claim: Seen, kind: str) -> Pair:
    """From the wish to delete to one step of the end."""
    return (
        _between(claim.deletion, claim.became_true(kind)),
        _between(claim.heard.get("deletion"), claim.heard.get(kind)),
    )


def _snake(kind: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in kind).lstrip("_")
