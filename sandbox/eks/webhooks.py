"""What the webhooks share: finding the cluster that a request's path names, by a secret in it."""

from __future__ import annotations

import hmac

from aiohttp import web

from sandbox.contracts import ClusterKey
from sandbox.eks.model import Cluster
from sandbox.eks.store import Store


def cluster_of_path(store: Store, request: web.Request) -> Cluster:
    """The cluster. Raises HTTPNotFound when there is none, and the same when the secret is wrong."""
    part = request.match_info
    cluster = store.find(ClusterKey(part["account"], part["region"], part["cluster"]))
    if cluster is None or not hmac.compare_digest(cluster.secret.encode(), part["secret"].encode()):
        raise web.HTTPNotFound
    return cluster
