"""A run as the watches would tell it: pods, claims, nodes and events with object times and times of receipt."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.model import (
    EVENTS,
    NODE_CLAIMS,
    NODES,
    PODS,
    Object,
    Resource,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.watch import Change, Type
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.recording import Recording

ZERO = 1_800_000_000.0
"""The scale call. All other times are seconds from it."""


def text(moment: float) -> str:
    """As Kubernetes writes a time: in full seconds."""
    return datetime.fromtimestamp(int(ZERO + moment), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def conditions(**moments: float) -> list[Object]:
    """Conditions that became True then."""
    return [{"type": kind, "status": "True", "lastTransitionTime": text(at)} for kind, at in moments.items()]


def pod(name: str, created: float = 0, node: str | None = None, **moments: float) -> Object:
    """A pod of the test."""
    return {
        "metadata": {
            "name": name,
            "uid": name,
            "namespace": "eksops-scale-test",
            "labels": {"app": "inflate"},
            "creationTimestamp": text(created),
        },
        "spec": {"containers": [{"name": "inflate", "resources": {"requests": {"cpu": "1"}}}], "nodeName": node},
        "status": {"conditions": conditions(**moments)},
    }


def claim(
    name: str, created: float = 1, node: str | None = None, kind: str = "c6a.2xlarge", **moments: float
) -> Object:
    """A NodeClaim of pool default."""
    return {
        "metadata": {
            "name": name,
            "uid": name,
            "creationTimestamp": text(created),
            "labels": {
                "karpenter.sh/nodepool": "default",
                "node.kubernetes.io/instance-type": kind,
                "karpenter.sh/capacity-type": "on-demand",
                "topology.kubernetes.io/zone": "us-west-2a",
            },
        },
        "status": {"nodeName": node, "conditions": conditions(**moments), "providerID": "aws:///us-west-2a/i-1"},
    }


def deleting(item: Object, moment: float) -> Object:
    """The object with its deletion asked for."""
    return {**item, "metadata": {**item["metadata"], "deletionTimestamp": text(moment)}}


def node(name: str, created: float = 3, **moments: float) -> Object:
    """The Node of a claim, 8 cores and 16 GiB."""
    return {
        "metadata": {
            "name": name,
            "uid": name,
            "creationTimestamp": text(created),
            "labels": {
                "karpenter.sh/nodepool": "default",
                "node.kubernetes.io/instance-type": "c6a.2xlarge",
                "karpenter.sh/capacity-type": "on-demand",
                "topology.kubernetes.io/zone": "us-west-2a",
            },
        },
        "spec": {},
        "status": {"allocatable": {"cpu": "8", "memory": "16Gi"}, "conditions": conditions(**moments)},
    }


def event(
    reason: str, about: tuple[str, str], message: str = "", moment: float = 1, component: str = "karpenter"
) -> Object:
    """An event about (kind, name)."""
    return {
        "metadata": {"name": f"{about[1]}.{reason}", "uid": f"{about[1]}.{reason}"},
        "involvedObject": {"kind": about[0], "name": about[1]},
        "reason": reason,
        "message": message,
        "reportingComponent": component,
        "firstTimestamp": text(moment),
    }


class Story:
    """Tells a recording what the watches heard."""

    def __init__(self) -> None:
        self.recording = Recording()
        self.recording.start()

    def heard(self, moment: float, *items: Object, kind: Type = "MODIFIED") -> Story:
        """The objects were heard of at that moment, by their kind's watch."""
        for item in items:
            self.recording.hear(Change(kind, _resource(item), item, ZERO + moment))
        return self

    def gone(self, moment: float, *items: Object) -> Story:
        """The objects were heard to be gone."""
        return self.heard(moment, *items, kind="DELETED")


def _resource(item: dict[str, Any]) -> Resource:
    if "involvedObject" in item:
        return EVENTS
    if "containers" in item.get("spec", {}):
        return PODS
    return NODES if "allocatable" in item["status"] else NODE_CLAIMS


def two_pods_on_one_node() -> Story:
    """0 -> 2 -> 0 on one new node; the drop is at 20 s."""
    story = Story()
    story.heard(0.2, pod("p1"), pod("p2"))
    story.heard(1.1, event("Nominated", ("Pod", "p1"), "Pod should schedule on: nodeclaim/default-a"))
    story.heard(1.3, claim("default-a"))
    story.heard(2.5, claim("default-a", Launched=2))
    story.heard(4.0, node("n1"), claim("default-a", node="n1", Launched=2, Registered=3))
    story.heard(6.0, node("n1", Ready=5), claim("default-a", node="n1", Launched=2, Registered=3, Initialized=5))
    ready = [pod("p1", node="n1", PodScheduled=6, Ready=6), pod("p2", node="n1", PodScheduled=6, Ready=7)]
    story.heard(7.0, ready[0])
    story.heard(8.0, ready[1])
    story.gone(20.5, *ready)
    ended = deleting(claim("default-a", node="n1", Launched=2, Registered=3, Initialized=5, DisruptionReason=80), 80)
    ended["status"]["conditions"][-1]["reason"] = "Empty"
    story.heard(80.4, ended)
    story.gone(91.0, ended)
    return story
