# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Which claims the test launched, and which pods were its own. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .._kubernetes.model import EVENTS, NODE_CLAIMS, NODES, PODS, timestamp
from .model import DEPLOYMENT
from .recording import Recording, Seen

_NOMINATED = re.compile(r"nodeclaim/([a-z0-9.-]+)")


def pods(recording: Recording) -> list[Seen]:
    """The test's pods: those of its Deployment, made after the scale call."""
    return [
        seen
        for seen in recording.of(PODS)
        if not seen.before and (seen.item["metadata"].get("labels") or {}).get("app") == DEPLOYMENT
    ]


def node_of(pod: Seen) -> str | None:
    """The node that a pod was bound to."""
    found = pod.item["spec"].get("nodeName")
    return str(found) if found else None


def claim_node(claim: Seen) -> str | None:
    """The node that a claim became."""
    found = (claim.item.get("status") or {}).get("nodeName")
    return str(found) if found else None


def karpenter_events(recording: Recording) -> list[Seen]:
    """The events that Karpenter wrote about the test's pods, claims and nodes, while it ran."""
    return [seen for seen in recording.of(EVENTS) if not seen.before and component(seen.item) == "karpenter"]


def component(event: Mapping[str, Any]) -> str:
    """Who wrote an event."""
    return str(event.get("reportingComponent") or (event.get("source") or {}).get("component") or "")


def event_time(event: Seen) -> float | None:
    """When the event was first written."""
    item = event.item
    moment = item.get("eventTime") or item.get("firstTimestamp") or item.get("lastTimestamp")
    return timestamp(moment) if moment else None


def about(event: Seen, kind: str) -> str | None:
    """The name of the object of that kind that the event is about, or None."""
    thing = event.item.get("involvedObject") or {}
    return str(thing["name"]) if thing.get("kind") == kind else None


def is_about(event: Seen, claim: Seen) -> bool:
    """Whether the event is about the claim or its node."""
    node = claim_node(claim)
    return about(event, "NodeClaim") == claim.name or (node is not None and about(event, "Node") == node)


def nominated(events: Iterable[Seen]) -> set[str]:
    """The claims that events said pods should go to."""
    found: set[str] = set()
    for event in events:
        if event.item.get("reason") == "Nominated":
            found.update(_NOMINATED.findall(str(event.item.get("message"))))
    return found


def own_claims(recording: Recording) -> list[Seen]:
    """The claims made since the scale call that a pod of the test ran on or was meant for."""
    used = {node_of(pod) for pod in pods(recording)} - {None}
    names = {pod.name for pod in pods(recording)}
    meant = nominated(event for event in karpenter_events(recording) if about(event, "Pod") in names)
    return [
        claim
        for claim in recording.of(NODE_CLAIMS)
        if not claim.before and (claim.name in meant or claim_node(claim) in used)
    ]


def other_claims(recording: Recording) -> list[Seen]:
    """The claims made since the scale call for somebody else."""
    own = {claim.name for claim in own_claims(recording)}
    return [claim for claim in recording.of(NODE_CLAIMS) if not claim.before and claim.name not in own]


def own_nodes(recording: Recording) -> list[Seen]:
    """The nodes of the test's claims."""
    names = {claim_node(claim) for claim in own_claims(recording)}
    return [node for node in recording.of(NODES) if node.name in names]
