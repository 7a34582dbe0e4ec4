"""Lines, leaders and environments are read as the controller writes them."""

from __future__ import annotations

from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.logs import errors
from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.metrics import (
    build_version,
    samples,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.model import log_entries

from .world import METRICS, error_line, healthy


def test_a_trace_is_an_error_too() -> None:
    text = '{"level":"INFO","message":"starting"}\npanic: runtime error\n' + error_line("failed", "why")
    assert errors(log_entries(text)) == ["panic: runtime error", "failed: why"]


def test_the_same_error_is_told_once() -> None:
    assert errors(log_entries("\n".join([error_line("failed", "why")] * 3))) == ["failed: why"]


def test_the_leader_is_a_pod_without_its_identity_suffix() -> None:
    assert healthy().leader == "karpenter-a"
    assert healthy(lease={"spec": {}}).leader is None


def test_metrics_are_found_by_their_whole_name() -> None:
    text = METRICS + 'karpenter_build_info_other{version="0"} 1\nkarpenter_nodes_total 4\n'
    assert build_version(text) == "1.14.0"
    assert [(item.labels, item.value) for item in samples(text, "karpenter_nodes_total")] == [({}, 4.0)]
