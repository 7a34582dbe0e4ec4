"""What somebody has changed by hand is told; what the API server adds is not."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.drift import differences, writers

Live = dict[str, Any]

RENDERED: dict[str, Any] = {
    "metadata": {"name": "karpenter"},
    "spec": {
        "replicas": 2,
        "strategy": {"rollingUpdate": {"maxUnavailable": 1}},
        "template": {
            "metadata": {"labels": {"app": "karpenter"}, "annotations": None},
            "spec": {
                "serviceAccountName": "karpenter",
                "hostNetwork": False,
                "nodeSelector": {"kubernetes.io/os": "linux"},
                "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}],
                "containers": [
                    {
                        "name": "controller",
                        "image": "controller:1.14.0",
                        "args": [],
                        "env": [
                            {"name": "CLUSTER_NAME", "value": "demo"},
                            {"name": "EMPTY", "value": ""},
                            {"name": "NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
                            {"name": "LIMIT", "valueFrom": {"resourceFieldRef": {"divisor": 0, "resource": "cpu"}}},
                        ],
                        "resources": {"requests": {"cpu": 1, "memory": "1024Mi"}, "limits": {"memory": "1Gi"}},
                    }
                ],
            },
        },
    },
}


def live() -> Live:
    """As the API server returns it: with defaults, without what is empty, with quantities in its own form."""
    item = copy.deepcopy(RENDERED)
    item["spec"]["progressDeadlineSeconds"] = 600
    item["spec"]["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": "25%"}}
    pod = item["spec"]["template"]["spec"]
    del pod["hostNetwork"]
    pod["restartPolicy"] = "Always"
    pod["serviceAccount"] = "karpenter"
    container = pod["containers"][0]
    del container["args"], container["env"][1]["value"]
    container["env"][2]["valueFrom"]["fieldRef"]["apiVersion"] = "v1"
    container["env"][3]["valueFrom"]["resourceFieldRef"]["divisor"] = "0"
    container["resources"]["requests"] = {"cpu": "1", "memory": "1Gi"}
    item["spec"]["template"]["metadata"]["annotations"] = {"kubectl.kubernetes.io/restartedAt": "2026-11-30"}
    return item


def pod(item: Live) -> Any:
    return item["spec"]["template"]["spec"]


def container(item: Live) -> Any:
    return pod(item)["containers"][0]


def test_defaults_and_forms_of_the_api_server_are_no_drift() -> None:
    assert differences(RENDERED, live()) == []


CONTAINER = "spec.template.spec.containers[controller]"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda item: item["spec"].update(replicas=0), "spec.replicas is 0, the chart says 2"),
        (lambda item: item["spec"].update(paused=True), "spec.paused is True, the chart says False"),
        (
            lambda item: container(item).update(image="other:1"),
            f"{CONTAINER}.image is other:1, the chart says controller:1.14.0",
        ),
        (
            lambda item: pod(item).update(serviceAccountName="default"),
            "spec.template.spec.serviceAccountName is default, the chart says karpenter",
        ),
        (
            lambda item: container(item)["resources"]["requests"].update(memory="64Mi"),
            f"{CONTAINER}.resources.requests.memory is 64Mi, the chart says 1024Mi",
        ),
        (
            lambda item: container(item)["resources"]["limits"].update(cpu="10m"),
            f"{CONTAINER}.resources.limits.cpu is not the chart's",
        ),
        (
            lambda item: container(item).pop("resources"),
            f"{CONTAINER}.resources.requests.cpu is not set, the chart says 1",
        ),
        (
            lambda item: container(item)["env"][0].update(value="other"),
            f"{CONTAINER}.env[CLUSTER_NAME].value is not as the chart has it",
        ),
        (lambda item: container(item)["env"].pop(0), f"{CONTAINER}.env[CLUSTER_NAME] is not there"),
        (
            lambda item: container(item)["env"].append({"name": "AWS_SECRET_ACCESS_KEY", "value": "hidden"}),
            f"{CONTAINER}.env[AWS_SECRET_ACCESS_KEY] is not the chart's",
        ),
        (lambda item: container(item).update(args=["--debug"]), f"{CONTAINER}.args is not as the chart has it"),
        (
            lambda item: pod(item)["nodeSelector"].update(nowhere="true"),
            "spec.template.spec.nodeSelector.nowhere is not the chart's",
        ),
        (lambda item: pod(item).pop("tolerations"), "spec.template.spec.tolerations is not as the chart has it"),
        (lambda item: pod(item).update(hostNetwork=True), "spec.template.spec.hostNetwork is not as the chart has it"),
        (lambda item: pod(item).update(containers=[]), f"{CONTAINER} is not there"),
    ],
)
def test_a_change_is_told(change: Callable[[Live], None], told: str) -> None:
    item = live()
    change(item)
    found = differences(RENDERED, item)
    assert told in found
    assert "hidden" not in " ".join(found)


@pytest.mark.parametrize("item", [None, {"metadata": {"name": "other"}, "spec": {}}])
def test_a_deployment_that_is_gone_is_told(item: Live | None) -> None:
    assert differences(RENDERED, item) == ["Deployment karpenter is not there"]


def test_who_wrote_it_besides_helm_is_told() -> None:
    fields = [
        {"manager": "helm", "operation": "Update", "time": "2026-11-30T05:00:00Z"},
        {"manager": "kubectl-edit", "operation": "Update", "time": "2026-11-30T06:00:00Z"},
        {"manager": "kubectl", "subresource": "scale", "time": "2026-11-30T07:00:00Z"},
        {"manager": "other", "subresource": "status", "time": "2026-11-30T08:00:00Z"},
    ]
    assert writers({"metadata": {"managedFields": fields}}) == [
        "kubectl-edit at 2026-11-30T06:00:00Z",
        "kubectl at 2026-11-30T07:00:00Z",
    ]
    assert writers(None) == []
