"""The clusters of the sandbox, saved on every change so that a restart can find them again."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sandbox.contracts import ClusterKey
from sandbox.eks import model
from sandbox.eks.errors import no_cluster


class Store:
    """All clusters by key; used from the event loop's thread alone."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._clusters: dict[ClusterKey, model.Cluster] = {}

    def load(self) -> None:
        """Read what an earlier run saved; nothing to read is not an error."""
        if self._path.exists():
            records = [model.load(model.Cluster, data) for data in json.loads(self._path.read_text())["clusters"]]
            self._clusters = {record.key: record for record in records}

    def save(self) -> None:
        """Write everything in one step, readable by the owner alone (it holds the webhooks' secrets)."""
        data = {"clusters": [model.dump(cluster) for cluster in self._clusters.values()]}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
        with os.fdopen(handle, "w") as file:
            json.dump(data, file, indent=1)
        Path(name).replace(self._path)

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
        self.save()

    def remove(self, key: ClusterKey) -> None:
        """Forget a cluster and all that belongs to it."""
        self._clusters.pop(key, None)
        self.save()

    def of(self, account: str, region: str) -> list[model.Cluster]:
        """The clusters of one account and region, by name."""
        found = [one for one in self._clusters.values() if (one.account, one.region) == (account, region)]
        return sorted(found, key=lambda cluster: cluster.name)

    def __iter__(self) -> Iterator[model.Cluster]:
        return iter(list(self._clusters.values()))
