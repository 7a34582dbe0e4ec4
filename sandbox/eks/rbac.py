"""Keeps the role bindings of namespace-scoped access policies in step with the entries and the namespaces."""

from __future__ import annotations

import fnmatch

from sandbox.eks import policies
from sandbox.eks.context import LOG, Context, partition_of
from sandbox.eks.kube import KubeError
from sandbox.eks.model import Cluster


def wanted(cluster: Cluster) -> set[tuple[str, str]]:
    """The pairs of policy name and namespace pattern that some entry has."""
    partition = partition_of(cluster.region)
    pairs = set()
    for entry in cluster.entries.values():
        for scope in entry.policies.values():
            name = policies.name_of(scope.policy_arn, partition)
            pairs |= {(name, pattern) for pattern in scope.namespaces if name is not None}
    return pairs


async def bind_namespaces(context: Context, cluster: Cluster) -> None:
    """Bind the groups of namespace-scoped policies in the namespaces that exist now.

    A namespace may be named before it exists, and a name may end in ``*``, so this is done again now and then.
    https://docs.aws.amazon.com/eks/latest/userguide/access-policies.html
    """
    pairs = wanted(cluster)
    if not pairs or cluster.admin_kubeconfig is None:
        return
    try:
        kube = context.kube(cluster)
        names = [one["metadata"]["name"] for one in await kube.list("/api/v1/namespaces")]
        for policy, pattern in sorted(pairs):
            for name in fnmatch.filter(names, pattern):
                await kube.apply(policies.namespace_binding(policy, pattern, name))
    except KubeError as error:
        LOG.warning("%s: binding access policies in namespaces: %s", cluster.arn, error)
