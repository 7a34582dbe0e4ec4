# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Karpenter's roles, policies, queue and rules as plain data. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._limits.names import POLICY_PARTS

NODE_SERVICES = ("ec2.amazonaws.com", "ec2.amazonaws.com.cn")
CONTROLLER_SERVICES = ("pods.eks.amazonaws.com",)
RULE_COUNT = 5
# AWS's own policies on the node role of our template.
NODE_POLICIES = frozenset(
    {
        "AmazonEKS_CNI_Policy",
        "AmazonEKSWorkerNodePolicy",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonSSMManagedInstanceCore",
    }
)


@dataclass(frozen=True)
class Names:
    """What the parts are called."""

    cluster: str
    node_role: str
    controller_role: str
    queue: str

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of the six controller policies."""
        return tuple(f"KarpenterController{part}Policy-{self.cluster}" for part in POLICY_PARTS)


@dataclass(frozen=True)
class Role:
    """An IAM role: who may assume it, and what is attached to it."""

    name: str
    arn: str
    trusted_services: tuple[str, ...]
    attached_policies: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The role as a module returns it."""
        return {
            "name": self.name,
            "arn": self.arn,
            "trusted_services": list(self.trusted_services),
            "attached_policies": list(self.attached_policies),
        }


@dataclass(frozen=True)
class Policy:
    """A managed policy, and the roles, users and groups that hold it."""

    name: str
    arn: str
    holders: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The policy as a module returns it."""
        return {"name": self.name, "arn": self.arn, "holders": list(self.holders)}


@dataclass(frozen=True)
class Profile:
    """An instance profile that holds the node role or lies below the cluster's path.

    :param own: whether path or tags prove that Karpenter made it for this cluster.
    """

    name: str
    arn: str
    path: str
    roles: tuple[str, ...]
    own: bool

    def as_dict(self) -> dict[str, Any]:
        """The profile as a module returns it."""
        return {"name": self.name, "arn": self.arn, "path": self.path, "roles": list(self.roles), "own": self.own}


@dataclass(frozen=True)
class Observed:
    """All that is there."""

    node_role: Role | None
    controller_role: Role | None
    policies: tuple[Policy, ...]
    profiles: tuple[Profile, ...]
    queue_url: str | None
    rules: tuple[str, ...]


def trusted_services(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The service principals that a trust policy allows."""
    statements = document.get("Statement", [])
    found: list[str] = []
    for statement in [statements] if isinstance(statements, Mapping) else statements:
        principal = statement.get("Principal", {})
        services = principal.get("Service", []) if isinstance(principal, Mapping) else []
        if statement.get("Effect") == "Allow":
            found += [services] if isinstance(services, str) else services
    return tuple(found)


def problems(names: Names, seen: Observed, *, managed: bool) -> list[str]:
    """What keeps Karpenter from working, one sentence each; policies by name are only asked of managed ones."""
    found = [
        *_role_problems("node", names.node_role, seen.node_role, NODE_SERVICES),
        *_role_problems("controller", names.controller_role, seen.controller_role, CONTROLLER_SERVICES),
    ]
    if seen.queue_url is None:
        found.append(f"queue {names.queue} does not exist")
    if len(seen.rules) < RULE_COUNT:
        found.append(f"{len(seen.rules)} of {RULE_COUNT} rules send to queue {names.queue}")
    if managed:
        there = {policy.name for policy in seen.policies}
        found += [f"policy {name} does not exist" for name in names.policies if name not in there]
        held = set(seen.controller_role.attached_policies) if seen.controller_role else set()
        found += [
            f"policy {policy.name} is not attached to role {names.controller_role}"
            for policy in seen.policies
            if seen.controller_role and policy.arn not in held
        ]
    return found


def _role_problems(kind: str, name: str, role: Role | None, wanted: Sequence[str]) -> list[str]:
    if role is None:
        return [f"{kind} role {name} does not exist"]
    if not set(role.trusted_services) & set(wanted):
        trusted = ", ".join(role.trusted_services) or "no service"
        return [f"{kind} role {name} trusts {trusted}, not {wanted[0]}"]
    return []


def obstacles(names: Names, seen: Observed) -> list[str]:
    """What would keep the stack from being deleted and is not the cluster's own, one sentence each with its remedy.

    IAM deletes no policy that is attached and no role that is in an instance profile:
    https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeletePolicy.html
    https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeleteRole.html
    """
    found = []
    for policy in seen.policies:
        others = [holder for holder in policy.holders if holder != f"role {names.controller_role}"]
        if others:
            found.append(f"policy {policy.name} is attached to {', '.join(others)} too: detach it there")
    found += [
        f"instance profile {profile.name} (path {profile.path}) holds role {names.node_role} and is not Karpenter's for"
        " this cluster: take the role out of it"
        for profile in seen.profiles
        if not profile.own
    ]
    return found + _extra_policies(seen)


def _extra_policies(seen: Observed) -> list[str]:
    """Policies of others on our roles, which keep the roles from being deleted."""
    own = {policy.arn for policy in seen.policies}
    return [
        f"role {role.name} has policy {arn}, which is not of the stack: detach it"
        for role in (seen.node_role, seen.controller_role)
        if role is not None
        for arn in role.attached_policies
        if arn not in own and arn.rpartition("/")[2] not in NODE_POLICIES
    ]
