"""When the cluster is at rest: no node of Karpenter being disrupted, no claim of the test left."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.consolidation import (
    consolidation,
    quiet_since,
    restless,
    rounds,
)

from .story import ZERO, Story, claim, deleting, event, node, pod, two_pods_on_one_node

DROP = ZERO + 20


def tainted(name: str) -> dict[str, Any]:
    item = node(name)
    item["spec"]["taints"] = [{"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}]
    return item


def reasons(story: Story) -> list[str]:
    return [name for name, reason in restless(story.recording).items() if reason is not None]


def test_the_cluster_rests_once_the_last_claim_is_gone() -> None:
    story = two_pods_on_one_node()
    assert quiet_since(story.recording, DROP) == ZERO + 91
    assert reasons(story) == []


def test_a_claim_that_is_there_is_no_rest() -> None:
    story = Story()
    story.heard(1, pod("p1"), event("Nominated", ("Pod", "p1"), "Pod should schedule on: nodeclaim/default-a"))
    story.heard(2, claim("default-a"))
    assert quiet_since(story.recording, DROP) is None
    assert reasons(story) == ["default-a"]


def test_another_node_that_is_being_disrupted_puts_the_rest_off() -> None:
    story = two_pods_on_one_node()
    story.heard(95, tainted("other"))
    assert quiet_since(story.recording, DROP) is None
    assert reasons(story) == ["other"]
    story.heard(99, node("other"))
    assert quiet_since(story.recording, DROP) == ZERO + 99
    story.heard(120, tainted("other"))
    assert quiet_since(story.recording, DROP) is None
    story.gone(130, tainted("other"))
    assert quiet_since(story.recording, DROP) == ZERO + 130


def test_what_was_over_before_the_drop_does_not_count() -> None:
    story = Story()
    story.heard(5, tainted("old"))
    story.gone(9, tainted("old"))
    assert quiet_since(story.recording, DROP) == DROP


@pytest.mark.parametrize(
    ("begins", "counts"),
    [([], []), ([60.0], [1]), ([60.0, 60.3, 61.0], [3]), ([60.0, 60.2, 75.0, 90.0, 91.0], [2, 1, 2])],
)
def test_nodes_that_begin_to_go_together_are_one_round(begins: list[float], counts: list[int]) -> None:
    story = Story()
    for index, moment in enumerate(begins):
        name = f"c{index}"
        story.heard(1, pod(f"p{index}", node=f"n{index}"), node(f"n{index}"), claim(name, node=f"n{index}"))
        story.heard(moment, tainted(f"n{index}"))
        ended = deleting(claim(name, node=f"n{index}"), moment + 16)
        story.heard(moment + 16, ended)
        story.gone(moment + 25, ended, tainted(f"n{index}"))
    assert rounds(story.recording, DROP) == counts


def test_the_figures_tell_the_wait_and_its_end() -> None:
    story = two_pods_on_one_node()
    found = consolidation(story.recording, DROP, ZERO + 91, stable=True, stability_seconds=180)
    assert found == {"seconds": 71, "stable": True, "stability_seconds": 180, "rounds": 1, "nodes_per_round": [1]}
    assert consolidation(story.recording, DROP, None, stable=False, stability_seconds=180)["seconds"] is None
    assert consolidation(story.recording, None, None, stable=None, stability_seconds=180)["rounds"] == 0
