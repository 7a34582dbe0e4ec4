"""What stands in the way of new API servers for a cluster: what it was made with and is no longer there.

https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html#cluster-health-status
https://docs.aws.amazon.com/eks/latest/APIReference/API_ClusterIssue.html
"""

from __future__ import annotations

from typing import Any

from sandbox.eks import iam
from sandbox.eks.context import Context
from sandbox.eks.model import Cluster, Issue

#: https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html
ADDRESSES_FOR_AN_UPDATE = 5


async def issues(context: Context, cluster: Cluster) -> list[Issue]:
    """The issues, as they are now."""
    found = list(cluster.issues)
    found += await _subnets(context, cluster)
    found += await _security_groups(context, cluster)
    if await iam.look_up(context, cluster.role_arn, cluster.region) is None:
        found.append(Issue("IamRoleNotFound", f"The role {cluster.role_arn} does not exist.", [cluster.role_arn]))
    return found


async def _subnets(context: Context, cluster: Cluster) -> list[Issue]:
    found = await _there(context, cluster, "describe_subnets", "Subnets", "subnet-id", cluster.subnet_ids)
    gone = sorted(set(cluster.subnet_ids) - {one["SubnetId"] for one in found})
    if gone:
        return [Issue("Ec2SubnetNotFound", f"The subnets {', '.join(gone)} do not exist.", gone)]
    if sum(one["AvailableIpAddressCount"] for one in found) < ADDRESSES_FOR_AN_UPDATE:
        text = f"The subnets have fewer than {ADDRESSES_FOR_AN_UPDATE} free IP addresses."
        return [Issue("InsufficientFreeAddresses", text, sorted(cluster.subnet_ids))]
    return []


async def _security_groups(context: Context, cluster: Cluster) -> list[Issue]:
    wanted = [*cluster.security_group_ids, *filter(None, [cluster.cluster_security_group_id])]
    found = await _there(context, cluster, "describe_security_groups", "SecurityGroups", "group-id", wanted)
    gone = sorted(set(wanted) - {one["GroupId"] for one in found})
    if gone:
        return [Issue("Ec2SecurityGroupNotFound", f"The security groups {', '.join(gone)} do not exist.", gone)]
    return []


async def _there(
    context: Context, cluster: Cluster, method: str, name: str, key: str, ids: list[str]
) -> list[dict[str, Any]]:
    answer = await context.call("ec2", cluster, method, Filters=[{"Name": key, "Values": ids}])
    found: list[dict[str, Any]] = answer[name]
    return found
