# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Access entries of a cluster as wanted and as observed. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .._core.errors import EksopsError
from .._eks.common import instant, known_keys, text_tags, unique

STANDARD = "STANDARD"


@dataclass(frozen=True, order=True)
class AccessPolicy:
    """An access policy with its scope.

    :ivar policy_arn: the ARN of an access policy. :ivar namespaces: empty for the whole cluster.
    """

    policy_arn: str
    namespaces: tuple[str, ...] = ()

    @classmethod
    def from_params(cls, params: Mapping[str, Any], partition: str) -> AccessPolicy:
        """From an item of the option ``policies``; a bare policy name becomes the ARN in the partition.

        https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html
        """
        known_keys(params, ("policy", "namespaces"), "policies")
        policy = str(params["policy"])
        if not policy.startswith("arn:"):
            policy = f"arn:{partition}:eks::aws:cluster-access-policy/{policy}"
        return cls(policy, tuple(sorted(params.get("namespaces") or ())))

    @classmethod
    def from_api(cls, raw: Mapping[str, Any]) -> AccessPolicy:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_AssociatedAccessPolicy.html"""
        scope = raw.get("accessScope") or {}
        return cls(raw["policyArn"], tuple(sorted(scope.get("namespaces") or ())))

    def as_dict(self) -> dict[str, Any]:
        """The policy as modules return it."""
        return {"policy_arn": self.policy_arn, "namespaces": list(self.namespaces)}


@dataclass(frozen=True)
class EntrySpec:
    """An access entry as wanted. None means "not stated": the default of EKS at creation, left alone later.

    :ivar type: what kind of principal it is; EKS never changes it.
    """

    principal_arn: str
    type: str = STANDARD
    kubernetes_groups: tuple[str, ...] | None = None
    username: str | None = None
    policies: tuple[AccessPolicy, ...] | None = None
    tags: dict[str, str] | None = None

    @classmethod
    def from_params(cls, params: Mapping[str, Any], partition: str) -> EntrySpec:
        """From one item of the option ``access_entries``. Raises EksopsError for a value that cannot be meant."""
        known_keys(params, cls.__dataclass_fields__, "access_entries")
        values = {key: value for key, value in params.items() if value is not None}
        if values.get("kubernetes_groups") is not None:
            values["kubernetes_groups"] = tuple(sorted(values["kubernetes_groups"]))
        if values.get("policies") is not None:
            policies = (AccessPolicy.from_params(policy, partition) for policy in values["policies"])
            values["policies"] = tuple(sorted(policies))
        values["tags"] = text_tags(params.get("tags"))
        spec = cls(**values)
        spec._check()
        return spec

    def _check(self) -> None:
        if ":assumed-role/" in self.principal_arn:
            raise EksopsError(
                f"{self.principal_arn} is a session, and an access entry is for the role itself",
                where="principal_arn",
                allowed="the ARN of an IAM role or user",
                next_step="state arn:<partition>:iam::<account>:role/<role>",
            )
        if self.type != STANDARD and (self.policies or self.kubernetes_groups or self.username):
            raise EksopsError(
                f"An access entry of type {self.type} takes no policies, groups or username: EKS sets them",
                where="access_entries",
                allowed="policies, kubernetes_groups and username only with type STANDARD",
            )

    @classmethod
    def many(cls, items: Iterable[Mapping[str, Any]], partition: str) -> tuple[EntrySpec, ...]:
        """All items of the option. Raises EksopsError when one principal is named twice."""
        specs = tuple(cls.from_params(item, partition) for item in items)
        unique((spec.principal_arn for spec in specs), "access_entries")
        return specs


@dataclass(frozen=True)
class Entry:
    """An access entry as EKS describes it, in the form that modules return."""

    principal_arn: str
    exists: bool = True
    arn: str | None = None
    type: str | None = None
    kubernetes_groups: tuple[str, ...] = ()
    username: str | None = None
    policies: tuple[AccessPolicy, ...] = ()
    tags: dict[str, str] = field(default_factory=dict)
    created_at: str | None = None
    modified_at: str | None = None

    @classmethod
    def from_api(cls, raw: Mapping[str, Any]) -> Entry:
        """From the ``accessEntry`` of DescribeAccessEntry with its ``policies``.

        https://docs.aws.amazon.com/eks/latest/APIReference/API_AccessEntry.html
        """
        return cls(
            principal_arn=raw["principalArn"],
            arn=raw.get("accessEntryArn"),
            type=raw.get("type"),
            kubernetes_groups=tuple(sorted(raw.get("kubernetesGroups") or ())),
            username=raw.get("username"),
            policies=tuple(sorted(AccessPolicy.from_api(policy) for policy in raw.get("policies") or ())),
            tags=dict(raw.get("tags") or {}),
            created_at=instant(raw.get("createdAt")),
            modified_at=instant(raw.get("modifiedAt")),
        )

    @classmethod
    def predicted(cls, spec: EntrySpec) -> Entry:
        """What a creation would make."""
        return cls(
            principal_arn=spec.principal_arn,
            exists=False,
            type=spec.type,
            kubernetes_groups=spec.kubernetes_groups or (),
            username=spec.username,
            policies=spec.policies or (),
            tags=dict(spec.tags or {}),
        )

    def as_dict(self) -> dict[str, Any]:
        """The entry as modules return it: plain data, lists instead of tuples."""
        data = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}
        return {**data, "policies": [policy.as_dict() for policy in self.policies]}
