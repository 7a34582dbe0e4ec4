"""Why something is still missing, in the words that lead to the cause."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.reasons import (
    grouped,
    not_gone,
    not_ready,
    other_pods,
)

from .story import Story, claim, deleting, event, pod, two_pods_on_one_node

AFTER = {"default": "1m"}


def unready(kind: str, message: str) -> dict[str, Any]:
    item = claim("default-a")
    item["status"]["conditions"] = [{"type": kind, "status": "False", "message": message, "lastTransitionTime": "x"}]
    return item


NOMINATED = event("Nominated", ("Pod", "p1"), "Pod should schedule on: nodeclaim/default-a")


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        ([], "it waits for the scheduler"),
        ([event("FailedScheduling", ("Pod", "p1"), "no instance type")], "Karpenter: no instance type"),
        (
            [event("FailedScheduling", ("Pod", "p1"), "0/2", component="default-scheduler")],
            "it waits for the scheduler",
        ),
        ([NOMINATED, unready("Launched", "no capacity")], "default-a is not launched yet (no capacity)"),
        (
            [NOMINATED, claim("default-a", Launched=2)],
            "default-a is not registered yet: its instance was launched and has not joined the cluster; "
            "where that lasts, the node role has no access entry of type EC2_LINUX",
        ),
        (
            [NOMINATED, claim("default-a", Launched=2, Registered=3, Initialized=4)],
            "default-a is ready, the pod is not",
        ),
        ([pod("p1", node="n1")], "it starts on n1"),
    ],
)
def test_a_pod_that_is_not_ready(heard: list[dict[str, Any]], expected: str) -> None:
    story = Story().heard(0.1, pod("p1"))
    story.heard(1, *heard)
    reason = not_ready(story.recording, 1)["p1"]
    assert reason is not None
    assert reason.startswith(expected)


def test_ready_pods_have_no_reason_and_missing_ones_have_the_deployments() -> None:
    story = Story().heard(1, pod("p1", node="n1", Ready=1))
    state = not_ready(story.recording, 3, "exceeded quota")
    assert state == {"p1": None, "pod 2 of 3": "exceeded quota", "pod 3 of 3": "exceeded quota"}


def test_a_claim_that_went_away_again_is_told() -> None:
    story = Story().heard(0.1, pod("p1"), NOMINATED, claim("default-a"))
    story.gone(3, claim("default-a"))
    assert not_ready(story.recording, 1)["p1"] == "default-a has gone again"


def test_an_empty_node_waits_for_consolidation_and_says_how_long() -> None:
    story = Story().heard(0.1, pod("p1", node="n1"), claim("default-a", node="n1"))
    reason = not_gone(story.recording, AFTER)["default-a"]
    assert reason == "it is up to consolidation (pool default: consolidateAfter 1m)"


@pytest.mark.parametrize(
    ("message", "told"),
    [("No allowed disruptions due to blocking budget", True), ("Node is nominated for a pending pod", False)],
)
def test_what_blocks_is_told_and_what_passes_is_not(message: str, told: bool) -> None:
    story = Story().heard(0.1, pod("p1", node="n1"), claim("default-a", node="n1"))
    story.heard(5, event("DisruptionBlocked", ("Node", "n1"), message))
    reason = not_gone(story.recording, AFTER)["default-a"]
    assert (message in str(reason)) is told


def test_pods_of_others_keep_a_node() -> None:
    story = Story().heard(0.1, pod("p1", node="n1"), claim("default-a", node="n1"))
    reason = not_gone(story.recording, AFTER, {"n1": ["shop/web", "shop/db"]})["default-a"]
    assert reason == "other pods run on it: shop/web, shop/db"


def test_a_claim_on_its_way_out_says_how_far() -> None:
    ended = deleting(claim("default-a", node="n1"), 5)
    ended["status"]["conditions"] = [{"type": "Drained", "status": "Unknown", "reason": "Draining"}]
    story = Story().heard(0.1, pod("p1", node="n1"), ended)
    reason = not_gone(story.recording, AFTER)["default-a"]
    assert reason == "it is being deleted, Drained is Unknown (Draining)"


def test_gone_is_gone() -> None:
    assert not_gone(two_pods_on_one_node().recording, AFTER) == {"default-a": None}


def test_daemons_and_ended_pods_keep_nothing() -> None:
    def other(name: str, owner: str, phase: str = "Running", namespace: str = "shop") -> dict[str, Any]:
        metadata = {"name": name, "namespace": namespace, "ownerReferences": [{"kind": owner}]}
        return {"metadata": metadata, "spec": {"nodeName": "n1"}, "status": {"phase": phase}}

    items = [
        other("web", "ReplicaSet"),
        other("proxy", "DaemonSet"),
        other("done", "Job", "Succeeded"),
        other("own", "ReplicaSet", namespace="eksops-scale-test"),
    ]
    assert other_pods(items, "eksops-scale-test") == {"n1": ["shop/web"]}


def test_a_thousand_pods_with_one_reason_are_one_line() -> None:
    state = {f"p{number}": "no capacity" for number in range(1000)} | {"q": "other", "r": None}
    assert grouped(state) == ["p0, p1, p2 and 997 more: no capacity", "q: other"]
