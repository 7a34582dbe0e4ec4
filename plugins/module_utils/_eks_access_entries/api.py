# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Writes to access entries, one call each. Private to the collection."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from .._eks.api import EksReads
from .._eks.common import request_token


class AccessEntryApi(EksReads):
    """Reads and writes of the access entries of one cluster."""

    def create(self, principal_arn: str, request: dict[str, Any], cluster_created_at: Any) -> None:
        """CreateAccessEntry. The hour is in the token, so that an entry made anew is no repetition."""
        hour = datetime.now(UTC).strftime("%Y-%m-%dT%H")
        subject = [self.client.region, self.cluster_name, principal_arn, request]
        token = request_token("CreateAccessEntry", subject, [str(cluster_created_at), hour])
        self.client.call("create_access_entry", **self._entry(principal_arn), clientRequestToken=token, **request)

    def change(self, principal_arn: str, request: dict[str, Any], modified_at: Any) -> None:
        """UpdateAccessEntry."""
        subject = [self.client.region, self.cluster_name, principal_arn, request]
        token = request_token("UpdateAccessEntry", subject, str(modified_at))
        self.client.call("update_access_entry", **self._entry(principal_arn), clientRequestToken=token, **request)

    def delete(self, principal_arn: str) -> None:
        """DeleteAccessEntry; an entry that is gone already is fine."""
        self.client.find("delete_access_entry", **self._entry(principal_arn))

    def associate(self, principal_arn: str, policy_arn: str, scope: dict[str, Any]) -> None:
        """AssociateAccessPolicy; also changes the scope of one that is associated."""
        entry = self._entry(principal_arn)
        self.client.call("associate_access_policy", **entry, policyArn=policy_arn, accessScope=scope)

    def disassociate(self, principal_arn: str, policy_arn: str) -> None:
        """DisassociateAccessPolicy; one that is gone already is fine."""
        self.client.find("disassociate_access_policy", **self._entry(principal_arn), policyArn=policy_arn)

    def tag(self, arn: str, tags: dict[str, str]) -> None:
        """TagResource of EKS."""
        self.client.call("tag_resource", resourceArn=arn, tags=tags)

    def _entry(self, principal_arn: str) -> dict[str, str]:
        return {"clusterName": self.cluster_name, "principalArn": principal_arn}
