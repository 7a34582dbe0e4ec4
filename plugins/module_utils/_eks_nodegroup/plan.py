# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What to write so that a node group is as wanted. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from typing import Any

from .._core.errors import EksopsError
from .._core.plan import Plan, Step
from .._eks.common import health_text, tag_changes
from .model import Nodegroup, NodegroupSpec

KIND = "Nodegroup"
CONFIG = "NodegroupConfigUpdate"
TAGS = "Nodegroup tags"
ON_THE_WAY = ("CREATING", "UPDATING")


def present_plan(spec: NodegroupSpec, group: Nodegroup | None) -> Plan:
    """The writes that lead to the wanted node group.

    Raises EksopsError when the group is in no state to be changed, or differs in what EKS never changes.
    """
    if group is None:
        _require(spec)
        return Plan((Step("create", KIND, spec.name, after=creation(spec)),))
    _refuse_state(group)
    _refuse_immutable(spec, group)
    steps = [*_config(spec, group)]
    put, drop = tag_changes(group.tags, spec.tags, purge=spec.purge_tags)
    if put or drop:
        before = {key: group.tags[key] for key in [*put, *drop] if key in group.tags}
        steps.append(Step("update", TAGS, group.name, before=before, after=put))
    return Plan(tuple(steps), _notices(spec, group))


def absent_plan(group: Nodegroup | None) -> Plan:
    """The write that takes the node group away; one that is being deleted needs none."""
    if group is None or group.status == "DELETING":
        return Plan()
    before = {"arn": group.arn, "instanceTypes": list(group.instance_types), "desiredSize": group.desired_size}
    return Plan((Step("delete", KIND, group.name, before=before),))


def creation(spec: NodegroupSpec) -> dict[str, Any]:
    """What CreateNodegroup is asked for, without what is not stated; the token comes at the time of the call.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html
    """
    scaling = _stated(minSize=spec.min_size, maxSize=spec.max_size, desiredSize=spec.desired_size)
    return _stated(
        clusterName=spec.cluster_name,
        nodegroupName=spec.name,
        nodeRole=spec.node_role_arn,
        subnets=_list(spec.subnet_ids),
        instanceTypes=_list(spec.instance_types),
        amiType=spec.ami_type,
        capacityType=spec.capacity_type,
        diskSize=spec.disk_size_gib,
        scalingConfig=scaling or None,
        labels=spec.labels or None,
        taints=_list(spec.taints) or None,
        updateConfig=_update_config(spec) or None,
        releaseVersion=spec.release_version,
        tags=spec.tags or None,
    )


def _require(spec: NodegroupSpec) -> None:
    missing = [name for name in ("node_role_arn", "subnet_ids") if not getattr(spec, name)]
    if missing:
        raise EksopsError(
            f"Node group {spec.name} does not exist, and creating it needs {', '.join(missing)}",
            where=", ".join(missing),
            next_step="state them, or check the names of cluster and node group",
        )


def _refuse_state(group: Nodegroup) -> None:
    issues = health_text(group.health_issues)
    if group.status == "DELETING":
        raise EksopsError(
            f"Node group {group.name} is being deleted (status DELETING)",
            where="name",
            next_step="wait until it is gone and run again, or choose another name",
        )
    if group.status in ("CREATE_FAILED", "DELETE_FAILED", "DEGRADED"):
        raise EksopsError(
            f"Node group {group.name} has status {group.status}: {issues or 'EKS gives no reason'}",
            where="name",
            next_step="mend the cause; a group that failed to be created or deleted is deleted with state absent first",
        )


_IMMUTABLE = ("ami_type", "capacity_type", "disk_size_gib", "instance_types", "node_role_arn", "subnet_ids")


def _refuse_immutable(spec: NodegroupSpec, group: Nodegroup) -> None:
    for name in _IMMUTABLE:
        want, have = getattr(spec, name), getattr(group, name)
        if want is None or _comparable(want) == _comparable(have):
            continue
        raise EksopsError(
            f"Node group {group.name} has {name} {_shown(have)}, and EKS never changes it to {_shown(want)}",
            where=name,
            allowed=_shown(have),
            next_step="make a node group of another name with the new value, then take this one away (state absent)",
        )


def _config(spec: NodegroupSpec, group: Nodegroup) -> list[Step]:
    """All in one UpdateNodegroupConfig.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateNodegroupConfig.html
    """
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    sizes = [("minSize", "min_size"), ("maxSize", "max_size"), ("desiredSize", "desired_size")]
    if any(getattr(spec, name) not in (None, getattr(group, name)) for name in dict(sizes).values()):
        before["scalingConfig"] = {key: getattr(group, name) for key, name in sizes}
        after["scalingConfig"] = _scaling(spec, group)
    want_update = _update_config(spec)
    have_update = _stated(
        maxUnavailable=group.max_unavailable, maxUnavailablePercentage=group.max_unavailable_percentage
    )
    if want_update and want_update != have_update:
        before["updateConfig"], after["updateConfig"] = have_update, want_update
    for part, change in (("labels", _label_change(spec, group)), ("taints", _taint_change(spec, group))):
        if change:
            have = getattr(group, part)
            before[part], after[part] = list(have) if isinstance(have, tuple) else have, change
    return [Step("update", CONFIG, group.name, before=before, after=after)] if after else []


def _scaling(spec: NodegroupSpec, group: Nodegroup) -> dict[str, int]:
    """The three sizes together. A desired size that is not stated is moved into the new bounds, no further."""
    low = spec.min_size if spec.min_size is not None else int(group.min_size or 0)
    high = spec.max_size if spec.max_size is not None else int(group.max_size or low)
    if low > high:
        raise EksopsError(
            f"Node group {group.name} would have at least {low} and at most {high} nodes",
            where="min_size, max_size",
            allowed="min_size <= max_size",
        )
    desired = spec.desired_size if spec.desired_size is not None else int(group.desired_size or low)
    return {"minSize": low, "maxSize": high, "desiredSize": min(max(desired, low), high)}


def _label_change(spec: NodegroupSpec, group: Nodegroup) -> dict[str, Any]:
    if spec.labels is None:
        return {}
    put = {key: value for key, value in spec.labels.items() if group.labels.get(key) != value}
    drop = sorted(key for key in group.labels if key not in spec.labels)
    return _stated(addOrUpdateLabels=put or None, removeLabels=drop or None)


def _taint_change(spec: NodegroupSpec, group: Nodegroup) -> dict[str, Any]:
    if spec.taints is None:
        return {}
    put = [taint for taint in spec.taints if taint not in group.taints]
    kept = {(taint["key"], taint["effect"]) for taint in spec.taints}
    drop = [taint for taint in group.taints if (taint["key"], taint["effect"]) not in kept]
    return _stated(addOrUpdateTaints=put or None, removeTaints=drop or None)


def _notices(spec: NodegroupSpec, group: Nodegroup) -> tuple[str, ...]:
    if spec.release_version and spec.release_version != group.release_version:
        return (
            f"Node group {group.name} runs AMI release {group.release_version}, {spec.release_version} is stated:"
            " playbook rotate_amis.yml moves it, this run does not.",
        )
    return ()


def _update_config(spec: NodegroupSpec) -> dict[str, int]:
    return _stated(maxUnavailable=spec.max_unavailable, maxUnavailablePercentage=spec.max_unavailable_percentage)


def _stated(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _list(value: tuple[Any, ...] | None) -> list[Any] | None:
    return None if value is None else list(value)


def _comparable(value: Any) -> Any:
    return frozenset(value) if isinstance(value, tuple) else value


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)
