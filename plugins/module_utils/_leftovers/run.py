# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Looks for everything that is left of a cluster. Writes nothing. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .._aws.client import Aws, side_by_side
from .._aws.errors import AwsError
from .._core.errors import EksopsError
from .balancers import balancer_leftovers, classic_leftovers, target_group_leftovers
from .ec2 import ec2_leftovers
from .logs import log_leftovers
from .model import Leftover, Scope
from .providers import provider_leftovers
from .services import (
    cluster_leftovers,
    policy_leftovers,
    profile_leftovers,
    queue_leftovers,
    role_leftovers,
    rule_leftovers,
    stack_leftovers,
)

Reader = Callable[[], list[Leftover]]


def scope_of(aws: Aws, cluster: str, issuer: str | None = None) -> Scope:
    """The caller's account and partition, and the region. Raises EksopsError."""
    if not aws.region:
        raise EksopsError("No region", where="region", next_step="set eksops_region")
    arn = aws.client("sts").call("get_caller_identity")["Arn"].split(":")
    return Scope(cluster=cluster, region=aws.region, account=arn[4], partition=arn[1], issuer=issuer)


def _readers(aws: Aws, scope: Scope) -> dict[str, Reader]:
    # Clients are made here, one after the other: making them is not safe between threads, using them is.
    iam, eks, balancing = aws.client("iam"), aws.client("eks"), aws.client("elbv2")
    return {
        "EC2 resources": partial(ec2_leftovers, aws.client("ec2"), scope.cluster),
        "EKS cluster": partial(cluster_leftovers, eks, scope),
        "stacks": partial(stack_leftovers, aws.client("cloudformation"), scope),
        "roles": partial(role_leftovers, iam, scope),
        "policies": partial(policy_leftovers, iam, scope),
        "instance profiles": partial(profile_leftovers, iam, scope),
        "queue": partial(queue_leftovers, aws.client("sqs"), scope),
        "rules": partial(rule_leftovers, aws.client("events"), scope),
        "load balancers": partial(balancer_leftovers, balancing, scope),
        "target groups": partial(target_group_leftovers, balancing, scope),
        "classic load balancers": partial(classic_leftovers, aws.client("elb"), scope),
        "identity providers": partial(provider_leftovers, iam, eks, scope),
        "log group": partial(log_leftovers, aws.client("logs"), scope),
    }


def _guarded(reader: Reader) -> list[Leftover] | AwsError:
    try:
        return reader()
    except AwsError as error:
        # One listing that is denied must neither hide the others nor count as "nothing left".
        return error


def run(aws: Aws, cluster: str, ignored: Sequence[str] = (), issuer: str | None = None) -> dict[str, Any]:
    """The module's result. Raises EksopsError when not even the caller is known."""
    scope = scope_of(aws, cluster, issuer)
    read = side_by_side({name: partial(_guarded, reader) for name, reader in _readers(aws, scope).items()})
    unread = [{"what": name, "error": str(answer)} for name, answer in read.items() if isinstance(answer, AwsError)]
    found = [item for answer in read.values() if not isinstance(answer, AwsError) for item in answer]
    return present(scope, [item for item in found if item.id not in ignored and item.name not in ignored], unread)


def present(scope: Scope, found: Sequence[Leftover], unread: Sequence[dict[str, str]]) -> dict[str, Any]:
    """The result: what is left, what stays by design, what only carries a mark, and whether the answer is complete."""
    left = [item.as_dict() for item in found if item.left]
    counts: dict[str, int] = {}
    for item in left:
        counts[item["kind"]] = counts.get(item["kind"], 0) + 1
    return {
        "cluster_name": scope.cluster,
        "region": scope.region,
        "account_id": scope.account,
        "leftovers": left,
        "kept": [item.as_dict() for item in found if item.kept],
        "marked": [item.as_dict() for item in found if not item.owned],
        "unread": list(unread),
        "complete": not unread,
        "clean": not left and not unread,
        "counts": counts,
        "report": report(scope, found, unread),
    }


def report(scope: Scope, found: Sequence[Leftover], unread: Sequence[dict[str, str]]) -> str:
    """What a person reads: one line a thing."""
    where = f"cluster {scope.cluster} in account {scope.account}, {scope.region}"
    left = [item for item in found if item.left]
    lines = [f"{len(left)} {'thing is' if len(left) == 1 else 'things are'} left of {where}:"]
    if not left:
        lines = [f"Nothing was found of {where}." if unread else f"Nothing is left of {where}."]
    for item in left:
        label = f"{item.kind} {item.name or item.id}"
        state = f" ({item.state})" if item.state else ""
        lines.append(f"- {label}{state}, by {item.why}. Remedy: {item.remedy}")
    lines += [
        f"- kept by AWS: {item.kind} {item.id} ({item.state}). Remedy: {item.remedy}" for item in found if item.kept
    ]
    lines += [f"- only marked: {item.kind} {item.id}, by {item.why}" for item in found if not item.owned]
    lines += [f"- could not be looked at, so nothing is proved: {item['what']}: {item['error']}" for item in unread]
    return "\n".join(lines)
