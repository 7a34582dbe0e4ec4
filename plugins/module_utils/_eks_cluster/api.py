# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Writes to an EKS cluster and its discovery tags, one call each. Private to the collection."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from .._aws.client import Client
from .._core.plan import Step
from .._eks.api import EksReads
from .._eks.common import request_token
from .plan import update_request


class ClusterApi(EksReads):
    """Reads and writes of one cluster.

    :param ec2: gives the EC2 client when, and only when, tags of subnets and groups are concerned: it costs
        0.3 CPU-seconds to make.
    """

    def __init__(self, client: Client, cluster_name: str, ec2: Any) -> None:
        super().__init__(client, cluster_name)
        self._ec2 = ec2

    def create(self, request: dict[str, Any]) -> None:
        """CreateCluster. The hour is in the token, so that a cluster made anew after a deletion is no repetition."""
        hour = datetime.now(UTC).strftime("%Y-%m-%dT%H")
        token = request_token("CreateCluster", [self.client.region, request], hour)
        self.client.call("create_cluster", **request, clientRequestToken=token)

    def update_config(self, step: Step) -> str:
        """UpdateClusterConfig; returns the id of the update."""
        request = update_request(step)
        token = request_token("UpdateClusterConfig", [self.client.region, step.name, request], self.update_ids())
        answer = self.client.call("update_cluster_config", name=step.name, **request, clientRequestToken=token)
        return str(answer["update"]["id"])

    def delete(self) -> None:
        """DeleteCluster; a cluster that is gone already is fine."""
        self.client.find("delete_cluster", name=self.cluster_name)

    def tag(self, arn: str, put: dict[str, str], drop: Sequence[str]) -> None:
        """TagResource and UntagResource of EKS."""
        if put:
            self.client.call("tag_resource", resourceArn=arn, tags=put)
        if drop:
            self.client.call("untag_resource", resourceArn=arn, tagKeys=list(drop))

    def resource_tags(self, resources: Sequence[str]) -> dict[str, dict[str, str]]:
        """Tags of subnets and security groups by resource id.

        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeTags.html
        """
        if not resources:
            return {}
        filters = [{"Name": "resource-id", "Values": list(resources)}]
        found: dict[str, dict[str, str]] = {}
        for row in self._ec2().pages("describe_tags", "Tags", Filters=filters):
            found.setdefault(row["ResourceId"], {})[row["Key"]] = row["Value"]
        return found

    def tag_resources(self, resources: Sequence[str], tags: dict[str, str]) -> None:
        """CreateTags of EC2."""
        self._ec2().call("create_tags", Resources=list(resources), Tags=_pairs(tags))

    def untag_resources(self, resources: Sequence[str], tags: dict[str, str]) -> None:
        """DeleteTags of EC2: key and value have to match.

        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteTags.html
        """
        self._ec2().call("delete_tags", Resources=list(resources), Tags=_pairs(tags))


def _pairs(tags: dict[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]
