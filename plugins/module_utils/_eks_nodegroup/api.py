# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Writes to a managed node group, one call each. Private to the collection."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from .._eks.api import EksReads
from .._eks.common import request_token


class NodegroupApi(EksReads):
    """Reads and writes of the node groups of one cluster."""

    def create(self, request: dict[str, Any], cluster_created_at: Any) -> None:
        """CreateNodegroup. The hour is in the token, so that a group made anew after a deletion is no repetition."""
        hour = datetime.now(UTC).strftime("%Y-%m-%dT%H")
        token = request_token("CreateNodegroup", [self.client.region, request], [str(cluster_created_at), hour])
        self.client.call("create_nodegroup", **request, clientRequestToken=token)

    def update_config(self, name: str, change: dict[str, Any]) -> str:
        """UpdateNodegroupConfig; returns the id of the update."""
        made = self.update_ids(nodegroupName=name)
        token = request_token("UpdateNodegroupConfig", [self.client.region, self.cluster_name, name, change], made)
        answer = self.client.call(
            "update_nodegroup_config",
            clusterName=self.cluster_name,
            nodegroupName=name,
            clientRequestToken=token,
            **change,
        )
        return str(answer["update"]["id"])

    def delete(self, name: str) -> None:
        """DeleteNodegroup; a group that is gone already is fine."""
        self.client.find("delete_nodegroup", clusterName=self.cluster_name, nodegroupName=name)

    def tag(self, arn: str, put: dict[str, str], drop: Sequence[str]) -> None:
        """TagResource and UntagResource of EKS."""
        if put:
            self.client.call("tag_resource", resourceArn=arn, tags=put)
        if drop:
            self.client.call("untag_resource", resourceArn=arn, tagKeys=list(drop))
