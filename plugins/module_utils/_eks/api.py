# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Reads of the EKS API, one call each. Private to the collection.

https://docs.aws.amazon.com/eks/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from .._aws.client import Client, side_by_side
from .._aws.errors import AwsError
from .._core.errors import EksopsError


class EksReads:
    """What may be asked about one cluster; None means that EKS does not know it.

    :param client: the client of service ``eks``. :param cluster_name: the cluster.
    """

    def __init__(self, client: Client, cluster_name: str) -> None:
        self.client = client
        self.cluster_name = cluster_name

    def cluster(self) -> dict[str, Any] | None:
        """DescribeCluster."""
        return _part(self.client.find("describe_cluster", name=self.cluster_name), "cluster")

    def existing_cluster(self) -> dict[str, Any]:
        """DescribeCluster of a cluster that has to be there. Raises EksopsError when it is not."""
        found = self.cluster()
        if found is None:
            raise missing_cluster(self.cluster_name, self.client.region)
        return found

    def nodegroup(self, name: str) -> dict[str, Any] | None:
        """DescribeNodegroup."""
        answer = self.client.find("describe_nodegroup", clusterName=self.cluster_name, nodegroupName=name)
        return _part(answer, "nodegroup")

    def nodegroups(self) -> dict[str, dict[str, Any]]:
        """All node groups by name."""
        names = self._names("list_nodegroups", "nodegroups")
        return _found({name: partial(self.nodegroup, name) for name in names})

    def addon(self, name: str) -> dict[str, Any] | None:
        """DescribeAddon."""
        return _part(self.client.find("describe_addon", clusterName=self.cluster_name, addonName=name), "addon")

    def addons(self) -> dict[str, dict[str, Any]]:
        """All add-ons by name."""
        names = self._names("list_addons", "addons")
        return _found({name: partial(self.addon, name) for name in names})

    def access_entry(self, principal_arn: str) -> dict[str, Any] | None:
        """DescribeAccessEntry, with the associated policies under ``policies``."""
        where = {"clusterName": self.cluster_name, "principalArn": principal_arn}
        entry = _part(self.client.find("describe_access_entry", **where), "accessEntry")
        if entry is None:
            return None
        policies = self.client.pages("list_associated_access_policies", "associatedAccessPolicies", **where)
        return {**entry, "policies": policies}

    def access_entries(self) -> dict[str, dict[str, Any]]:
        """All access entries by the principal's ARN."""
        arns = self._names("list_access_entries", "accessEntries")
        return _found({arn: partial(self.access_entry, arn) for arn in arns})

    def association(self, association_id: str) -> dict[str, Any] | None:
        """DescribePodIdentityAssociation."""
        answer = self.client.find(
            "describe_pod_identity_association", clusterName=self.cluster_name, associationId=association_id
        )
        return _part(answer, "association")

    def associations(self) -> dict[str, dict[str, Any]]:
        """All pod identity associations by id."""
        rows = self._names("list_pod_identity_associations", "associations")
        ids = [row["associationId"] for row in rows]
        return _found({key: partial(self.association, key) for key in ids})

    def update(self, update_id: str, **what: str) -> dict[str, Any] | None:
        """DescribeUpdate. ``what``: nodegroupName or addonName, unless it is the cluster's own update."""
        answer = self.client.find("describe_update", name=self.cluster_name, updateId=update_id, **what)
        return _part(answer, "update")

    def update_ids(self, **what: str) -> list[str]:
        """ListUpdates: the ids, which grow with every update made."""
        return sorted(self.client.pages("list_updates", "updateIds", name=self.cluster_name, **what))

    def _names(self, operation: str, key: str) -> list[Any]:
        try:
            return self.client.pages(operation, key, clusterName=self.cluster_name)
        except AwsError as error:
            # A cluster that vanishes between two calls has nothing any more.
            if error.kind != "not_found":
                raise
            return []


def missing_cluster(name: str, region: str | None) -> EksopsError:
    """The error about a cluster that should be there."""
    return EksopsError(
        f"There is no EKS cluster {name} in {region}",
        where="cluster_name",
        next_step="check region, account and name, or create it with eks_cluster (site.yml)",
    )


def _part(answer: dict[str, Any] | None, key: str) -> dict[str, Any] | None:
    return None if answer is None else answer[key]


def _found(jobs: Mapping[str, Callable[[], dict[str, Any] | None]]) -> dict[str, dict[str, Any]]:
    # What vanishes between the listing and its description is gone, no error.
    return {name: value for name, value in side_by_side(jobs).items() if value is not None}
