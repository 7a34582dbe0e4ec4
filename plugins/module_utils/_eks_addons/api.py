# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Writes to add-ons, one call each. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from .._aws.client import side_by_side
from .._aws.errors import AwsError
from .._eks.api import EksReads
from .._eks.common import request_token
from .model import Catalog


class AddonApi(EksReads):
    """Reads and writes of the add-ons of one cluster."""

    def catalog(self, kubernetes_version: str, names: Iterable[str]) -> Catalog:
        """DescribeAddonVersions of each add-on, side by side."""
        rows = side_by_side({name: partial(self._versions, kubernetes_version, name) for name in names})
        return Catalog.from_api(kubernetes_version, [row for found in rows.values() for row in found])

    def _versions(self, kubernetes_version: str, name: str) -> list[Any]:
        where = {"kubernetesVersion": kubernetes_version, "addonName": name}
        try:
            return self.client.pages("describe_addon_versions", "addons", **where)
        except AwsError as error:
            # An add-on that nobody offers is for the plan to refuse, with the others in one place.
            if error.kind != "not_found":
                raise
            return []

    def create(self, name: str, request: dict[str, Any], cluster_created_at: Any) -> None:
        """CreateAddon. The hour is in the token, so that an add-on made anew after a deletion is no repetition."""
        hour = datetime.now(UTC).strftime("%Y-%m-%dT%H")
        subject = [self.client.region, self.cluster_name, name, request]
        token = request_token("CreateAddon", subject, [str(cluster_created_at), hour])
        self.client.call(
            "create_addon", clusterName=self.cluster_name, addonName=name, clientRequestToken=token, **request
        )

    def change(self, name: str, request: dict[str, Any]) -> str:
        """UpdateAddon; returns the id of the update."""
        subject = [self.client.region, self.cluster_name, name, request]
        token = request_token("UpdateAddon", subject, self.update_ids(addonName=name))
        answer = self.client.call(
            "update_addon", clusterName=self.cluster_name, addonName=name, clientRequestToken=token, **request
        )
        return str(answer["update"]["id"])

    def delete(self, name: str) -> None:
        """DeleteAddon with what it runs in the cluster; an add-on that is gone already is fine."""
        self.client.find("delete_addon", clusterName=self.cluster_name, addonName=name, preserve=False)

    def tag(self, arn: str, tags: dict[str, str]) -> None:
        """TagResource of EKS."""
        self.client.call("tag_resource", resourceArn=arn, tags=tags)
