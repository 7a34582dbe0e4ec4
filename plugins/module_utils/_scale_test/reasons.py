# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Why a pod is not ready, and why a node is not gone. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._kubernetes.model import NODE_CLAIMS, condition, is_true
from .attribution import about, claim_node, is_about, karpenter_events, node_of, nominated, own_claims, pods
from .model import POOL_LABEL
from .narration import PASSING
from .recording import CLAIM_CONDITIONS, END_CONDITIONS, Recording, Seen

SHOWN = 3
TOLD = ("FailedScheduling", "NoCompatibleInstanceTypes")
# https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html#worker-node-fail
_NOT_JOINED = (
    "its instance was launched and has not joined the cluster; where that lasts, the node role has no access entry "
    "of type EC2_LINUX, the AMI is not one for this Kubernetes version and architecture, or the subnet has no way "
    "to the API server"
)
BLOCKED = ("DisruptionBlocked", "Unconsolidatable", "FailedDraining", "FailedTermination")


def not_ready(recording: Recording, replicas: int, not_made: str | None = None) -> dict[str, str | None]:
    """Each pod of the test with None (ready) or the reason.

    :param not_made: what the Deployment says about pods that are not there.
    """
    events = _by_pod(karpenter_events(recording))
    claims = recording.by_name(NODE_CLAIMS)
    live = [pod for pod in pods(recording) if pod.gone is None and pod.deletion is None]
    state = {pod.name: _pod(pod, events.get(pod.name, ()), claims) for pod in live}
    for number in range(len(live) + 1, replicas + 1):
        state[f"pod {number} of {replicas}"] = not_made or "it is not made yet"
    return state


def _by_pod(events: Iterable[Seen]) -> dict[str, list[Seen]]:
    """Sorted once: a thousand pods have thousands of events."""
    found: dict[str, list[Seen]] = {}
    for event in events:
        name = about(event, "Pod")
        if name:
            found.setdefault(name, []).append(event)
    return found


def _pod(pod: Seen, own: Sequence[Seen], claims: Mapping[str, Seen]) -> str | None:
    if is_true(pod.item, "Ready"):
        return None
    if node_of(pod):
        return _starting(pod)
    meant = [claims[name] for name in nominated(own) if name in claims]
    if meant:
        return claim_reason(meant[-1])
    refused = [event for event in own if event.item.get("reason") in TOLD]
    if refused:
        return f"Karpenter: {refused[-1].item.get('message')}"
    scheduled = condition(pod.item, "PodScheduled") or {}
    return str(scheduled.get("message") or "it waits for the scheduler")


def _starting(pod: Seen) -> str:
    for entry in (pod.item.get("status") or {}).get("containerStatuses") or ():
        waiting = (entry.get("state") or {}).get("waiting") or {}
        if waiting.get("reason"):
            return f"{waiting['reason']} {waiting.get('message', '')}".strip()
    return f"it starts on {node_of(pod)}"


def claim_reason(claim: Seen) -> str:
    """How far a claim is on its way to a node."""
    if claim.gone is not None:
        return f"{claim.name} has gone again"
    for kind in CLAIM_CONDITIONS:
        if not is_true(claim.item, kind):
            found = condition(claim.item, kind) or {}
            detail = found.get("message") or found.get("reason")
            said = f"{claim.name} is not {kind.lower()} yet" + (f" ({detail})" if detail else "")
            return f"{said}: {_NOT_JOINED}" if kind == "Registered" else said
    return f"{claim.name} is ready, the pod is not bound yet"


def not_gone(
    recording: Recording, after: Mapping[str, str], others: Mapping[str, Sequence[str]] | None = None
) -> dict[str, str | None]:
    """Each claim of the test with None (gone) or what keeps it.

    :param after: consolidateAfter by pool.
    :param others: pods that are not of the test, by the node that they run on; None when nobody has looked.
    """
    events = karpenter_events(recording)
    return {claim.name: _left(claim, events, after, others or {}) for claim in own_claims(recording)}


def _left(
    claim: Seen, events: Sequence[Seen], after: Mapping[str, str], others: Mapping[str, Sequence[str]]
) -> str | None:
    if claim.gone is not None:
        return None
    node = claim_node(claim)
    blocked = [
        event
        for event in events
        if event.item.get("reason") in BLOCKED and event.item.get("message") not in PASSING and is_about(event, claim)
    ]
    if claim.deletion is None:
        if others.get(node or ""):
            return f"other pods run on it: {_some(others[node or ''])}"
        pool = (claim.item["metadata"].get("labels") or {}).get(POOL_LABEL, "?")
        said = f"; Karpenter says: {blocked[-1].item.get('message')}" if blocked else ""
        return f"it is up to consolidation (pool {pool}: consolidateAfter {after.get(pool, 'unknown')}){said}"
    for kind in END_CONDITIONS:
        found = condition(claim.item, kind)
        if found and found.get("status") != "True":
            detail = found.get("message") or found.get("reason") or "no reason given"
            return f"it is being deleted, {kind} is {found.get('status')} ({detail})"
    return str(blocked[-1].item.get("message")) if blocked else "it is being deleted"


def other_pods(items: Iterable[Mapping[str, Any]], namespace: str) -> dict[str, list[str]]:
    """Pods that would have to move, by node: not the test's own, not of a DaemonSet, not at their end."""
    found: dict[str, list[str]] = {}
    for pod in items:
        metadata, node = pod["metadata"], pod["spec"].get("nodeName")
        owners = {owner.get("kind") for owner in metadata.get("ownerReferences") or ()}
        ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
        if node and metadata["namespace"] != namespace and not owners & {"DaemonSet", "Node"} and not ended:
            found.setdefault(node, []).append(f"{metadata['namespace']}/{metadata['name']}")
    return found


def grouped(state: Mapping[str, str | None]) -> list[str]:
    """What is missing, one entry per reason: a thousand pods with one reason are one line."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in state.items():
        if reason is not None:
            by_reason.setdefault(reason, []).append(name)
    return [f"{_some(names)}: {reason}" for reason, names in by_reason.items()]


def _some(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
