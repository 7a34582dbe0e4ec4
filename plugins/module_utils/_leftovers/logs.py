# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The control plane's logs, which stay when a cluster is deleted. Private to the collection."""

from __future__ import annotations

from typing import Any

from .._aws.client import Client
from .model import Leftover, Scope


def log_leftovers(client: Client, scope: Scope) -> list[Leftover]:
    """The cluster's log group: kept by design, since it may be all that tells what happened.

    EKS makes it when a type of logs is switched on, and never deletes it:
    https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html. The API lists by prefix:
    https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeLogGroups.html
    """
    found = client.pages("describe_log_groups", "logGroups", logGroupNamePrefix=scope.log_group)
    return [_group(item) for item in found if item["logGroupName"] == scope.log_group]


def _group(item: dict[str, Any]) -> Leftover:
    name = str(item["logGroupName"])
    days = item.get("retentionInDays")
    kept_for = f"for {days} days" if days else "for ever"
    return Leftover(
        "log-group",
        name,
        "its name",
        f"aws logs delete-log-group --log-group-name {name}, once nobody needs the logs "
        "(in role eks_sweep: eks_sweep_delete_log_group)",
        name=name,
        state=f"{item.get('storedBytes', 0)} bytes, entries kept {kept_for}",
        kept=True,
    )
