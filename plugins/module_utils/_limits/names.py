# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""How long names may be that are made of the cluster's name. Pure: standard library only. Private to the collection.

cluster   https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html (1-100, letters, digits, - and _)
roles     https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html (role 64, policy 128)
queue     https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html (80)
stack     https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html (128)
tag key   https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html (128)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .._core.errors import EksopsError

CLUSTER_PATTERN = re.compile(r"[0-9A-Za-z][A-Za-z0-9_-]*")
CLUSTER_MAXIMUM = 100
POLICY_PARTS = ("NodeLifecycle", "IAMIntegration", "EKSIntegration", "Interruption", "ZonalShift", "ResourceDiscovery")


@dataclass(frozen=True)
class DerivedName:
    """A name made of the cluster's name; ``pattern`` is None where letters, digits, ``-`` and ``_`` are all allowed."""

    kind: str
    template: str
    maximum: int
    layer: str
    pattern: str | None = None

    def of(self, cluster: str) -> str:
        """The name for a cluster."""
        return self.template.format(cluster=cluster)


def _stack(template: str, layer: str) -> DerivedName:
    return DerivedName("CloudFormation stack", template, 128, layer, r"[a-zA-Z][-a-zA-Z0-9]*")


DERIVED_NAMES: tuple[DerivedName, ...] = (
    DerivedName("IAM role", "KarpenterNodeRole-{cluster}", 64, "karpenter_iam"),
    DerivedName("IAM role", "{cluster}-karpenter", 64, "karpenter_iam"),
    *(
        DerivedName("IAM policy", f"KarpenterController{part}Policy-{{cluster}}", 128, "karpenter_iam")
        for part in POLICY_PARTS
    ),
    DerivedName("SQS queue", "{cluster}", 80, "karpenter_iam"),
    _stack("Karpenter-{cluster}", "karpenter_iam"),
    _stack("EksNetwork-{cluster}", "eks_network"),
    _stack("EksCluster-{cluster}", "eks_cluster"),
    DerivedName("tag key", "kubernetes.io/cluster/{cluster}", 128, "cluster"),
)


def derived_names(cluster: str) -> dict[str, str]:
    """What the collection's own layers are called for a cluster, by a short key."""
    policies = {f"policy_{part}": f"KarpenterController{part}Policy-{cluster}" for part in POLICY_PARTS}
    return {
        "node_role": f"KarpenterNodeRole-{cluster}",
        "controller_role": f"{cluster}-karpenter",
        "queue": cluster,
        "stack": f"Karpenter-{cluster}",
        "network_stack": f"EksNetwork-{cluster}",
        "cluster_stack": f"EksCluster-{cluster}",
        **policies,
    }


def longest_cluster_name(given_layers: frozenset[str] = frozenset()) -> int:
    """The number of characters that a cluster's name may have, names of ``given`` layers left out."""
    rooms = [name.maximum - len(name.of("")) for name in DERIVED_NAMES if name.layer not in given_layers]
    return min([CLUSTER_MAXIMUM, *rooms])


def cluster_name_errors(cluster: str, given_layers: frozenset[str] = frozenset()) -> list[EksopsError]:
    """What is wrong with a cluster's name and with the names made of it.

    :param given_layers: layers that somebody else makes (``karpenter_iam``), whose names are not ours to make.
    """
    if not CLUSTER_PATTERN.fullmatch(cluster) or len(cluster) > CLUSTER_MAXIMUM:
        return [
            EksopsError(
                f"Cluster name {cluster!r} is not allowed by EKS",
                allowed=f'1 to {CLUSTER_MAXIMUM} letters, digits, "-" and "_", starting with a letter or digit',
                next_step="choose another name; a cluster cannot be renamed later",
            )
        ]
    names = [name for name in DERIVED_NAMES if name.layer not in given_layers]
    errors = []
    too_long = [name for name in names if len(name.of(cluster)) > name.maximum]
    if too_long:
        listed = "; ".join(f"{n.kind} {n.of(cluster)} has {len(n.of(cluster))} of {n.maximum}" for n in too_long)
        longest = longest_cluster_name(given_layers)
        errors.append(
            EksopsError(
                f"Cluster name {cluster!r} ({len(cluster)} characters) makes names that are too long: {listed}",
                allowed=f"a cluster name of at most {longest} characters",
                next_step="choose a shorter name; a cluster cannot be renamed later",
            )
        )
    odd = [name for name in names if name.pattern and not re.fullmatch(name.pattern, name.of(cluster))]
    if odd:
        listed = ", ".join(name.of(cluster) for name in odd)
        errors.append(
            EksopsError(
                f"Cluster name {cluster!r} makes stack names that CloudFormation refuses: {listed}",
                allowed='letters, digits and "-"',
                next_step="choose a name without underscores",
            )
        )
    return errors
