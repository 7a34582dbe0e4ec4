"""What readiness checks look at, read from the cluster: kubelets, kube-proxy, add-ons, health, deprecated requests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sandbox.eks import health
from sandbox.eks.context import Context
from sandbox.eks.kube import Kube, KubeError
from sandbox.eks.model import Cluster, Issue

#: https://kubernetes.io/docs/reference/using-api/deprecation-policy/ tells of this metric of the API server.
_DEPRECATED = re.compile(r"^apiserver_requested_deprecated_apis\{(?P<labels>[^}]*)\} 1$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')
_KUBE_PROXY = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy"


@dataclass(frozen=True)
class Node:
    """A node's name, and what its kubelet says of itself."""

    name: str
    kubelet: str
    system: str


@dataclass(frozen=True)
class Installed:
    """An add-on that EKS manages."""

    name: str
    arn: str
    version: str


@dataclass(frozen=True)
class Deprecated:
    """A deprecated API that somebody has used, and the release that is without it."""

    usage: str
    removed_in: str


@dataclass(frozen=True)
class Facts:
    """The cluster as it is now; ``nodes`` and ``kube_proxy`` are None when nobody could tell."""

    version: str
    nodes: list[Node] | None
    kube_proxy: str | None
    addons: list[Installed] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    deprecated: list[Deprecated] | None = None


async def gather(context: Context, cluster: Cluster) -> Facts:
    """Ask the API server, EC2 and IAM; an API server that does not answer leaves its part unknown."""
    nodes, proxy, deprecated = None, None, None
    try:
        kube = context.kube(cluster)
        nodes = [_node(one) for one in await kube.list("/api/v1/nodes")]
        proxy = await _kube_proxy(kube)
        deprecated = list(deprecated_apis(await kube.text("/metrics")))
    except KubeError:
        pass  # the checks answer UNKNOWN
    addons = [Installed(one.name, one.arn, one.version) for one in cluster.addons.values()]
    return Facts(cluster.version, nodes, proxy, addons, await health.issues(context, cluster), deprecated)


def deprecated_apis(metrics: str) -> Iterator[Deprecated]:
    """The deprecated APIs that have a release in which they go; one without is not going anywhere yet."""
    for match in _DEPRECATED.finditer(metrics):
        labels = dict(_LABEL.findall(match["labels"]))
        if labels.get("removed_release"):
            group = f"/apis/{labels['group']}" if labels.get("group") else "/api"
            yield Deprecated(f"{group}/{labels['version']}/{labels['resource']}", labels["removed_release"])


def _node(item: dict[str, Any]) -> Node:
    about = item.get("status", {}).get("nodeInfo", {})
    return Node(item["metadata"]["name"], about.get("kubeletVersion", ""), about.get("osImage", ""))


async def _kube_proxy(kube: Kube) -> str | None:
    """The version in the image of the DaemonSet; empty when there is no kube-proxy."""
    try:
        found = await kube.get(_KUBE_PROXY)
    except KubeError as error:
        if error.status == 404:
            return ""
        raise
    image: str = found["spec"]["template"]["spec"]["containers"][0]["image"]
    return image.rpartition(":")[2]
