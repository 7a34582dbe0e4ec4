# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""One coarse read of clusters: the module eks_cluster_info without its options. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from .._aws.client import Aws, side_by_side
from .._eks_access_entries.model import Entry
from .._eks_addons.model import Addon
from .._eks_cluster.api import ClusterApi
from .._eks_cluster.model import Cluster
from .._eks_nodegroup.model import Nodegroup
from .._eks_pod_identity.model import Association
from .model import Whole
from .plan import Wanted, plans


def run(aws: Aws, name: str | None, wanted: Mapping[str, Any] | None, partition: str) -> dict[str, Any]:
    """Read one cluster, or all of the region; with ``wanted`` also what the modules would do.

    Returns what the module returns. Raises EksopsError.
    """
    names = [name] if name else sorted(aws.client("eks").pages("list_clusters", "clusters"))
    goal = Wanted.from_params(name, wanted, partition) if name and wanted is not None else None
    found = [whole for each in names if (whole := read(aws, each, goal)).cluster is not None]
    result: dict[str, Any] = {"changed": False, "clusters": [whole.as_dict() for whole in found], "plans": None}
    if goal is not None:
        result["plans"] = plans(goal, found[0] if found else Whole(resource_tags=_tags(aws, str(name), goal, None)))
    return result


def read(aws: Aws, name: str, wanted: Wanted | None = None) -> Whole:
    """One cluster with everything that belongs to it, calls side by side; without a cluster the Whole is empty."""
    api = ClusterApi(aws.client("eks"), name, partial(aws.client, "ec2"))
    raw = api.cluster()
    if raw is None:
        return Whole()
    cluster = Cluster.from_api(raw)
    # A cluster of mode CONFIG_MAP refuses to list access entries.
    entries = api.access_entries if cluster.authentication_mode != "CONFIG_MAP" else dict
    parts = side_by_side(
        {"nodegroups": api.nodegroups, "addons": api.addons, "entries": entries, "associations": api.associations}
    )
    associations = [Association.from_api(item) for item in parts["associations"].values()]
    return Whole(
        cluster=cluster,
        nodegroups={key: Nodegroup.from_api(item) for key, item in parts["nodegroups"].items()},
        addons={key: Addon.from_api(item) for key, item in parts["addons"].items()},
        access_entries={key: Entry.from_api(item) for key, item in parts["entries"].items()},
        associations={item.key: item for item in associations},
        resource_tags=_tags(aws, name, wanted, cluster),
    )


def _tags(aws: Aws, name: str, wanted: Wanted | None, cluster: Cluster | None) -> dict[str, dict[str, str]]:
    spec = wanted.cluster if wanted else None
    if spec is None or not spec.discovery_tags:
        return {}
    group = cluster.cluster_security_group_id if cluster else None
    resources = [*(spec.discovery_subnet_ids or ()), *([group] if group else [])]
    return ClusterApi(aws.client("eks"), name, partial(aws.client, "ec2")).resource_tags(resources)
