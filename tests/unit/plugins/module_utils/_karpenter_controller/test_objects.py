"""Objects of the chart beside its Deployment: what was changed or deleted by hand is told, what the API adds is not."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.objects import (
    PLURALS,
    missing_definitions,
    object_differences,
    resource_of,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.rendered import documents_of

MANIFEST = """---
# Source: karpenter/templates/serviceaccount.yaml
apiVersion: v1
kind: ServiceAccount
metadata:
  name: karpenter
  namespace: kube-system
  labels: {app.kubernetes.io/version: "1.14.0"}
automountServiceAccountToken: false
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: karpenter, namespace: kube-system}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app: karpenter}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: karpenter}
rules:
  - {apiGroups: [karpenter.k8s.aws], resources: [ec2nodeclasses], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: karpenter}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: karpenter}
subjects:
  - {kind: ServiceAccount, name: karpenter, namespace: kube-system}
---
apiVersion: v1
kind: Service
metadata: {name: karpenter, namespace: kube-system}
spec:
  type: ClusterIP
  ports: [{name: http-metrics, port: 8080, targetPort: http-metrics, protocol: TCP}]
  selector: {app: karpenter}
---
"""
RENDERED = {item["kind"]: item for item in documents_of(MANIFEST)}


def live(kind: str) -> Any:
    """As the API server returns it."""
    item = copy.deepcopy(RENDERED[kind])
    item["metadata"] |= {"uid": "1", "annotations": {"meta.helm.sh/release-name": "karpenter"}}
    item["metadata"].setdefault("labels", {})["argocd.example/instance"] = "other"
    if kind == "Service":
        item["spec"] |= {"clusterIP": "10.0.0.1", "sessionAffinity": "None"}
    return item


def test_all_documents_are_read() -> None:
    assert list(RENDERED) == ["ServiceAccount", "PodDisruptionBudget", "ClusterRole", "ClusterRoleBinding", "Service"]


@pytest.mark.parametrize("kind", RENDERED)
def test_what_the_api_server_and_others_add_is_no_drift(kind: str) -> None:
    assert object_differences(RENDERED[kind], live(kind)) == []


@pytest.mark.parametrize("kind", RENDERED)
def test_what_is_gone_is_told(kind: str) -> None:
    assert object_differences(RENDERED[kind], None) == [f"{kind} karpenter is not there"]


@pytest.mark.parametrize(
    ("kind", "change", "told"),
    [
        (
            "ServiceAccount",
            lambda item: item["metadata"]["annotations"].update({"eks.amazonaws.com/role-arn": "arn"}),
            "metadata.annotations.eks.amazonaws.com/role-arn is not the chart's",
        ),
        (
            "ServiceAccount",
            lambda item: item["metadata"]["labels"].pop("app.kubernetes.io/version"),
            "metadata.labels.app.kubernetes.io/version is not as the chart has it",
        ),
        (
            "ServiceAccount",
            lambda item: item.update(automountServiceAccountToken=True),
            "automountServiceAccountToken is not as the chart has it",
        ),
        (
            "PodDisruptionBudget",
            lambda item: item["spec"].update(maxUnavailable=0),
            "spec.maxUnavailable is not as the chart has it",
        ),
        ("ClusterRole", lambda item: item["rules"].append({"verbs": ["*"]}), "rules is not as the chart has it"),
        ("ClusterRole", lambda item: item["rules"][0]["verbs"].pop(), "rules is not as the chart has it"),
        ("ClusterRole", lambda item: item.update(rules=None), "rules is not as the chart has it"),
        (
            "ClusterRoleBinding",
            lambda item: item["roleRef"].update(name="view"),
            "roleRef.name is not as the chart has it",
        ),
        ("ClusterRoleBinding", lambda item: item.pop("subjects"), "subjects[karpenter] is not there"),
        (
            "Service",
            lambda item: item["spec"]["selector"].update(nobody="x"),
            "spec.selector.nobody is not the chart's",
        ),
        (
            "Service",
            lambda item: item["spec"]["ports"][0].update(port=80),
            "spec.ports[http-metrics].port is not as the chart has it",
        ),
    ],
)
def test_a_change_is_told(kind: str, change: Callable[[Any], None], told: str) -> None:
    item = live(kind)
    change(item)
    assert object_differences(RENDERED[kind], item) == [f"{kind} karpenter: {told}"]


def test_where_the_api_serves_them() -> None:
    served = {kind: resource_of(item, PLURALS) for kind, item in RENDERED.items()}
    paths = {kind: resource.path("karpenter", "ns") for kind, resource in served.items() if resource}
    assert paths == {
        "ServiceAccount": "/api/v1/namespaces/ns/serviceaccounts/karpenter",
        "PodDisruptionBudget": "/apis/policy/v1/namespaces/ns/poddisruptionbudgets/karpenter",
        "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles/karpenter",
        "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/karpenter",
        "Service": "/api/v1/namespaces/ns/services/karpenter",
    }
    assert resource_of({"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor"}, PLURALS) is None


def test_definitions_that_are_gone_are_told() -> None:
    names = ("nodepools.karpenter.sh", "nodeclaims.karpenter.sh")
    manifest = "\n".join(f"---\nkind: CustomResourceDefinition\nmetadata:\n  name: {name}" for name in names)
    assert missing_definitions(manifest, names) == []
    told = ["CustomResourceDefinition nodepools.karpenter.sh is not there"]
    assert missing_definitions(manifest, names[1:]) == told
