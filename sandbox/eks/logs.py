"""The log group of a cluster's control plane. Nothing is written into it, but it is there, and it stays.

https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
"""

from __future__ import annotations

from botocore.exceptions import ClientError

from sandbox.eks.context import Context
from sandbox.eks.model import Cluster


def group_name(cluster: str) -> str:
    """Where EKS sends a cluster's logs."""
    return f"/aws/eks/{cluster}/cluster"


async def ensure_group(context: Context, cluster: Cluster) -> None:
    """Make the group when a type of logs is on. EKS never deletes it, not even with the cluster."""
    if not cluster.log_types:
        return
    try:
        await context.call("logs", cluster, "create_log_group", logGroupName=group_name(cluster.name))
    except ClientError as error:
        if error.response["Error"]["Code"] != "ResourceAlreadyExistsException":
            raise
