# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What came and went while the test ran, and why. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from .._kubernetes.model import condition
from .attribution import about, is_about, karpenter_events, other_claims, own_claims, pods
from .recording import Recording, Seen

YOUNG_SECONDS = 15 * 60
INTERRUPTED = "TerminatingOnInterruption"
"""The event about a node that is taken away for a message of the interruption queue
(aws/karpenter-provider-aws, pkg/controllers/interruption/events)."""
_TERMINATING = re.compile(r"^Disrupting \w+: (\w+)")
_DURATION = re.compile(r"(\d+)([hms])")
_UNITS = {"h": 3600, "m": 60, "s": 1}


def churn(recording: Recording, drop: float | None) -> dict[str, Any]:
    """Counts; ``drop`` is the moment from which on nothing was needed any more."""
    claims, own = own_claims(recording), pods(recording)
    gone = [claim for claim in claims if claim.gone is not None]
    lost_claims, lost_pods = _lost(claims, drop), _lost(own, drop)
    failed = {pod.name for pod in lost_pods} | {pod.name for pod in own if _failed(pod)}
    return {
        "created": len(claims),
        "deleted": len(gone),
        "ratio_to_ideal": _ratio(len(claims), len(claims) - len(lost_claims)),
        "deleted_young": len([claim for claim in gone if (claim.gone or 0) - claim.created < YOUNG_SECONDS]),
        "created_for_others": len(other_claims(recording)),
        "claims_lost_at_work": len(lost_claims),
        "pods_disrupted": len(lost_pods),
        "pods_evicted": len(_evicted(recording, own)),
        "pods_failed_percent": round(100 * len(failed) / len(own), 1) if own else 0.0,
        "disruption_reasons": dict(Counter(reason for claim in claims if (reason := _reason(recording, claim)))),
    }


def _lost(items: Iterable[Seen], drop: float | None) -> list[Seen]:
    return [seen for seen in items if _before(seen.heard.get("deletion", seen.gone), drop)]


def _before(moment: float | None, limit: float | None) -> bool:
    return moment is not None and (limit is None or moment < limit)


def _ratio(made: int, lasting: int) -> float | None:
    """Claims made for each that lasted until the drop: 1 where none was made in vain."""
    return round(made / lasting, 3) if lasting else None


def _failed(pod: Seen) -> bool:
    return (pod.item.get("status") or {}).get("phase") == "Failed"


def _evicted(recording: Recording, own: Sequence[Seen]) -> set[str]:
    """The test's pods that Karpenter says it has evicted."""
    names = {pod.name for pod in own}
    told = (about(event, "Pod") for event in karpenter_events(recording) if event.item.get("reason") == "Evicted")
    return {name for name in told if name in names}


def _reason(recording: Recording, claim: Seen) -> str | None:
    """Why a claim was taken away, as Karpenter spells it; None while it is not."""
    found = condition(claim.item, "DisruptionReason") or {}
    if found.get("status") == "True":
        return str(found.get("reason"))
    events = [event for event in karpenter_events(recording) if is_about(event, claim)]
    if any(event.item.get("reason") == INTERRUPTED for event in events):
        return "Interrupted"
    for event in events:
        said = _TERMINATING.match(str(event.item.get("message")))
        if event.item.get("reason") == "DisruptionTerminating" and said:
            return said.group(1)
    if claim.deletion is None:
        return None
    age = _seconds(str((claim.item.get("spec") or {}).get("expireAfter", "Never")))
    # Expiry leaves neither a condition nor an event, it just deletes the claim.
    return "Expired" if age is not None and claim.deletion - claim.created >= age else "Deleted"


def _seconds(duration: str) -> int | None:
    """Karpenter's form of a duration, such as 720h; None for Never."""
    parts = _DURATION.findall(duration)
    return sum(int(number) * _UNITS[unit] for number, unit in parts) if parts else None
