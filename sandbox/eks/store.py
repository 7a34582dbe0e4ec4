"""The clusters of the sandbox. Each change is told to whoever saves accounts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sandbox.contracts import ClusterKey
from sandbox.eks import model
from sandbox.eks.errors import no_cluster


class Store:
    """All clusters by key; used from the event loop's thread alone. ``changed`` is told the account's id."""

    def __init__(self, changed: Callable[[str], None] = lambda _: None) -> None:
        self._changed = changed
        self._clusters: dict[ClusterKey, model.Cluster] = {}

    def dump(self, account: str) -> list[dict[str, Any]]:
        """The account's clusters as plain data."""
        return [model.dump(cluster) for cluster in self._clusters.values() if cluster.account == account]

    def restore(self, records: list[dict[str, Any]]) -> None:
        """Take back what ``dump`` gave in an earlier run."""
        loaded = [model.load(model.Cluster, data) for data in records]
        self._clusters |= {record.key: record for record in loaded}

    def save(self, cluster: model.Cluster) -> None:
        """The cluster, or something that belongs to it, has changed."""
        self._changed(cluster.account)

    def get(self, key: ClusterKey) -> model.Cluster:
        """The cluster. Raises EksError (ResourceNotFoundException)."""
        cluster = self._clusters.get(key)
        if cluster is None:
            raise no_cluster(key.name)
        return cluster

    def find(self, key: ClusterKey) -> model.Cluster | None:
        """The cluster, or None."""
        return self._clusters.get(key)

    def add(self, cluster: model.Cluster) -> None:
        """Keep a new cluster."""
        self._clusters[cluster.key] = cluster
        self.save(cluster)

    def remove(self, key: ClusterKey) -> None:
        """Forget a cluster and all that belongs to it."""
        self._clusters.pop(key, None)
        self._changed(key.account)

    def of(self, account: str, region: str) -> list[model.Cluster]:
        """The clusters of one account and region, by name."""
        found = [one for one in self._clusters.values() if (one.account, one.region) == (account, region)]
        return sorted(found, key=lambda cluster: cluster.name)

    def __iter__(self) -> Iterator[model.Cluster]:
        return iter(list(self._clusters.values()))
