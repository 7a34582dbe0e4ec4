# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Reads and writes of a cluster's pools, claims and classes. Private to the collection."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from .._kubernetes.client import Client
from .._kubernetes.errors import KubernetesError
from .._kubernetes.model import (
    DISRUPTION_BUDGETS,
    LEASES,
    NODE_CLAIMS,
    NODE_CLASSES,
    NODE_POOLS,
    NODES,
    PODS,
    Resource,
)
from .build import MANAGER
from .controller import absence
from .drain import blocked_pods
from .model import FINALIZERS, Live, Manifest, by_name

RESOURCES = {"EC2NodeClass": NODE_CLASSES, "NodePool": NODE_POOLS, "NodeClaim": NODE_CLAIMS, "Node": NODES}
LEASE = "karpenter-leader-election"
SELECTOR = "app.kubernetes.io/name=karpenter"
DEADLINE = "karpenter.sh/nodeclaim-termination-timestamp"
"""Where Karpenter keeps the end of a claim's grace period (pkg/controllers/nodeclaim/lifecycle of its core 1.14): past
it, what is left on the node is deleted without asking disruption budgets, as with terminationGracePeriod."""


class Api:
    """One cluster. Every call raises KubernetesError."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    def read(self) -> Live:
        """All of Karpenter's objects; nothing where its kinds are not installed."""
        try:
            classes = by_name(self._client.all(NODE_CLASSES))
            return Live(classes, by_name(self._client.all(NODE_POOLS)), by_name(self._client.all(NODE_CLAIMS)))
        except KubernetesError as error:
            if error.kind == "no_kind":
                return Live(installed=False)
            raise

    def apply(self, manifest: Manifest, *, force: bool, dry_run: bool) -> Manifest:
        """Server-side apply of one object, or what it would lead to."""
        resource = RESOURCES[manifest["kind"]]
        return self._client.apply(resource, manifest, manager=MANAGER, force=force, dry_run=dry_run)

    def delete(self, kind: str, names: Iterable[str]) -> None:
        """Ask for the deletion of objects."""
        for name in names:
            self._client.delete(RESOURCES[kind], name)

    def controller_absence(self) -> str | None:
        """Why no controller is at work, or None when one is."""
        lease = self._client.get(LEASES, LEASE, self._namespace)
        return absence(time.time(), lease, self._client.all(PODS, self._namespace, labels=SELECTOR))

    def blocked(self) -> dict[str, list[str]]:
        """By node, why its pods cannot be evicted."""
        return blocked_pods(self._client.all(PODS), self._client.all(DISRUPTION_BUDGETS))

    def end_grace(self, claims: Iterable[str]) -> None:
        """Let the grace period of claims that are being deleted end now."""
        moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        for name in claims:
            self._patched(NODE_CLAIMS, name, {"metadata": {"annotations": {DEADLINE: moment}}})

    def nodes_of(self, instances: Sequence[str]) -> list[Manifest]:
        """The Node objects of instances."""
        wanted = set(instances)
        return [
            node
            for node in self._client.all(NODES)
            if str(node["spec"].get("providerID") or "").rsplit("/", 1)[-1] in wanted
        ]

    def let_go(self, kind: str, items: Iterable[Manifest]) -> list[str]:
        """Take Karpenter's finalizers off objects; returns ``<kind>/<name>`` of those that had any."""
        freed = []
        for item in items:
            have = item["metadata"].get("finalizers") or []
            left = [name for name in have if name not in FINALIZERS]
            name = item["metadata"]["name"]
            if left != have and self._patched(RESOURCES[kind], name, {"metadata": {"finalizers": left}}):
                freed.append(f"{kind}/{name}")
        return freed

    def _patched(self, resource: Resource, name: str, body: dict[str, Any]) -> bool:
        try:
            self._client.patch(resource, name, body, manager=MANAGER)
        except KubernetesError as error:
            if error.kind == "not_found":  # gone meanwhile, as wanted
                return False
            raise
        return True
