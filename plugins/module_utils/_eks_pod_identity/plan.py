# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What to write so that associations are as wanted. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._core.errors import EksopsError
from .._core.plan import Plan, Step
from .._eks.common import tag_steps
from .model import Association, AssociationSpec, Key

KIND = "PodIdentityAssociation"
TAGS = "PodIdentityAssociation tags"
_FIELDS = (
    ("role_arn", "roleArn"),
    ("target_role_arn", "targetRoleArn"),
    ("disable_session_tags", "disableSessionTags"),
)


def present_plan(specs: Iterable[AssociationSpec], have: Mapping[Key, Association], *, purge: bool = False) -> Plan:
    """The writes that lead to the wanted associations; ``have``: all associations by namespace and service account.

    Raises EksopsError when one is to be created without a role, or belongs to an add-on.
    """
    wanted = tuple(specs)
    steps: list[Step] = []
    for spec in wanted:
        association = have.get(spec.key)
        steps.extend(_create(spec) if association is None else _update(spec, association))
    if purge:
        names = {spec.key for spec in wanted}
        # What an add-on has made goes with the add-on.
        others = [key for key, found in have.items() if key not in names and not found.owner_arn]
        steps.extend(absent_plan(others, have).steps)
    return Plan(tuple(steps))


def absent_plan(keys: Iterable[Key], have: Mapping[Key, Association]) -> Plan:
    """The writes that take associations away."""
    there = [have[key] for key in keys if key in have]
    return Plan(tuple(Step("delete", KIND, name_of(found.key), before={"roleArn": found.role_arn}) for found in there))


def name_of(key: Key) -> str:
    """How a step names an association: ``namespace/service account``."""
    return "/".join(key)


def _create(spec: AssociationSpec) -> list[Step]:
    """https://docs.aws.amazon.com/eks/latest/APIReference/API_CreatePodIdentityAssociation.html"""
    if not spec.role_arn:
        raise EksopsError(
            f"The association of {name_of(spec.key)} does not exist, and creating it needs role_arn",
            where="associations",
            next_step="state the role whose credentials the pods are to have",
        )
    after: dict[str, Any] = {api: value for name, api in _FIELDS if (value := getattr(spec, name)) is not None}
    if spec.tags:
        after["tags"] = spec.tags
    return [Step("create", KIND, name_of(spec.key), after=after)]


def _update(spec: AssociationSpec, association: Association) -> list[Step]:
    """https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdatePodIdentityAssociation.html"""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for name, api in _FIELDS:
        want, have = getattr(spec, name), getattr(association, name)
        if want is not None and want != have:
            before[api], after[api] = have, want
    steps = []
    if after:
        if association.owner_arn:
            raise EksopsError(
                f"The association of {name_of(spec.key)} belongs to {association.owner_arn}",
                where="associations",
                next_step="change it through that add-on, or leave it out here",
            )
        steps.append(Step("update", KIND, name_of(spec.key), before=before, after=after))
    return [*steps, *tag_steps(TAGS, name_of(spec.key), association.tags, spec.tags)]
