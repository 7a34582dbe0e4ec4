# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Which tagged resources belong to a cluster. Pure: standard library only. Private to the collection.

kubernetes.io/cluster/<name>    https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html, and Karpenter
eks:eks-cluster-name            Karpenter, on all that it launches since 1.1
eks:cluster-name                https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
aws:eks:cluster-name            https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html
karpenter.sh/discovery          what EC2NodeClasses select subnets and security groups by
cluster.k8s.amazonaws.com/name  the VPC CNI, on network interfaces that it makes
elbv2.k8s.aws/cluster           the load balancer controller, on balancers, target groups and security groups of its own

They are read from each service by itself, not from the Resource Groups Tagging API, which would be one call: that one
returns "tagged or previously tagged" resources, so it cannot prove that something is gone
(https://docs.aws.amazon.com/resourcegroupstagging/latest/APIReference/API_GetResources.html), it shows no state, and
one denied call would hide every kind at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .model import Leftover

NODEPOOL = "karpenter.sh/nodepool"
_OWNER_KEYS = (
    "eks:eks-cluster-name",
    "eks:cluster-name",
    "aws:eks:cluster-name",
    "cluster.k8s.amazonaws.com/name",
    "elbv2.k8s.aws/cluster",
)
_MARK_KEYS = ("karpenter.sh/discovery",)
# Things that people share between clusters: a mark alone does not make them the cluster's own.
_SHARED_KINDS = frozenset({"subnet", "vpc", "security-group", "route-table", "internet-gateway", "natgateway"})
# States in which a thing is gone and only its record is left for an hour or so:
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/terminating-instances.html
# https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-working-with.html
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/delete-fleet.html
_GONE = frozenset({"terminated", "deleted", "closed", "cancelled", "failed", "deleted_terminating"})

_REMEDIES = {
    "instance": "aws ec2 terminate-instances --instance-ids {id}",
    "launch-template": "aws ec2 delete-launch-template --launch-template-id {id}",
    "volume": "aws ec2 delete-volume --volume-id {id}, once nobody needs its data",
    "network-interface": "aws ec2 delete-network-interface --network-interface-id {id}, once it is detached",
    "security-group": "aws ec2 delete-security-group --group-id {id}, once no interface uses it",
    "subnet": "delete the stack that made it, or take the tag away: aws ec2 delete-tags --resources {id}",
    "snapshot": "aws ec2 delete-snapshot --snapshot-id {id}, once nobody needs its data",
    "fleet": "aws ec2 delete-fleets --fleet-ids {id} --terminate-instances",
    "elastic-ip": "aws ec2 release-address --allocation-id {id}",
    "natgateway": "aws ec2 delete-nat-gateway --nat-gateway-id {id}",
    "spot-instances-request": "aws ec2 cancel-spot-instance-requests --spot-instance-request-ids {id}",
}


def tag_keys(cluster: str) -> list[str]:
    """The keys to search by."""
    return [f"kubernetes.io/cluster/{cluster}", *_OWNER_KEYS, *_MARK_KEYS]


def links(cluster: str, tags: Mapping[str, str]) -> tuple[list[str], bool]:
    """The tags that link a resource to the cluster, and whether one of them means that it is the cluster's own."""
    legacy = f"kubernetes.io/cluster/{cluster}"
    found, owned = [], False
    if legacy in tags and tags[legacy] in ("owned", "shared"):
        found.append(legacy)
        owned = tags[legacy] == "owned"
    for key in (*_OWNER_KEYS, *_MARK_KEYS):
        if tags.get(key) == cluster:
            found.append(key)
            owned = owned or key in _OWNER_KEYS
    return [f"tag {key}={tags[key]}" for key in found], owned


def is_karpenters(cluster: str, tags: Mapping[str, str]) -> bool:
    """Whether the tags prove that Karpenter made it for this cluster: the tags that its own policy asks for."""
    return (
        NODEPOOL in tags
        and tags.get(f"kubernetes.io/cluster/{cluster}") == "owned"
        and tags.get("eks:eks-cluster-name", cluster) == cluster
    )


def group_tags(entries: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], dict[str, str]]:
    """Tags by (type, id) of the resource, from the entries of DescribeTags."""
    grouped: dict[tuple[str, str], dict[str, str]] = {}
    for entry in entries:
        key = (entry["ResourceType"], entry["ResourceId"])
        grouped.setdefault(key, {})[entry["Key"]] = entry.get("Value", "")
    return grouped


def tagged_leftovers(
    cluster: str, entries: Iterable[Mapping[str, Any]], states: Mapping[str, str], names: Mapping[str, str]
) -> list[Leftover]:
    """What DescribeTags shows and is not gone.

    :param states: state by id, of the resources that keep a record after their end.
    :param names: name by id, where a resource has one.
    """
    found = []
    for (kind, id_), tags in sorted(group_tags(entries).items()):
        found_links, owned = links(cluster, tags)
        state = states.get(id_)
        if not found_links or state in _GONE:
            continue
        remedy = _REMEDIES.get(kind, "delete it, or take the tag away: aws ec2 delete-tags --resources {id}")
        found.append(
            Leftover(
                kind=kind,
                id=id_,
                name=names.get(id_) or tags.get("Name"),
                state=state,
                why=", ".join(found_links),
                owned=owned or kind not in _SHARED_KINDS,
                karpenter=is_karpenters(cluster, tags),
                remedy=remedy.format(id=id_),
            )
        )
    return found
