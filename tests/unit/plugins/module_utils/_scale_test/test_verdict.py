"""Thresholds hold, fail, or cannot be told."""

from __future__ import annotations

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.availability import Availability, Point
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.figures import Moments, figures
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.model import THRESHOLDS, Spec
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.recording import Recording
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.verdict import READERS, sentence, verdicts

from .story import ZERO, node, pod, two_pods_on_one_node

MOMENTS = Moments(
    up=ZERO,
    ready=ZERO + 8,
    down=ZERO + 20,
    gone=ZERO + 91,
    nodes_at_peak=[node("n1")],
    pods_at_peak=[pod("p1", node="n1"), pod("p2", node="n1")],
    quiet=ZERO + 91,
    stable=True,
    availability=Availability(
        [Point(ZERO, 2, 0), Point(ZERO + 8, 2, 2), Point(ZERO + 10, 2, 1), Point(ZERO + 13, 2, 2)]
    ),
)


def test_every_threshold_is_read() -> None:
    assert set(THRESHOLDS) == set(READERS)


@pytest.mark.parametrize(
    ("name", "limit", "status"),
    [
        ("scale_up_seconds", 8, "pass"),
        ("scale_up_seconds", 7.9, "fail"),
        ("pod_startup_p50_seconds", 6.8, "pass"),
        ("pod_startup_max_seconds", 7, "fail"),
        ("node_startup_p50_seconds", 5, "pass"),
        ("node_startup_max_seconds", 4, "fail"),
        ("scale_down_seconds", 70, "fail"),
        ("consolidation_seconds", 71, "pass"),
        ("consolidation_seconds", 70, "fail"),
        ("unavailable_seconds", 3, "pass"),
        ("unavailable_seconds", 2, "fail"),
        ("nodes", 1, "pass"),
        ("nodes", 0, "fail"),
        ("packing_percent_min", 25, "pass"),
        ("packing_percent_min", 26, "fail"),
        ("cost_per_hour", 100, "inconclusive"),
    ],
)
def test_a_figure_against_its_limit(name: str, limit: float, status: str) -> None:
    found = figures(two_pods_on_one_node().recording, MOMENTS, Spec(replicas=2))
    assert [one["status"] for one in verdicts(found, {name: limit})] == [status]


def test_nothing_measured_passes_nothing() -> None:
    empty = figures(Recording(), Moments(), Spec(replicas=2))
    found = verdicts(empty, dict.fromkeys(THRESHOLDS, 1.0))
    assert {one["status"] for one in found} == {"inconclusive"}
    assert sentence(found[0]) == "scale_up_seconds is not known, wanted at most 1"
