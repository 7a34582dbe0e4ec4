# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What is asked for, and what is there. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .build import RELEASE_ANNOTATION, node_class, node_pool

Manifest = dict[str, Any]

POOL_LABEL = "karpenter.sh/nodepool"
FINALIZERS = ("karpenter.sh/termination", "karpenter.k8s.aws/termination")
"""Karpenter's: on claims and nodes, and on node classes."""
ARCHITECTURE = "kubernetes.io/arch"
# EC2 and Kubernetes have a name each for the same thing.
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


@dataclass(frozen=True)
class Request:
    """The module's options, as plain data."""

    classes: tuple[Manifest, ...] = ()
    pools: tuple[Manifest, ...] = ()
    class_names: tuple[str, ...] = ()
    pool_names: tuple[str, ...] = ()
    architectures: Mapping[str, frozenset[str]] = field(default_factory=dict)
    cluster_name: str = ""
    karpenter_version: str = "1.14.0"
    namespace: str = "kube-system"
    report_unpinned: bool = False
    purge: bool = False
    everything: bool = False
    force: bool = False
    force_conflicts: bool = False
    rescue: bool = False
    wait: bool = True
    wait_timeout_seconds: float = 300.0
    drain_timeout_seconds: float = 600.0

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Request:
        """The request of a module's parameters."""
        classes, pools = params["node_classes"] or [], params["node_pools"] or []
        return cls(
            classes=tuple(node_class(item) for item in classes),
            pools=tuple(node_pool(item) for item in pools),
            class_names=tuple(item["name"] for item in classes),
            pool_names=tuple(item["name"] for item in pools),
            architectures=offered_architectures(classes),
            cluster_name=params["cluster_name"] or "",
            karpenter_version=params["karpenter_version"],
            namespace=params["namespace"],
            report_unpinned=params["unpinned_action"] == "report",
            purge=params["purge"],
            everything=params["all"],
            force=params["force"],
            force_conflicts=params["force_conflicts"],
            rescue=params["controller_absent_action"] == "rescue",
            wait=params["wait"],
            wait_timeout_seconds=params["wait_timeout_seconds"],
            drain_timeout_seconds=params["drain_timeout_seconds"],
        )


@dataclass(frozen=True)
class Live:
    """One reading of a cluster. ``installed``: whether it knows Karpenter's kinds at all."""

    classes: Mapping[str, Manifest] = field(default_factory=dict)
    pools: Mapping[str, Manifest] = field(default_factory=dict)
    claims: Mapping[str, Manifest] = field(default_factory=dict)
    installed: bool = True

    @property
    def empty(self) -> bool:
        """Whether there is nothing of Karpenter's objects."""
        return not (self.classes or self.pools or self.claims)


def offered_architectures(classes: Iterable[Mapping[str, Any]]) -> dict[str, frozenset[str]]:
    """By class, the architectures that its options name images for; classes that name none are left out."""
    return {
        item["name"]: frozenset(_ARCHITECTURES.get(name, name) for name in item["ami_architectures"])
        for item in classes
        if item.get("ami_architectures")
    }


def by_name(items: Iterable[Manifest]) -> dict[str, Manifest]:
    """The objects by their names, in the order of names."""
    return {item["metadata"]["name"]: item for item in sorted(items, key=lambda item: str(item["metadata"]["name"]))}


def image_ids(item: Mapping[str, Any]) -> list[str]:
    """The ids of a class's images: those that it names, or else those that Karpenter has resolved."""
    named = [term["id"] for term in item["spec"].get("amiSelectorTerms") or () if term.get("id")]
    return named or [image["id"] for image in (item.get("status") or {}).get("amis") or ()]


def release(item: Mapping[str, Any]) -> str | None:
    """The dated release that a class says its images are of."""
    value = (item["metadata"].get("annotations") or {}).get(RELEASE_ANNOTATION)
    return None if value is None else str(value)


def image_architectures(item: Mapping[str, Any]) -> frozenset[str]:
    """The architectures of the images that Karpenter has resolved for a class; empty while it has not."""
    return frozenset(
        value
        for image in (item.get("status") or {}).get("amis") or ()
        for requirement in image.get("requirements") or ()
        if requirement["key"] == ARCHITECTURE
        for value in requirement.get("values") or ()
    )


def pool_of(claim: Mapping[str, Any]) -> str | None:
    """The name of the pool that a claim was made for."""
    value = (claim["metadata"].get("labels") or {}).get(POOL_LABEL)
    return None if value is None else str(value)


def held(items: Iterable[Mapping[str, Any]]) -> list[str]:
    """The names of objects that Karpenter has to let go: those with a finalizer of its own."""
    return [
        str(item["metadata"]["name"])
        for item in items
        if any(name in FINALIZERS for name in item["metadata"].get("finalizers") or ())
    ]


def instance_ids(claims: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Instance ids with the names of their claims: a provider id is ``aws:///<zone>/<instance id>``."""
    found = {}
    for claim in claims:
        provider_id = (claim.get("status") or {}).get("providerID")
        if provider_id:
            found[str(provider_id).rsplit("/", 1)[-1]] = str(claim["metadata"]["name"])
    return found
