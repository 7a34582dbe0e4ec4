# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""One reading of a fleet. Private to the collection."""

from __future__ import annotations

import json
import time
from typing import Any

from .._karpenter_controller.model import LEASE
from .._kubernetes.client import Client
from .._kubernetes.errors import KubernetesError
from .._kubernetes.model import (
    DEPLOYMENTS,
    LEASES,
    NODE_CLAIMS,
    NODE_CLASSES,
    NODE_POOLS,
    NODES,
    PODS,
    Resource,
)
from .report import Observed

SELECTOR = "app.kubernetes.io/name=karpenter"
METRICS_PORT = 8080


def observe(client: Client, namespace: str, *, prices: bool) -> Observed:
    """Read it. Raises KubernetesError; without Karpenter its kinds are empty."""
    deployments = client.all(DEPLOYMENTS, namespace, labels=SELECTOR)
    leader = _leader(client, namespace) if deployments else None
    return Observed(
        now=time.time(),
        version=json.loads(client.text("/version"))["gitVersion"],
        deployment=deployments[0] if deployments else None,
        leader=leader,
        pools=_all(client, NODE_POOLS),
        classes=_all(client, NODE_CLASSES),
        claims=_all(client, NODE_CLAIMS),
        nodes=client.all(NODES),
        pending=client.all(PODS, fields="status.phase=Pending"),
        metrics=_metrics(client, leader, namespace) if leader and prices else None,
    )


def _all(client: Client, resource: Resource) -> list[dict[str, Any]]:
    try:
        return client.all(resource)
    except KubernetesError as error:
        if error.kind == "no_kind":
            return []
        raise


def _leader(client: Client, namespace: str) -> str | None:
    lease = client.get(LEASES, LEASE, namespace)
    holder = ((lease or {}).get("spec") or {}).get("holderIdentity") or ""
    return holder.rsplit("_", 1)[0] or None


def _metrics(client: Client, leader: str, namespace: str) -> str | None:
    """The leader's metrics through the pod proxy; None when it does not answer there: prices are then unknown."""
    try:
        return client.text(f"{PODS.path(f'{leader}:{METRICS_PORT}', namespace)}/proxy/metrics")
    except KubernetesError:
        return None
