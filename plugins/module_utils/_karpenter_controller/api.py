# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The reads of the install gate. Private to the collection."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from .._kubernetes.client import Client
from .._kubernetes.errors import KubernetesError
from .._kubernetes.model import DEFINITIONS, DEPLOYMENTS, LEASES, NODE_CLAIMS, NODES, PODS, SECRETS
from .helm import newest_releases
from .model import (
    CONTAINER,
    CONTROLLER_RELEASE,
    DEFINITION_NAMES,
    DEFINITIONS_RELEASE,
    LEASE,
    Observed,
)
from .objects import PLURALS, Looked, resource_of

SELECTOR = "app.kubernetes.io/name=karpenter"
METRICS_PORT = 8080
LOG_LINES = 400


def observe(client: Client, namespace: str) -> Observed:
    """One reading. Raises KubernetesError."""
    secrets = client.all(SECRETS, namespace, labels=f"owner=helm,name in ({CONTROLLER_RELEASE},{DEFINITIONS_RELEASE})")
    deployments = client.all(DEPLOYMENTS, namespace, labels=SELECTOR)
    pods = tuple(client.all(PODS, namespace, labels=SELECTOR))
    definitions = client.all(DEFINITIONS)
    running = [pod["metadata"]["name"] for pod in pods if pod["spec"].get("nodeName")]
    return Observed(
        now=time.time(),
        releases=newest_releases(secrets),
        deployment=deployments[0] if deployments else None,
        pods=pods,
        lease=client.get(LEASES, LEASE, namespace),
        definitions={
            item["metadata"]["name"]: item for item in definitions if item["metadata"]["name"] in DEFINITION_NAMES
        },
        zones=_zones(client) if running else {},
        logs={name: _log(client, name, namespace) for name in running},
        metrics={name: text for name in running if (text := _metrics(client, name, namespace))},
    )


def _zones(client: Client) -> Mapping[str, str]:
    key = "topology.kubernetes.io/zone"
    return {node["metadata"]["name"]: (node["metadata"].get("labels") or {}).get(key, "") for node in client.all(NODES)}


def _log(client: Client, pod: str, namespace: str) -> str:
    """The log of the running container, or of the one that crashed before it; none yet is an empty text."""
    parts: list[str] = []
    for previous in (True, False):
        try:
            parts.append(client.logs(pod, namespace, container=CONTAINER, tail=LOG_LINES, previous=previous))
        except KubernetesError as error:
            if error.kind not in ("invalid", "not_found", "no_kind", "server"):
                raise
    return "\n".join(parts)


def _metrics(client: Client, pod: str, namespace: str) -> str | None:
    """The pod's metrics through the API server's proxy; None while nobody answers there."""
    try:
        return client.text(f"{PODS.path(f'{pod}:{METRICS_PORT}', namespace)}/proxy/metrics")
    except KubernetesError as error:
        if error.kind in ("unauthorized", "forbidden", "credentials"):
            raise
        return None


def live_objects(client: Client, rendered: list[dict[str, Any]], namespace: str) -> list[Looked]:
    """The rendered objects with the live ones; one that may not be read, or whose kind is unknown, says so."""
    known = dict(PLURALS)
    found = []
    for item in rendered:
        try:
            if item["kind"] not in known:
                known |= _kinds(client, item["apiVersion"])
            resource = resource_of(item, known)
            if resource is None:
                found.append(Looked(item, None, "its kind is not served"))
                continue
            place = item["metadata"].get("namespace") or namespace if resource.namespaced else None
            found.append(Looked(item, client.get(resource, item["metadata"]["name"], place)))
        except KubernetesError as error:
            if error.kind not in ("forbidden", "no_kind"):
                raise
            found.append(Looked(item, None, str(error)))
    return found


def _kinds(client: Client, api_version: str) -> dict[str, tuple[str, bool]]:
    """What an API group serves: plural and whether it is namespaced, by kind."""
    text = client.text(f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}")
    listed = [entry for entry in json.loads(text).get("resources", []) if "/" not in entry["name"]]
    return {entry["kind"]: (entry["name"], bool(entry["namespaced"])) for entry in listed}


def claims_left(client: Client) -> list[dict[str, Any]]:
    """Every NodeClaim; none where the kind is not installed."""
    try:
        return client.all(NODE_CLAIMS)
    except KubernetesError as error:
        if error.kind == "no_kind":
            return []
        raise
