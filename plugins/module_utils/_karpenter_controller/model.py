# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What is known about an installed controller. Pure: standard library only. Private to the collection."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["pass", "fail", "inconclusive"]

CONTAINER = "controller"
"""The container of the chart's Deployment."""
LEASE = "karpenter-leader-election"
"""The Lease that the replicas elect their leader with."""
CONTROLLER_RELEASE = "karpenter"
DEFINITIONS_RELEASE = "karpenter-crd"
DEFINITION_NAMES = (
    "capacitybuffers.autoscaling.x-k8s.io",
    "ec2nodeclasses.karpenter.k8s.aws",
    "nodeclaims.karpenter.sh",
    "nodeoverlays.karpenter.sh",
    "nodepools.karpenter.sh",
)
"""The definitions that chart karpenter-crd installs (charts/karpenter-crd/templates), of whichever version."""


@dataclass(frozen=True)
class Check:
    """One question about the controller and its answer."""

    name: str
    status: Status
    message: str
    evidence: tuple[str, ...] = ()
    next_step: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The check as the module returns it."""
        return {
            "name": self.name,
            "status": self.status,
            "message": self.message,
            "evidence": list(self.evidence),
            "next_step": self.next_step,
        }


@dataclass(frozen=True)
class Wanted:
    """What the controller should be."""

    namespace: str
    cluster_name: str
    interruption_queue: str | None
    version: str | None


@dataclass(frozen=True)
class Release:
    """The newest revision of a Helm release. ``manifest`` is the text of what its chart rendered."""

    name: str
    chart_version: str
    status: str
    revision: int
    values: Mapping[str, Any] = field(default_factory=dict)
    manifest: str = field(default="", repr=False)

    @property
    def deployed(self) -> bool:
        """Whether Helm finished it."""
        return self.status == "deployed"

    def as_dict(self) -> dict[str, Any]:
        """The release as the module returns it."""
        return {
            "name": self.name,
            "chart_version": self.chart_version,
            "status": self.status,
            "revision": self.revision,
            "values": dict(self.values),
        }


@dataclass(frozen=True)
class Observed:
    """One reading of the cluster. ``logs`` and ``metrics`` hold a text by the name of the pod it came from."""

    now: float
    releases: Mapping[str, Release]
    deployment: Mapping[str, Any] | None
    pods: tuple[Mapping[str, Any], ...]
    lease: Mapping[str, Any] | None
    definitions: Mapping[str, Mapping[str, Any]]
    zones: Mapping[str, str]
    logs: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)

    @property
    def installed(self) -> bool:
        """Whether there is anything of the controller: its release or its Deployment."""
        return CONTROLLER_RELEASE in self.releases or self.deployment is not None

    @property
    def live_pods(self) -> tuple[Mapping[str, Any], ...]:
        """The pods that are not being deleted."""
        return tuple(pod for pod in self.pods if not pod["metadata"].get("deletionTimestamp"))

    @property
    def leader(self) -> str | None:
        """The name of the pod that holds the Lease; the holder's identity is ``<pod>_<uuid>``."""
        holder = ((self.lease or {}).get("spec") or {}).get("holderIdentity") or ""
        return holder.rsplit("_", 1)[0] or None


def log_entries(text: str) -> list[dict[str, Any]]:
    """The controller's own lines, JSON objects; another line (a panic's trace) is a message of level ERROR."""
    entries: list[dict[str, Any]] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        entries.append(entry if isinstance(entry, dict) else {"level": "ERROR", "message": line})
    return entries


def container_of(pod: Mapping[str, Any]) -> Mapping[str, Any]:
    """The controller's container in a pod or in a Deployment's template."""
    spec = pod["spec"]
    containers = (spec.get("template") or {}).get("spec", spec)["containers"]
    return next((item for item in containers if item["name"] == CONTAINER), containers[0])


def environment(pod: Mapping[str, Any]) -> dict[str, str | None]:
    """The environment of the controller's container; a value that is a reference is None."""
    return {item["name"]: item.get("value") for item in container_of(pod).get("env") or ()}
