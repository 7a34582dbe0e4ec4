# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""EKS add-ons as wanted and as observed. Pure: standard library only. Private to the collection."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .._core.errors import EksopsError
from .._eks.common import health_issues, instant, known_keys, text_tags, unique

DEFAULT = "default"
LATEST = "latest"


@dataclass(frozen=True)
class AddonSpec:
    """An add-on as wanted.

    :ivar version: ``default`` or ``latest`` for the cluster's Kubernetes version, or an exact one; only at creation.
    :ivar configuration_values: compared by meaning; None leaves them alone.
    """

    name: str
    version: str = DEFAULT
    configuration_values: dict[str, Any] | None = None
    resolve_conflicts: str = "OVERWRITE"
    service_account_role_arn: str | None = None
    tags: dict[str, str] | None = None

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> AddonSpec:
        """From one item of the option ``addons``. Raises EksopsError for an unknown key."""
        known_keys(params, cls.__dataclass_fields__, "addons")
        values = {key: value for key, value in params.items() if value is not None}
        values["tags"] = text_tags(params.get("tags"))
        return cls(**values)

    @classmethod
    def many(cls, items: Iterable[Mapping[str, Any]]) -> tuple[AddonSpec, ...]:
        """All items of the option. Raises EksopsError when one add-on is named twice."""
        specs = tuple(cls.from_params(item) for item in items)
        unique((spec.name for spec in specs), "addons")
        return specs


@dataclass(frozen=True)
class Addon:
    """An add-on as EKS describes it, in the form that modules return."""

    name: str
    exists: bool = True
    arn: str | None = None
    status: str | None = None
    version: str | None = None
    configuration_values: Any = None
    service_account_role_arn: str | None = None
    tags: dict[str, str] = field(default_factory=dict)
    health_issues: tuple[dict[str, Any], ...] = ()
    created_at: str | None = None
    modified_at: str | None = None

    @classmethod
    def from_api(cls, raw: Mapping[str, Any]) -> Addon:
        """From the ``addon`` of DescribeAddon.

        https://docs.aws.amazon.com/eks/latest/APIReference/API_Addon.html
        """
        return cls(
            name=raw["addonName"],
            arn=raw.get("addonArn"),
            status=raw.get("status"),
            version=raw.get("addonVersion"),
            configuration_values=parsed(raw.get("configurationValues")),
            service_account_role_arn=raw.get("serviceAccountRoleArn"),
            tags=dict(raw.get("tags") or {}),
            health_issues=health_issues(raw),
            created_at=instant(raw.get("createdAt")),
            modified_at=instant(raw.get("modifiedAt")),
        )

    @classmethod
    def predicted(cls, spec: AddonSpec, version: str | None) -> Addon:
        """What a creation would make."""
        return cls(
            name=spec.name,
            exists=False,
            version=version,
            configuration_values=spec.configuration_values,
            service_account_role_arn=spec.service_account_role_arn,
            tags=dict(spec.tags or {}),
        )

    def as_dict(self) -> dict[str, Any]:
        """The add-on as modules return it: plain data, lists instead of tuples."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}


def parsed(text: str | None) -> Any:
    """Configuration values by meaning: data if they are JSON, the text itself otherwise, None when empty."""
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


@dataclass(frozen=True)
class Catalog:
    """Which versions of an add-on AWS offers for one Kubernetes version, by add-on name, newest first.

    :ivar versions: name -> versions. :ivar defaults: name -> AWS's default.
    """

    kubernetes_version: str | None = None
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_api(cls, kubernetes_version: str, rows: Iterable[Mapping[str, Any]]) -> Catalog:
        """From the ``addons`` of DescribeAddonVersions, asked for one Kubernetes version.

        https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddonVersions.html
        """
        versions: dict[str, tuple[str, ...]] = {}
        defaults: dict[str, str] = {}
        for row in rows:
            name, found = row["addonName"], []
            for info in row.get("addonVersions") or []:
                for fit in info.get("compatibilities") or []:
                    if fit.get("clusterVersion") == kubernetes_version:
                        found.append(info["addonVersion"])
                        if fit.get("defaultVersion"):
                            defaults[name] = info["addonVersion"]
            versions[name] = tuple(sorted(found, key=version_key, reverse=True))
        return cls(kubernetes_version, versions, defaults)

    def resolve(self, spec: AddonSpec) -> str | None:
        """The exact version for a creation, None when nothing is known yet. Raises EksopsError when there is none."""
        if self.kubernetes_version is None:
            return None if spec.version in (DEFAULT, LATEST) else spec.version
        offered = self.versions.get(spec.name, ())
        if not offered:
            raise EksopsError(
                f"AWS offers no add-on {spec.name} for Kubernetes {self.kubernetes_version}",
                where="addons",
                next_step="check the spelling with 'aws eks describe-addon-versions', or leave the add-on out",
            )
        if spec.version == LATEST:
            return offered[0]
        if spec.version == DEFAULT:
            return self.defaults.get(spec.name, offered[0])
        if spec.version not in offered:
            raise EksopsError(
                f"Add-on {spec.name} has no version {spec.version} for Kubernetes {self.kubernetes_version}",
                where="addons",
                allowed=f"{DEFAULT}, {LATEST}, {', '.join(offered[:5])}",
            )
        return spec.version


def version_key(version: str) -> tuple[tuple[int, ...], str]:
    """Sorts ``v1.19.2-eksbuild.10`` after ``v1.19.2-eksbuild.9``."""
    numbers: list[int] = []
    digits = ""
    for char in version + ".":
        if char.isdigit():
            digits += char
        elif digits:
            numbers.append(int(digits))
            digits = ""
    return tuple(numbers), version
