# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the writing modules would do, told in advance by one read. Pure: standard library only. Private.

The plans are those of the modules themselves, so a caller may leave a module out when its plan needs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from .._core.plan import Plan
from .._eks.common import known_keys, unique
from .._eks_access_entries.model import EntrySpec
from .._eks_access_entries.plan import present_plan as entries_plan
from .._eks_access_entries.plan import refuse_mode
from .._eks_addons.model import AddonSpec, Catalog
from .._eks_addons.plan import present_plan as addons_plan
from .._eks_addons.plan import unsettled
from .._eks_cluster.model import ClusterSpec
from .._eks_cluster.plan import present_plan as cluster_plan
from .._eks_nodegroup.model import NodegroupSpec
from .._eks_nodegroup.plan import present_plan as nodegroup_plan
from .._eks_pod_identity.model import AssociationSpec
from .._eks_pod_identity.plan import present_plan as associations_plan
from .model import Whole

PARTS = ("cluster", "nodegroups", "addons", "access_entries", "pod_identity_associations")


@dataclass(frozen=True)
class Wanted:
    """All that is wanted of one cluster; a part that is not stated is not compared."""

    cluster: ClusterSpec | None = None
    nodegroups: tuple[NodegroupSpec, ...] | None = None
    addons: tuple[AddonSpec, ...] | None = None
    access_entries: tuple[EntrySpec, ...] | None = None
    pod_identity_associations: tuple[AssociationSpec, ...] | None = None

    @classmethod
    def from_params(cls, name: str, params: Mapping[str, Any], partition: str) -> Wanted:
        """From the option ``wanted``: options of the writing modules. Raises EksopsError for what cannot be meant."""
        known_keys(params, PARTS, "wanted")
        found: dict[str, Any] = {}
        if params.get("cluster") is not None:
            known_keys(params["cluster"], _names(ClusterSpec), "wanted.cluster")
            found["cluster"] = ClusterSpec.from_params({**params["cluster"], "name": name})
        if params.get("nodegroups") is not None:
            found["nodegroups"] = _nodegroups(name, params["nodegroups"])
        if params.get("addons") is not None:
            found["addons"] = AddonSpec.many(params["addons"])
        if params.get("access_entries") is not None:
            found["access_entries"] = EntrySpec.many(params["access_entries"], partition)
        if params.get("pod_identity_associations") is not None:
            found["pod_identity_associations"] = AssociationSpec.many(params["pod_identity_associations"])
        return cls(**found)


def plans(wanted: Wanted, have: Whole) -> dict[str, dict[str, Any]]:
    """By part: would_change, plan, notices, and ``needed``: whether the module has to run, be it only to wait.

    Raises the errors that the modules would raise, before anything is written.
    """
    cluster = have.cluster
    found = {part: _answer(Plan(), []) for part in PARTS}
    if wanted.cluster is not None:
        waiting = [cluster.name] if cluster and cluster.status != "ACTIVE" else []
        found["cluster"] = _answer(cluster_plan(wanted.cluster, cluster, have.resource_tags), waiting)
    if wanted.nodegroups is not None:
        found["nodegroups"] = _nodegroup_answer(wanted.nodegroups, have)
    if wanted.addons is not None:
        # Exact versions are the module's business; whether it has to run shows without them.
        plan = addons_plan(wanted.addons, have.addons, Catalog())
        found["addons"] = _answer(plan, unsettled(wanted.addons, have.addons))
    if wanted.access_entries is not None:
        refuse_mode(cluster.authentication_mode if cluster else None)
        found["access_entries"] = _answer(entries_plan(wanted.access_entries, have.access_entries), [])
    if wanted.pod_identity_associations is not None:
        plan = associations_plan(wanted.pod_identity_associations, have.associations)
        found["pod_identity_associations"] = _answer(plan, [])
    return found


def _nodegroups(cluster_name: str, items: Iterable[Mapping[str, Any]]) -> tuple[NodegroupSpec, ...]:
    specs = []
    for item in items:
        known_keys(item, _names(NodegroupSpec), "wanted.nodegroups")
        specs.append(NodegroupSpec.from_params({**item, "cluster_name": cluster_name}))
    unique((spec.name for spec in specs), "wanted.nodegroups")
    return tuple(specs)


def _nodegroup_answer(specs: tuple[NodegroupSpec, ...], have: Whole) -> dict[str, Any]:
    plan = Plan()
    waiting = []
    for spec in specs:
        group = have.nodegroups.get(spec.name)
        plan += nodegroup_plan(spec, group)
        if group is not None and group.status != "ACTIVE":
            waiting.append(group.name)
    return _answer(plan, waiting)


def _answer(plan: Plan, waiting: list[str]) -> dict[str, Any]:
    return {
        "would_change": plan.changed,
        "needed": plan.changed or bool(waiting),
        "waiting_for": waiting,
        "plan": plan.as_dicts(),
        "notices": list(plan.notices),
    }


def _names(spec: type[Any]) -> list[str]:
    return [item.name for item in fields(spec)]
