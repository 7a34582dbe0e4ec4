# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Reads Karpenter's roles, policies, queue and rules side by side. Writes nothing. Private to the collection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from .._aws.client import Aws, side_by_side
from .._leftovers.run import scope_of
from .api import find_policy, find_profiles, find_queue_url, find_role, rules_to
from .model import Names, Observed, obstacles, problems


@dataclass(frozen=True)
class Request:
    """The options of the module; names that are not given follow from the cluster's name."""

    cluster: str
    node_role: str | None
    controller_role: str | None
    queue: str | None
    managed: bool

    def names(self) -> Names:
        """All names."""
        return Names(
            cluster=self.cluster,
            node_role=self.node_role or f"KarpenterNodeRole-{self.cluster}",
            controller_role=self.controller_role or f"{self.cluster}-karpenter",
            queue=self.queue or self.cluster,
        )


def run(aws: Aws, request: Request) -> dict[str, Any]:
    """The module's result. Raises EksopsError."""
    names = request.names()
    scope = scope_of(aws, request.cluster)
    iam = aws.client("iam")
    sqs, events = aws.client("sqs"), aws.client("events")
    queue_arn = f"arn:{scope.partition}:sqs:{scope.region}:{scope.account}:{names.queue}"
    policy_arns = [f"arn:{scope.partition}:iam::{scope.account}:policy/{name}" for name in names.policies]
    read = side_by_side(
        {
            "node role": partial(find_role, iam, names.node_role),
            "controller role": partial(find_role, iam, names.controller_role),
            "profiles": partial(find_profiles, iam, request.cluster, scope.region, names.node_role),
            "queue": partial(find_queue_url, sqs, names.queue),
            "rules": partial(rules_to, events, queue_arn),
            **{arn: partial(find_policy, iam, arn) for arn in policy_arns},
        }
    )
    seen = Observed(
        node_role=read["node role"],
        controller_role=read["controller role"],
        policies=tuple(read[arn] for arn in policy_arns if read[arn]),
        profiles=tuple(read["profiles"]),
        queue_url=read["queue"],
        rules=tuple(read["rules"]),
    )
    return present(names, seen, queue_arn, managed=request.managed)


def present(names: Names, seen: Observed, queue_arn: str, *, managed: bool) -> dict[str, Any]:
    """The result: the same keys whatever is there."""
    found = problems(names, seen, managed=managed)
    parts = (seen.node_role, seen.controller_role, seen.queue_url, *seen.policies, *seen.rules)
    return {
        "exists": any(parts),
        "complete": not found,
        "problems": found,
        "obstacles": obstacles(names, seen),
        "node_role": seen.node_role.as_dict() if seen.node_role else None,
        "controller_role": seen.controller_role.as_dict() if seen.controller_role else None,
        "policies": [policy.as_dict() for policy in seen.policies],
        "instance_profiles": [profile.as_dict() for profile in seen.profiles],
        "queue": {"name": names.queue, "url": seen.queue_url, "arn": queue_arn} if seen.queue_url else None,
        "rules": list(seen.rules),
    }
