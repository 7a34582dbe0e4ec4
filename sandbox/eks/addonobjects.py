"""The objects of add-ons in a cluster: rendered from manifests, applied, looked after, taken away."""

from __future__ import annotations

import asyncio
import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sandbox.eks import addonconfig, addonversions
from sandbox.eks.context import partition_of
from sandbox.eks.kube import Kube, path_of
from sandbox.eks.model import Cluster

#: Read when the daemon starts: it runs on while its checkout changes.
_MANIFESTS = {
    path.stem: path.read_text(encoding="utf-8") for path in Path(__file__).with_name("manifests").glob("*.yml")
}
_WORKLOADS = ("DaemonSet", "Deployment")


def render(cluster: Cluster, addon: str, version: str, values: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects of an add-on for a cluster."""
    suffix = ".com.cn" if partition_of(cluster.region) == "aws-cn" else ".com"
    minimal = version.replace("-eksbuild", "-minimal-eksbuild")
    text = {
        "${CLUSTER}": cluster.name,
        "${REGION}": cluster.region,
        "${VPC}": cluster.vpc_id,
        "${DNS_ADDRESS}": dns_address(cluster),
        # https://docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html
        "${REGISTRY}": f"602401143452.dkr.ecr.{cluster.region}.amazonaws{suffix}",
        "${VERSION}": version,
        "${MINIMAL_VERSION}": minimal,
        "${UNPREFIXED_VERSION}": version.removeprefix("v"),
    }
    source = _MANIFESTS[addon]
    for name, value in text.items():
        source = source.replace(name, value)
    objects = [one for one in yaml.safe_load_all(source) if one]
    return [addonconfig.configure(one, values) if one["kind"] in _WORKLOADS else one for one in objects]


def dns_address(cluster: Cluster) -> str:
    """The address of the cluster's DNS service: the tenth of the service addresses."""
    return str(ipaddress.IPv4Network(cluster.service_cidr)[10])


async def apply(kube: Kube, objects: list[dict[str, Any]], *, force: bool) -> None:
    """Apply the objects; the workload last. Raises KubeError (409 for a conflict when not forced)."""
    first = [one for one in objects if one["kind"] not in _WORKLOADS]
    await asyncio.gather(*(kube.apply(one, force=force) for one in first))
    for one in objects:
        if one["kind"] in _WORKLOADS:
            await kube.apply(one, force=force)


async def delete(kube: Kube, objects: list[dict[str, Any]]) -> None:
    """Delete the objects, in the reverse order. Raises KubeError."""
    for one in reversed(objects):
        await kube.delete(path_of(one))


async def install_self_managed(kube: Kube, cluster: Cluster) -> None:
    """What EKS puts into a new cluster unless it is told not to (bootstrapSelfManagedAddons). Raises KubeError."""
    for name in addonversions.SELF_MANAGED:
        version = addonversions.OFFERS[name].default(cluster.version)
        await apply(kube, render(cluster, name, version, {}), force=True)


@dataclass(frozen=True)
class Health:
    """How an add-on's workload is; ``observed`` is false until its controller has seen the current version."""

    observed: bool
    lacking: str | None = None


async def health(kube: Kube, objects: list[dict[str, Any]]) -> Health:
    """Whether each of the add-on's pods is ready and of the current version. Raises KubeError."""
    for one in objects:
        if one["kind"] in _WORKLOADS:
            found = _health(await kube.get(path_of(one)))
            if not found.observed or found.lacking:
                return found
    return Health(True)


def _health(workload: dict[str, Any]) -> Health:
    status, generation = workload.get("status") or {}, workload["metadata"].get("generation", 0)
    name = workload["metadata"]["name"]
    if status.get("observedGeneration", 0) < generation:
        return Health(False)
    if workload["kind"] == "DaemonSet":
        wanted, ready = status.get("desiredNumberScheduled", 0), status.get("numberReady", 0)
        updated = status.get("updatedNumberScheduled", 0)
    else:
        wanted, ready = workload["spec"].get("replicas", 1), status.get("readyReplicas", 0)
        updated = status.get("updatedReplicas", 0)
    if ready >= wanted and updated >= wanted:
        return Health(True)
    return Health(True, f"{name} has {min(ready, updated)} of {wanted} replicas")
