"""The result of a reading: drift is only told of what Helm has finished."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.api import live_objects
from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.model import Observed, Release
from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.objects import Looked
from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.run import (
    by_hand,
    drift_of,
    other_objects,
)
from tests.unit.plugins.module_utils._kubernetes.server import Answer, serving, status

from .world import healthy

MANIFEST = "kind: Deployment\nmetadata: {name: karpenter}\nspec: {replicas: 2}\n"


def scaled(status: str = "deployed", manifest: str = MANIFEST) -> Observed:
    """Somebody scaled the controller to 0."""
    seen = healthy()
    releases = {**seen.releases, "karpenter": Release("karpenter", "1.14.0", status, 1, manifest=manifest)}
    return replace(seen, releases=releases, deployment={"metadata": {"name": "karpenter"}, "spec": {"replicas": 0}})


def test_a_deployment_that_was_scaled_by_hand_is_drift() -> None:
    assert drift_of(scaled()) == ["spec.replicas is 0, the chart says 2"]
    assert by_hand(scaled(), [])["drift"] == drift_of(scaled())


@pytest.mark.parametrize(
    "seen", [scaled("pending-upgrade"), scaled(manifest="kind: Service\n"), replace(scaled(), releases={})]
)
def test_what_helm_has_not_finished_or_not_made_has_no_drift(seen: Observed) -> None:
    assert drift_of(seen) == []


ROLE = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "karpenter"}}


def test_other_objects_are_those_beside_the_deployment() -> None:
    text = f"{MANIFEST}---\n{json.dumps(ROLE)}\n"
    assert other_objects(scaled(manifest=text)) == [ROLE]
    assert other_objects(scaled("pending-upgrade", text)) == []
    assert other_objects(replace(scaled(), releases={})) == []


def test_what_is_gone_and_what_nobody_may_see_are_told_apart() -> None:
    found = by_hand(healthy(), [Looked(ROLE, None), Looked(ROLE, None, "forbidden")])
    assert found["drift"] == ["ClusterRole karpenter is not there"]
    assert found["drift_unseen"] == ["ClusterRole karpenter: forbidden"]


def test_definitions_are_of_their_own_release() -> None:
    seen = healthy()
    manifest = "\n".join(f"---\nmetadata:\n  name: {name}" for name in seen.definitions)
    release = Release("karpenter-crd", "1.14.0", "deployed", 1, manifest=manifest)
    seen = replace(seen, releases={**seen.releases, "karpenter-crd": release})
    assert by_hand(seen, [])["definitions_drift"] == []
    left = {name: item for name, item in seen.definitions.items() if name != "nodepools.karpenter.sh"}
    told = by_hand(replace(seen, definitions=left), [])
    assert told["definitions_drift"] == ["CustomResourceDefinition nodepools.karpenter.sh is not there"]
    assert told["drift"] == []


def test_each_object_is_looked_up() -> None:
    binding = {**ROLE, "kind": "RoleBinding", "metadata": {"name": "karpenter", "namespace": "kube-node-lease"}}
    monitor = {"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor", "metadata": {"name": "karpenter"}}
    nobody = {"apiVersion": "monitoring.coreos.com/v1", "kind": "Nobody", "metadata": {"name": "x"}}
    listed = {"resources": [{"name": "servicemonitors", "kind": "ServiceMonitor", "namespaced": True}]}
    gone = status(404, "not found", "NotFound", kind="rolebindings", name="karpenter")
    answers = [
        Answer(body=ROLE),
        gone,
        Answer(body=listed),
        status(403, "no", "Forbidden"),
        Answer(body=listed),
    ]
    with serving(*answers) as server:
        found = live_objects(server.client(), [ROLE, binding, monitor, nobody], "kube-system")
    assert [item.path for item in server.asked] == [
        "/apis/rbac.authorization.k8s.io/v1/clusterroles/karpenter",
        "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-node-lease/rolebindings/karpenter",
        "/apis/monitoring.coreos.com/v1",
        "/apis/monitoring.coreos.com/v1/namespaces/kube-system/servicemonitors/karpenter",
        "/apis/monitoring.coreos.com/v1",
    ]
    assert [one.live for one in found] == [ROLE, None, None, None]
    assert [one.unseen is None for one in found] == [True, True, False, False]
    assert found[3].unseen == "its kind is not served"
