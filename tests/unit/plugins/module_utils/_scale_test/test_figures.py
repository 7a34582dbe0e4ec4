"""The figures of a run that is told step by step."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from ansible_collections.eksops.karpenter.plugins.doc_fragments.scale_test import ModuleDocFragment
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.figures import Moments, figures
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.model import Spec
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.recording import Recording
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.usage import Usage

from .story import ZERO, Story, claim, deleting, event, node, pod, two_pods_on_one_node

METRIC = "karpenter_cloudprovider_instance_type_offering_price_estimate"
METRICS = f"""# HELP {METRIC} x
{METRIC}{{capacity_type="on-demand",instance_type="c6a.2xlarge",zone="us-west-2a"}} 0.306
{METRIC}{{capacity_type="on-demand",instance_type="m5.large",zone="us-west-2a"}} 0.096
"""


def measured(recording: Recording, replicas: int = 2, **changes: Any) -> dict[str, Any]:
    moments = Moments(
        up=ZERO,
        ready=ZERO + 8,
        down=ZERO + 20,
        gone=ZERO + 91,
        nodes_at_peak=[node("n1", Ready=5)],
        pods_at_peak=[pod("p1", node="n1"), pod("p2", node="n1"), pod("other", node="n2")],
        nodes_after=[],
        prices=METRICS,
    )
    for name, value in changes.items():
        setattr(moments, name, value)
    return figures(recording, moments, Spec(replicas=replicas))


@pytest.mark.parametrize(
    ("field", "by_objects", "by_watch"),
    [
        # pod made at 0 and heard of at 0.2; event written at 1, heard at 1.1; claim made at 1, heard at 1.3
        ("scheduling_decision", (1, 1.0, 1.0), (1, 0.9, 0.9)),
        ("provisioning_latency", (2, 1.0, 1.0), (2, 1.1, 1.1)),
        ("launch", (1, 1.0, 1.0), (1, 1.2, 1.2)),
        ("register", (1, 2.0, 2.0), (1, 2.7, 2.7)),
        ("initialize", (1, 4.0, 4.0), (1, 4.7, 4.7)),
        ("node_startup", (1, 4.0, 4.0), (1, 4.7, 4.7)),
        ("node_ready", (1, 2.0, 2.0), (1, 2.0, 2.0)),
        ("pod_scheduling_delay", (2, 6.0, 6.0), (2, 6.8, 7.8)),
        ("pod_startup", (2, 6.0, 7.0), (2, 6.8, 7.8)),
        # that a claim is gone is only heard of: 91.0 against the deletion at 80, or heard of at 80.4
        ("termination", (1, 11.0, 11.0), (1, 10.6, 10.6)),
        ("termination_drained", (0, None, None), (0, None, None)),
    ],
)
def test_latencies_are_told_by_objects_and_by_the_watch(
    field: str, by_objects: tuple[Any, ...], by_watch: tuple[Any, ...]
) -> None:
    found = measured(two_pods_on_one_node().recording)["latencies"][field]
    assert tuple(found["objects"][key] for key in ("n", "min", "max")) == by_objects
    assert tuple(found["watch"][key] for key in ("n", "min", "max")) == pytest.approx(by_watch)


def test_totals_ramps_churn_and_cost() -> None:
    found = measured(two_pods_on_one_node().recording)
    assert (found["scale_up_seconds"], found["scale_down_seconds"]) == (8, 71)
    assert found["ramps"]["pods_up"]["t50"] == 7
    assert found["ramps"]["pods_up"]["t100"] == 8
    assert found["ramps"]["nodes_up"]["t100"] == 6
    assert found["ramps"]["nodes_down"]["t100"] == 71
    churn = found["churn"]
    assert (churn["created"], churn["deleted"], churn["deleted_young"], churn["pods_disrupted"]) == (1, 1, 1, 0)
    assert churn["disruption_reasons"] == {"Empty": 1}
    assert found["cost"] == {"before_per_hour": 0, "peak_per_hour": 0.306, "after_per_hour": 0}
    assert found["packing"] == {
        "nodes": 1,
        "pods": 2,
        "pods_per_node": 2.0,
        "cpu_percent": 25.0,
        "memory_percent": 0.0,
        "cost_per_hour": 0.306,
    }
    assert found["node_claims"][0]["gone"]


def test_a_price_that_is_not_known_makes_no_sum() -> None:
    found = measured(two_pods_on_one_node().recording, prices=None)
    assert found["cost"]["peak_per_hour"] is None
    assert found["packing"]["cost_per_hour"] is None


def test_a_run_that_stopped_early_has_the_same_keys() -> None:
    whole = measured(two_pods_on_one_node().recording)
    empty = figures(Recording(), Moments(), Spec(replicas=2))
    assert empty.keys() == whole.keys()
    assert empty["latencies"].keys() == whole["latencies"].keys()
    assert empty["scale_up_seconds"] is None
    assert empty["ramps"]["pods_up"]["t100"] is None


def test_every_figure_is_documented_and_every_documented_figure_is_there() -> None:
    documented = yaml.safe_load(ModuleDocFragment.FIGURES)
    found = measured(two_pods_on_one_node().recording)
    # The time of the scale call is not computed, so run.py adds it.
    assert set(documented) - {"started_at"} == set(found)
    for name, text in documented.items():
        if "contains" in text and name != "controller":
            assert set(text["contains"]) == set(found[name]), name
    assert set(documented["controller"]["contains"]) == set(Usage().as_dict())


def test_claims_for_others_are_told_apart() -> None:
    story = two_pods_on_one_node()
    story.heard(9, claim("default-b", node="n9", Launched=9))
    found = measured(story.recording)
    assert [one["name"] for one in found["node_claims"]] == ["default-a"]
    assert found["churn"]["created_for_others"] == 1


def test_what_was_there_before_the_test_is_not_measured() -> None:
    """Pods bound to a node that Karpenter had already: no claim of the test, no provisioning."""
    story = Story()
    story.recording = Recording()
    story.heard(-5, claim("old", created=-100, node="n1", Initialized=-50))
    story.recording.start()
    story.heard(0.5, pod("p1", node="n1", PodScheduled=0, Ready=0))
    found = measured(story.recording, replicas=1)
    assert found["node_claims"] == []
    assert found["scale_down_seconds"] is None
    assert found["latencies"]["provisioning_latency"]["objects"]["n"] == 0
    assert found["latencies"]["pod_startup"]["objects"]["n"] == 1


def test_a_pod_lost_while_it_was_needed_is_a_disruption() -> None:
    story = two_pods_on_one_node()
    lost = pod("p0", node="n1")
    story.heard(9, lost)
    story.gone(12, lost)
    assert measured(story.recording)["churn"]["pods_disrupted"] == 1


def test_a_claim_lost_at_work_is_told() -> None:
    story = Story()
    story.heard(1, pod("p1"), event("Nominated", ("Pod", "p1"), "Pod should schedule on: nodeclaim/default-a"))
    story.heard(2, claim("default-a"))
    story.gone(5, deleting(claim("default-a"), 4))
    assert measured(story.recording)["churn"]["claims_lost_at_work"] == 1
