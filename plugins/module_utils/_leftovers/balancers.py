# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Load balancers that controllers in the cluster have made, and nobody ends once the cluster is gone.

"You must delete those services before deleting the cluster so that the load balancers are deleted properly":
https://docs.aws.amazon.com/eks/latest/APIReference/API_DeleteCluster.html. Private to the collection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._aws.client import Client
from .ec2 import chunks
from .model import Leftover, Scope
from .tags import links

# https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTags.html
TAGS_PER_CALL = 20

Named = Mapping[str, str]
Tags = dict[str, dict[str, str]]


def balancer_leftovers(client: Client, scope: Scope) -> list[Leftover]:
    """Application, network and gateway load balancers, by their tags."""
    found = client.pages("describe_load_balancers", "LoadBalancers")
    states = {item["LoadBalancerArn"]: (item.get("State") or {}).get("Code") for item in found}
    named = {item["LoadBalancerArn"]: item["LoadBalancerName"] for item in found}
    remedy = "aws elbv2 delete-load-balancer --load-balancer-arn {id}"
    return _tagged(scope, "load-balancer", named, _by_arn(client, list(named)), remedy, states)


def target_group_leftovers(client: Client, scope: Scope) -> list[Leftover]:
    """Target groups, by their tags; they stay when their load balancer goes."""
    found = client.pages("describe_target_groups", "TargetGroups")
    named = {item["TargetGroupArn"]: item["TargetGroupName"] for item in found}
    remedy = "aws elbv2 delete-target-group --target-group-arn {id}, once no listener uses it"
    return _tagged(scope, "target-group", named, _by_arn(client, list(named)), remedy)


def classic_leftovers(client: Client, scope: Scope) -> list[Leftover]:
    """Classic load balancers, by their tags.

    https://docs.aws.amazon.com/elasticloadbalancing/2012-06-01/APIReference/API_DescribeTags.html
    """
    found = client.pages("describe_load_balancers", "LoadBalancerDescriptions")
    names = [item["LoadBalancerName"] for item in found]
    tags = _read_tags(client, "LoadBalancerNames", "LoadBalancerName", names)
    remedy = "aws elb delete-load-balancer --load-balancer-name {id}"
    return _tagged(scope, "classic-load-balancer", {name: name for name in names}, tags, remedy)


def _by_arn(client: Client, arns: Sequence[str]) -> Tags:
    return _read_tags(client, "ResourceArns", "ResourceArn", arns)


def _read_tags(client: Client, parameter: str, key: str, ids: Sequence[str]) -> Tags:
    """Tags by id; what has gone since it was listed has none."""
    read: Tags = {}
    for chunk in chunks(ids, TAGS_PER_CALL):
        answer = client.find("describe_tags", **{parameter: chunk})
        if answer is None:  # one of them is gone, and the call fails for all
            for one in chunk if len(chunk) > 1 else ():
                read |= _read_tags(client, parameter, key, [one])
            continue
        read |= {item[key]: _plain(item.get("Tags") or ()) for item in answer["TagDescriptions"]}
    return read


def _plain(tags: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {tag["Key"]: tag.get("Value") or "" for tag in tags}


def _tagged(
    scope: Scope, kind: str, named: Named, tags: Tags, remedy: str, states: Mapping[str, str | None] | None = None
) -> list[Leftover]:
    """Those that a tag links to the cluster. No two clusters share one, so any link makes it the cluster's own."""
    linked = {id_: links(scope.cluster, tags.get(id_, {}))[0] for id_ in sorted(named)}
    return [
        Leftover(
            kind,
            id_,
            ", ".join(found),
            remedy.format(id=id_),
            name=named[id_],
            state=(states or {}).get(id_),
        )
        for id_, found in linked.items()
        if found
    ]
