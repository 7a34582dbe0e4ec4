"""Which version a cluster may be moved to. Pure.

https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html
https://docs.aws.amazon.com/eks/latest/userguide/rollback-cluster.html
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from sandbox.eks import minors, versions
from sandbox.eks.errors import EksError, invalid_parameter, invalid_request
from sandbox.eks.model import Cluster

UPDATE, ROLLBACK = "VersionUpdate", "VersionRollback"
#: A rollback has to begin within seven days after the upgrade.
ROLLBACK_SECONDS = 7 * 86400.0


@dataclass(frozen=True)
class Move:
    """A move of a cluster that EKS makes: the type of its update, and where to."""

    kind: str
    target: versions.Minor


def move(cluster: Cluster, wanted: str, startable: frozenset[str], now: float) -> Move:
    """The move to a version.

    Raises EksError: InvalidParameterException for a version that EKS or the sandbox has not, or that is not the next
    one; InvalidRequestException where node groups, or what a rollback needs, stand in the way.
    """
    present, then = minors.known(cluster.version), minors.number(wanted)
    if wanted in versions.MINORS and then not in (minors.moved(present, 1), minors.moved(present, -1)):
        raise unsupported(cluster, wanted)
    target = versions.choose(wanted, startable)
    if minors.known(target.name) > present:
        _check_nodegroups(cluster)
        return Move(UPDATE, target)
    _check_rollback(cluster, target, now)
    return Move(ROLLBACK, target)


def unsupported(cluster: Cluster, wanted: str) -> EksError:
    """The refusal of a version that is not the next one."""
    text = f"Unsupported Kubernetes minor version update from {cluster.version} to {wanted}"
    return invalid_parameter(text, clusterName=cluster.name)


def may_roll_back(cluster: Cluster, now: float) -> bool:
    """Whether the cluster was upgraded in place to its version, and lately enough."""
    return cluster.upgraded_at is not None and now - cluster.upgraded_at <= ROLLBACK_SECONDS


def _check_nodegroups(cluster: Cluster) -> None:
    """https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateClusterVersion.html."""
    behind = sorted(group.name for group in cluster.nodegroups.values() if group.version != cluster.version)
    if behind:
        raise invalid_request(
            f"Nodegroups {', '.join(behind)} must be updated to match cluster version {cluster.version} before "
            "updating cluster version",
            clusterName=cluster.name,
        )


def _check_rollback(cluster: Cluster, target: versions.Minor, now: float) -> None:
    if not may_roll_back(cluster, now) or cluster.upgraded_from != target.name:
        # A cluster made in its version, or upgraded long ago, is refused as it was before rollbacks were there.
        raise unsupported(cluster, target.name)
    newer = sorted(group.name for group in cluster.nodegroups.values() if group.version != target.name)
    if newer:
        raise invalid_request(
            f"Nodegroups {', '.join(newer)} must be rolled back to version {target.name} before rolling back the "
            "cluster version",
            clusterName=cluster.name,
        )
    today = dt.datetime.fromtimestamp(now, dt.UTC).date()
    if versions.support(target, today) == "EXTENDED_SUPPORT" and cluster.support_type != "EXTENDED":
        raise invalid_request(
            f"Version {target.name} is in extended support; change the upgrade policy to EXTENDED first.",
            clusterName=cluster.name,
        )
