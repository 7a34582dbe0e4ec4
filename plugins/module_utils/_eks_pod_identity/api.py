# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Writes to pod identity associations, one call each. Private to the collection."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from .._eks.api import EksReads
from .._eks.common import request_token


class AssociationApi(EksReads):
    """Reads and writes of the pod identity associations of one cluster."""

    def create(self, namespace: str, service_account: str, request: dict[str, Any], cluster_created_at: Any) -> None:
        """CreatePodIdentityAssociation. The hour is in the token, so that one made anew is no repetition."""
        hour = datetime.now(UTC).strftime("%Y-%m-%dT%H")
        subject = [self.client.region, self.cluster_name, namespace, service_account, request]
        token = request_token("CreatePodIdentityAssociation", subject, [str(cluster_created_at), hour])
        self.client.call(
            "create_pod_identity_association",
            clusterName=self.cluster_name,
            namespace=namespace,
            serviceAccount=service_account,
            clientRequestToken=token,
            **request,
        )

    def change(self, association_id: str, request: dict[str, Any], modified_at: Any) -> None:
        """UpdatePodIdentityAssociation."""
        subject = [self.client.region, self.cluster_name, association_id, request]
        token = request_token("UpdatePodIdentityAssociation", subject, str(modified_at))
        self.client.call(
            "update_pod_identity_association",
            clusterName=self.cluster_name,
            associationId=association_id,
            clientRequestToken=token,
            **request,
        )

    def delete(self, association_id: str) -> None:
        """DeletePodIdentityAssociation; one that is gone already is fine."""
        self.client.find("delete_pod_identity_association", clusterName=self.cluster_name, associationId=association_id)

    def tag(self, arn: str, tags: dict[str, str]) -> None:
        """TagResource of EKS."""
        self.client.call("tag_resource", resourceArn=arn, tags=tags)
