# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Pod identity associations as wanted and as observed. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .._eks.common import instant, known_keys, text_tags, unique

Key = tuple[str, str]
"""Namespace and service account; EKS allows one association for each."""


@dataclass(frozen=True)
class AssociationSpec:
    """An association as wanted. None means "not stated": left alone on an association that is there."""

    namespace: str
    service_account: str
    role_arn: str | None = None
    target_role_arn: str | None = None
    disable_session_tags: bool | None = None
    tags: dict[str, str] | None = None

    @property
    def key(self) -> Key:
        """Namespace and service account."""
        return self.namespace, self.service_account

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> AssociationSpec:
        """From one item of the option ``associations``. Raises EksopsError for an unknown key."""
        known_keys(params, cls.__dataclass_fields__, "associations")
        values = {key: value for key, value in params.items() if value is not None}
        values["tags"] = text_tags(params.get("tags"))
        return cls(**values)

    @classmethod
    def many(cls, items: Iterable[Mapping[str, Any]]) -> tuple[AssociationSpec, ...]:
        """All items of the option. Raises EksopsError when one service account is named twice."""
        specs = tuple(cls.from_params(item) for item in items)
        unique((spec.key for spec in specs), "associations")
        return specs


@dataclass(frozen=True)
class Association:
    """An association as EKS describes it, in the form that modules return."""

    namespace: str
    service_account: str
    exists: bool = True
    id: str | None = None
    arn: str | None = None
    role_arn: str | None = None
    target_role_arn: str | None = None
    disable_session_tags: bool | None = None
    owner_arn: str | None = None
    tags: dict[str, str] = field(default_factory=dict)
    created_at: str | None = None
    modified_at: str | None = None

    @property
    def key(self) -> Key:
        """Namespace and service account."""
        return self.namespace, self.service_account

    @classmethod
    def from_api(cls, raw: Mapping[str, Any]) -> Association:
        """From the ``association`` of DescribePodIdentityAssociation.

        https://docs.aws.amazon.com/eks/latest/APIReference/API_PodIdentityAssociation.html
        """
        return cls(
            namespace=raw["namespace"],
            service_account=raw["serviceAccount"],
            id=raw.get("associationId"),
            arn=raw.get("associationArn"),
            role_arn=raw.get("roleArn"),
            target_role_arn=raw.get("targetRoleArn"),
            disable_session_tags=bool(raw.get("disableSessionTags", False)),
            owner_arn=raw.get("ownerArn"),
            tags=dict(raw.get("tags") or {}),
            created_at=instant(raw.get("createdAt")),
            modified_at=instant(raw.get("modifiedAt")),
        )

    @classmethod
    def predicted(cls, spec: AssociationSpec) -> Association:
        """What a creation would make."""
        return cls(
            namespace=spec.namespace,
            service_account=spec.service_account,
            exists=False,
            role_arn=spec.role_arn,
            target_role_arn=spec.target_role_arn,
            disable_session_tags=spec.disable_session_tags,
            tags=dict(spec.tags or {}),
        )

    def as_dict(self) -> dict[str, Any]:
        """The association as modules return it."""
        return asdict(self)
