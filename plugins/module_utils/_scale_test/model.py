# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What a scale test is asked to do, and the objects it makes. Pure: standard library only. Private to the collection.

The workload is that of Karpenter's getting started guide (https://karpenter.sh/docs/getting-started/), kept to nodes
that Karpenter launched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._core.errors import EksopsError
from .._kubernetes.model import Object
from .._kubernetes.quantity import quantity

NAMESPACE = "eksops-scale-test"
DEPLOYMENT = "inflate"
MANAGER = "eksops-scale-test"
POOL_LABEL = "karpenter.sh/nodepool"
OWNER_LABEL = "app.kubernetes.io/managed-by"
OWNER = "eksops.karpenter"
RUN_ANNOTATION = "eksops.io/scale-test-run"
RENEWED_ANNOTATION = "eksops.io/scale-test-renewed"
IMAGE = "public.ecr.aws/eks-distro/kubernetes/pause:3.7"

THRESHOLDS = {
    "scale_up_seconds": "from the scale call until all pods are ready",
    "pod_startup_p50_seconds": "median of the pods from made to ready",
    "pod_startup_max_seconds": "slowest pod from made to ready",
    "node_startup_p50_seconds": "median of the nodes from claim to initialized",
    "node_startup_max_seconds": "slowest node from claim to initialized",
    "scale_down_seconds": "from the drop to 0 until the launched nodes are gone",
    "consolidation_seconds": "from the drop to 0 until the cluster was at rest",
    "unavailable_seconds": "pods that were missing after all had been available, times seconds",
    "nodes": "launched nodes",
    "packing_percent_min": "requested share of the launched nodes' CPU, at least",
    "cost_per_hour": "price of the launched nodes, US dollars per hour",
}


@dataclass(frozen=True)
class Spec:
    """One test. Seconds throughout; ``cpu`` and ``memory`` are quantities per pod."""

    replicas: int = 5
    cpu: str = "1"
    memory: str | None = None
    node_pool: str | None = None
    image: str = IMAGE
    timeout_seconds: float = 600
    wait_for_removal: bool = True
    removal_timeout_seconds: float = 600
    stability_seconds: float = 180
    metrics_interval_seconds: float = 5
    thresholds: Mapping[str, float] = field(default_factory=dict)
    controller_namespace: str = "kube-system"

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Spec:
        """The test that a module's options ask for. Raises EksopsError for what cannot be asked."""
        spec = cls(**{name: params[name] for name in cls.__dataclass_fields__ if params.get(name) is not None})
        _positive("replicas", spec.replicas)
        _positive("timeout_seconds", spec.timeout_seconds)
        _positive("removal_timeout_seconds", spec.removal_timeout_seconds)
        _positive("metrics_interval_seconds", spec.metrics_interval_seconds)
        _within("stability_seconds", spec.stability_seconds, spec.removal_timeout_seconds)
        _amount("cpu", spec.cpu)
        if spec.memory is not None:
            _amount("memory", spec.memory)
        return cls(**{**spec.__dict__, "thresholds": _thresholds(spec.thresholds)})


def _positive(name: str, value: float) -> None:
    if value <= 0:
        raise EksopsError(f"{name} is {value:g}", where=name, allowed="a number above 0")


def _within(name: str, value: float, limit: float) -> None:
    if not 0 <= value <= limit:
        raise EksopsError(
            f"{name} is {value:g}", where=name, allowed=f"from 0 to removal_timeout_seconds, which is {limit:g}"
        )


def _amount(name: str, value: str) -> None:
    try:
        good = quantity(value) > 0
    except ValueError:
        good = False
    if not good:
        raise EksopsError(
            f"{name} is {value!r}", where=name, allowed="a Kubernetes quantity above 0, such as 1, 500m or 2Gi"
        )


def _thresholds(given: Mapping[str, Any]) -> dict[str, float]:
    limits: dict[str, float] = {}
    for name, value in given.items():
        if name not in THRESHOLDS:
            raise EksopsError(
                f"There is no threshold {name!r}", where="thresholds", allowed=f"one of: {', '.join(THRESHOLDS)}"
            )
        try:
            limits[name] = float(value)
        except (TypeError, ValueError) as error:
            raise EksopsError(f"{name} is {value!r}", where="thresholds", allowed="a number") from error
    return limits


def namespace(run: str, now: float) -> Object:
    """The namespace of a run; its annotations say that the run lives."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": NAMESPACE,
            "labels": {OWNER_LABEL: OWNER},
            "annotations": {RUN_ANNOTATION: run, RENEWED_ANNOTATION: str(round(now, 3))},
        },
    }


def deployment(spec: Spec, taints: Iterable[Mapping[str, Any]] = ()) -> Object:
    """The workload, with no replica yet.

    :param taints: those of the pool it is meant for; the pods tolerate them.
    """
    labels = {"app": DEPLOYMENT, OWNER_LABEL: OWNER}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": DEPLOYMENT, "namespace": NAMESPACE, "labels": labels},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"app": DEPLOYMENT}},
            "template": {"metadata": {"labels": labels}, "spec": _pod(spec, taints)},
        },
    }


def _pod(spec: Spec, taints: Iterable[Mapping[str, Any]]) -> Object:
    requests = {"cpu": spec.cpu, **({"memory": spec.memory} if spec.memory else {})}
    pod: Object = {
        "terminationGracePeriodSeconds": 0,
        "automountServiceAccountToken": False,
        "securityContext": {"runAsNonRoot": True, "runAsUser": 65535, "seccompProfile": {"type": "RuntimeDefault"}},
        # On any other node the pods would run without Karpenter, and the test would mean nothing.
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": POOL_LABEL, "operator": "Exists"}]}]
                }
            }
        },
        "containers": [
            {
                "name": DEPLOYMENT,
                "image": spec.image,
                "resources": {"requests": requests},
                "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
            }
        ],
    }
    if spec.node_pool:
        pod["nodeSelector"] = {POOL_LABEL: spec.node_pool}
    tolerations = [_toleration(taint) for taint in taints]
    if tolerations:
        pod["tolerations"] = tolerations
    return pod


def _toleration(taint: Mapping[str, Any]) -> Object:
    found: Object = {"key": taint["key"], "effect": taint["effect"]}
    if taint.get("value"):
        return {**found, "operator": "Equal", "value": taint["value"]}
    return {**found, "operator": "Exists"}
