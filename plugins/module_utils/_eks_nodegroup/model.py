# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""A managed node group as wanted and as observed. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from .._core.errors import EksopsError
from .._eks.common import health_issues, instant, text_tags

EFFECTS = ("NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE")
LISTS = ("subnet_ids", "instance_types", "taints")


@dataclass(frozen=True)
class NodegroupSpec:
    """The node group as wanted. None means "not stated": the default of EKS at creation, left alone later.

    :ivar disk_size_gib: root volume in GiB. :ivar min_size, max_size, desired_size: nodes.
    """

    cluster_name: str
    name: str
    node_role_arn: str | None = None
    subnet_ids: tuple[str, ...] | None = None
    instance_types: tuple[str, ...] | None = None
    ami_type: str = "AL2023_x86_64_STANDARD"
    capacity_type: str | None = None
    disk_size_gib: int | None = None
    min_size: int | None = None
    max_size: int | None = None
    desired_size: int | None = None
    labels: dict[str, str] | None = None
    taints: tuple[dict[str, str], ...] | None = None
    max_unavailable: int | None = None
    max_unavailable_percentage: int | None = None
    release_version: str | None = None
    tags: dict[str, str] | None = None
    purge_tags: bool = False

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> NodegroupSpec:
        """From module options of the same names. Raises EksopsError for a value that cannot be meant."""
        values = {item.name: params[item.name] for item in fields(cls) if params.get(item.name) is not None}
        for name in LISTS:
            if values.get(name) is not None:
                values[name] = tuple(values[name])
        if values.get("taints") is not None:
            values["taints"] = sorted_taints(values["taints"])
        for name in ("labels", "tags"):
            values[name] = text_tags(params.get(name))
        spec = cls(**values)
        spec._check()
        return spec

    def _check(self) -> None:
        sizes = [size for size in (self.min_size, self.desired_size, self.max_size) if size is not None]
        if sizes != sorted(sizes):
            raise EksopsError(
                f"Node group {self.name} has sizes {self.min_size}, {self.desired_size}, {self.max_size}",
                where="min_size, desired_size, max_size",
                allowed="min_size <= desired_size <= max_size",
            )
        if self.max_unavailable is not None and self.max_unavailable_percentage is not None:
            raise EksopsError(
                "Both a number and a percentage of unavailable nodes are stated",
                where="max_unavailable, max_unavailable_percentage",
                allowed="one of the two",
            )


@dataclass(frozen=True)
class Nodegroup:
    """The node group as EKS describes it, in the form that modules return. Unknown values are None."""

    cluster_name: str
    name: str
    exists: bool = True
    arn: str | None = None
    status: str | None = None
    kubernetes_version: str | None = None
    release_version: str | None = None
    node_role_arn: str | None = None
    subnet_ids: tuple[str, ...] = ()
    instance_types: tuple[str, ...] = ()
    ami_type: str | None = None
    capacity_type: str | None = None
    disk_size_gib: int | None = None
    min_size: int | None = None
    max_size: int | None = None
    desired_size: int | None = None
    labels: dict[str, str] = field(default_factory=dict)
    taints: tuple[dict[str, str], ...] = ()
    max_unavailable: int | None = None
    max_unavailable_percentage: int | None = None
    autoscaling_groups: tuple[str, ...] = ()
    tags: dict[str, str] = field(default_factory=dict)
    health_issues: tuple[dict[str, Any], ...] = ()
    created_at: str | None = None
    modified_at: str | None = None

    @classmethod
    def from_api(cls, raw: Mapping[str, Any]) -> Nodegroup:
        """From the ``nodegroup`` of DescribeNodegroup.

        https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
        """
        scaling = raw.get("scalingConfig") or {}
        update = raw.get("updateConfig") or {}
        groups = (raw.get("resources") or {}).get("autoScalingGroups") or []
        return cls(
            cluster_name=raw["clusterName"],
            name=raw["nodegroupName"],
            arn=raw.get("nodegroupArn"),
            status=raw.get("status"),
            kubernetes_version=raw.get("version"),
            release_version=raw.get("releaseVersion"),
            node_role_arn=raw.get("nodeRole"),
            subnet_ids=tuple(raw.get("subnets") or ()),
            instance_types=tuple(raw.get("instanceTypes") or ()),
            ami_type=raw.get("amiType"),
            capacity_type=raw.get("capacityType"),
            disk_size_gib=raw.get("diskSize"),
            min_size=scaling.get("minSize"),
            max_size=scaling.get("maxSize"),
            desired_size=scaling.get("desiredSize"),
            labels=dict(raw.get("labels") or {}),
            taints=sorted_taints(raw.get("taints") or ()),
            max_unavailable=update.get("maxUnavailable"),
            max_unavailable_percentage=update.get("maxUnavailablePercentage"),
            autoscaling_groups=tuple(group["name"] for group in groups),
            tags=dict(raw.get("tags") or {}),
            health_issues=health_issues(raw),
            created_at=instant(raw.get("createdAt")),
            modified_at=instant(raw.get("modifiedAt")),
        )

    @classmethod
    def predicted(cls, spec: NodegroupSpec) -> Nodegroup:
        """What a creation would make, as far as it can be known before it."""
        names = {item.name for item in fields(cls)} & {item.name for item in fields(spec)}
        return cls(exists=False, **{n: getattr(spec, n) for n in names if getattr(spec, n) is not None})

    def as_dict(self) -> dict[str, Any]:
        """The node group as modules return it: plain data, lists instead of tuples."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}


def sorted_taints(taints: Sequence[Mapping[str, Any]]) -> tuple[dict[str, str], ...]:
    """Taints in one order, without empty parts. Raises EksopsError for an unknown effect."""
    found = []
    for taint in taints:
        if taint.get("effect") not in EFFECTS:
            raise EksopsError(f"{taint.get('effect')!r} is no taint effect", where="taints", allowed=", ".join(EFFECTS))
        # A taint without a value is told by EKS as one with an empty value, which it may have:
        # https://docs.aws.amazon.com/eks/latest/APIReference/API_Taint.html
        found.append({key: str(taint[key]) for key in ("key", "value", "effect") if taint.get(key) not in (None, "")})
    return tuple(sorted(found, key=lambda taint: (taint["key"], taint["effect"])))
