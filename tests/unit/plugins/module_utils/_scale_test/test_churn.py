"""What came and went, and why."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.churn import churn

from .story import ZERO, Story, claim, deleting, event, pod, two_pods_on_one_node

DROP = ZERO + 20


def ended(claim_spec: dict[str, Any] | None = None, *events: dict[str, Any]) -> dict[str, Any]:
    """The churn of a run whose claim is deleted at 80 without a condition that says why."""
    story = Story()
    story.heard(1, pod("p1"), event("Nominated", ("Pod", "p1"), "Pod should schedule on: nodeclaim/default-a"))
    item = {**claim("default-a", node="n1"), "spec": claim_spec or {}}
    story.heard(2, item)
    story.heard(80, *events, deleting(item, 80))
    story.gone(90, deleting(item, 80))
    return churn(story.recording, DROP)


def test_an_ordinary_run() -> None:
    found = churn(two_pods_on_one_node().recording, DROP)
    assert (found["created"], found["deleted"], found["ratio_to_ideal"]) == (1, 1, 1.0)
    assert (found["pods_disrupted"], found["pods_evicted"], found["pods_failed_percent"]) == (0, 0, 0.0)
    assert found["disruption_reasons"] == {"Empty": 1}


@pytest.mark.parametrize(
    ("spec", "events", "reason"),
    [
        ({}, [event("TerminatingOnInterruption", ("NodeClaim", "default-a"), "interrupted")], "Interrupted"),
        ({}, [event("DisruptionTerminating", ("Node", "n1"), "Disrupting Node: Drifted")], "Drifted"),
        ({"expireAfter": "1m10s"}, [], "Expired"),
        ({"expireAfter": "720h"}, [], "Deleted"),
        ({"expireAfter": "Never"}, [], "Deleted"),
    ],
)
def test_why_a_claim_went(spec: dict[str, Any], events: list[dict[str, Any]], reason: str) -> None:
    assert ended(spec, *events)["disruption_reasons"] == {reason: 1}


def test_a_claim_made_in_vain_shows_in_the_ratio() -> None:
    story = Story()
    for number in (1, 2):
        meant = event("Nominated", ("Pod", f"p{number}"), f"Pod should schedule on: nodeclaim/default-{number}")
        story.heard(number, pod(f"p{number}"), meant, claim(f"default-{number}"))
    story.gone(5, deleting(claim("default-1"), 4))
    found = churn(story.recording, DROP)
    assert (found["created"], found["claims_lost_at_work"], found["ratio_to_ideal"]) == (2, 1, 2.0)


def test_pods_that_failed_or_were_evicted_are_counted_once() -> None:
    story = Story()
    names = [f"p{number}" for number in range(8)]
    story.heard(1, *[pod(name) for name in names])
    failed = {**pod("p0"), "status": {"phase": "Failed"}}
    story.heard(5, failed, event("Evicted", ("Pod", "p1"), "Evicted pod: Drifted"))
    story.gone(6, pod("p1"))
    story.gone(25, pod("p2"))
    found = churn(story.recording, DROP)
    assert (found["pods_disrupted"], found["pods_evicted"], found["pods_failed_percent"]) == (1, 1, 25.0)
