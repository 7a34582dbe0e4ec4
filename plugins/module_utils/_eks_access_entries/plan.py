# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What to write so that access entries are as wanted. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._core.errors import EksopsError
from .._core.plan import Plan, Step
from .._eks.common import tag_steps
from .model import AccessPolicy, Entry, EntrySpec

KIND = "AccessEntry"
POLICY = "AssociatedAccessPolicy"
TAGS = "AccessEntry tags"
SEPARATOR = " "


def present_plan(specs: Iterable[EntrySpec], have: Mapping[str, Entry], *, purge: bool = False) -> Plan:
    """The writes that lead to the wanted access entries; ``have``: all entries by principal.

    Raises EksopsError when an entry has another type, which EKS never changes.
    """
    wanted = tuple(specs)
    steps: list[Step] = []
    for spec in wanted:
        entry = have.get(spec.principal_arn)
        steps.extend(_create(spec) if entry is None else _update(spec, entry))
    if purge:
        names = {spec.principal_arn for spec in wanted}
        steps.extend(absent_plan([arn for arn in have if arn not in names], have).steps)
    return Plan(tuple(steps))


def absent_plan(principals: Iterable[str], have: Mapping[str, Entry]) -> Plan:
    """The writes that take access entries away; EKS takes their policies along."""
    there = [have[arn] for arn in principals if arn in have]
    return Plan(tuple(Step("delete", KIND, entry.principal_arn, before={"type": entry.type}) for entry in there))


def refuse_mode(authentication_mode: str | None) -> None:
    """Raise EksopsError when the cluster does not take access entries.

    https://docs.aws.amazon.com/eks/latest/userguide/setting-up-access-entries.html
    """
    if authentication_mode == "CONFIG_MAP":
        raise EksopsError(
            "The cluster has authentication mode CONFIG_MAP, in which EKS takes no access entries",
            where="authentication_mode",
            allowed="API_AND_CONFIG_MAP, API",
            next_step="set authentication_mode of eks_cluster to API_AND_CONFIG_MAP (there is no way back)",
        )


def policy_name(principal_arn: str, policy: AccessPolicy) -> str:
    """How a step names an associated policy; ``policy_of`` reads it again."""
    return f"{principal_arn}{SEPARATOR}{policy.policy_arn}"


def policy_of(name: str) -> tuple[str, str]:
    """Principal and policy ARN of such a name."""
    principal, policy = name.split(SEPARATOR)
    return principal, policy


def scope(policy: AccessPolicy) -> dict[str, Any]:
    """The accessScope of AssociateAccessPolicy.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_AccessScope.html
    """
    if policy.namespaces:
        return {"type": "namespace", "namespaces": list(policy.namespaces)}
    return {"type": "cluster"}


def _create(spec: EntrySpec) -> list[Step]:
    """https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAccessEntry.html"""
    after: dict[str, Any] = {"type": spec.type}
    if spec.kubernetes_groups:
        after["kubernetesGroups"] = list(spec.kubernetes_groups)
    if spec.username:
        after["username"] = spec.username
    if spec.tags:
        after["tags"] = spec.tags
    create = Step("create", KIND, spec.principal_arn, after=after)
    return [create, *_policies(spec, ())]


def _update(spec: EntrySpec, entry: Entry) -> list[Step]:
    _refuse_type(spec, entry)
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    if spec.kubernetes_groups is not None and spec.kubernetes_groups != entry.kubernetes_groups:
        before["kubernetesGroups"] = list(entry.kubernetes_groups)
        after["kubernetesGroups"] = list(spec.kubernetes_groups)
    if spec.username is not None and spec.username != entry.username:
        before["username"], after["username"] = entry.username, spec.username
    steps = [Step("update", KIND, entry.principal_arn, before=before, after=after)] if after else []
    tags = tag_steps(TAGS, entry.principal_arn, entry.tags, spec.tags)
    return [*steps, *tags, *_policies(spec, entry.policies)]


def _policies(spec: EntrySpec, have: tuple[AccessPolicy, ...]) -> list[Step]:
    """Stated policies are the whole list: what is not in it gives no rights any more."""
    if spec.policies is None:
        return []
    by_arn = {policy.policy_arn: policy for policy in have}
    steps = []
    for policy in spec.policies:
        old = by_arn.pop(policy.policy_arn, None)
        if old == policy:
            continue
        before = None if old is None else scope(old)
        name = policy_name(spec.principal_arn, policy)
        steps.append(Step("update" if old else "create", POLICY, name, before=before, after=scope(policy)))
    drop = (Step("delete", POLICY, policy_name(spec.principal_arn, old), before=scope(old)) for old in by_arn.values())
    return [*steps, *drop]


def _refuse_type(spec: EntrySpec, entry: Entry) -> None:
    if spec.type == entry.type:
        return
    node = "; nodes with this role cannot join with it" if spec.type.startswith("EC2") else ""
    raise EksopsError(
        f"The access entry of {entry.principal_arn} has type {entry.type}, wanted is {spec.type}{node}",
        where="access_entries",
        allowed=str(entry.type),
        next_step="EKS never changes the type: delete the entry (state absent) and run again",
    )
