# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""A cluster with everything that belongs to it. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._eks_access_entries.model import Entry
from .._eks_addons.model import Addon
from .._eks_cluster.model import Cluster
from .._eks_nodegroup.model import Nodegroup
from .._eks_pod_identity.model import Association, Key


@dataclass(frozen=True)
class Whole:
    """A cluster, its node groups, add-ons, access entries and pod identity associations.

    :ivar resource_tags: tags of subnets and security groups, by id, as far as they were asked for.
    """

    cluster: Cluster | None = None
    nodegroups: Mapping[str, Nodegroup] = field(default_factory=dict)
    addons: Mapping[str, Addon] = field(default_factory=dict)
    access_entries: Mapping[str, Entry] = field(default_factory=dict)
    associations: Mapping[Key, Association] = field(default_factory=dict)
    resource_tags: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """As the module returns it: the cluster of eks_cluster, and under it what the other modules return."""
        if self.cluster is None:
            return {}
        return {
            **self.cluster.as_dict(),
            "nodegroups": [self.nodegroups[key].as_dict() for key in sorted(self.nodegroups)],
            "addons": [self.addons[key].as_dict() for key in sorted(self.addons)],
            "access_entries": [self.access_entries[key].as_dict() for key in sorted(self.access_entries)],
            "pod_identity_associations": [self.associations[key].as_dict() for key in sorted(self.associations)],
        }
