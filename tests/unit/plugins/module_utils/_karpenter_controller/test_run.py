"""The result of a reading: drift is only told of what Helm has finished."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.model import Observed, Release
from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.run import drift_of, present

from .world import WANTED, healthy

MANIFEST = "kind: Deployment\nmetadata: {name: karpenter}\nspec: {replicas: 2}\n"


def scaled(status: str = "deployed", manifest: str = MANIFEST) -> Observed:
    """Somebody scaled the controller to 0."""
    seen = healthy()
    releases = {**seen.releases, "karpenter": Release("karpenter", "1.14.0", status, 1, manifest=manifest)}
    return replace(seen, releases=releases, deployment={"metadata": {"name": "karpenter"}, "spec": {"replicas": 0}})


def test_a_deployment_that_was_scaled_by_hand_is_drift() -> None:
    assert drift_of(scaled()) == ["spec.replicas is 0, the chart says 2"]
    assert present(WANTED, scaled(), [], [])["drift"] == drift_of(scaled())


@pytest.mark.parametrize(
    "seen", [scaled("pending-upgrade"), scaled(manifest="kind: Service\n"), replace(scaled(), releases={})]
)
def test_what_helm_has_not_finished_or_not_made_has_no_drift(seen: Observed) -> None:
    assert drift_of(seen) == []
