"""Client request tokens: the same request with the same token is answered again, not done again.

https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html (clientRequestToken)
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sandbox.eks.errors import invalid_parameter
from sandbox.eks.model import Cluster, Token


def known(cluster: Cluster | None, operation: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """The earlier answer to this very request, or None.

    Raises InvalidParameterException when the token was used with other parameters.
    """
    token = params.get("clientRequestToken")
    used = cluster.tokens.get(f"{operation}/{token}") if cluster and token else None
    if used is None:
        return None
    if used.fingerprint != _fingerprint(params):
        raise invalid_parameter("The clientRequestToken was used before with other parameters.")
    return used.answer


def remember(cluster: Cluster, operation: str, params: dict[str, Any], answer: dict[str, Any], resource: str) -> None:
    """Keep the answer for as long as ``resource`` (its name among the cluster's resources) exists."""
    token = params.get("clientRequestToken")
    if token:
        cluster.tokens[f"{operation}/{token}"] = Token(_fingerprint(params), answer, resource)


def forget(cluster: Cluster, resource: str) -> None:
    """The resource is gone: its tokens may be used again."""
    for name in [name for name, token in cluster.tokens.items() if token.resource == resource]:
        del cluster.tokens[name]


def _fingerprint(params: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(params, sort_keys=True).encode()).hexdigest()
