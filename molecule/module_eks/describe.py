"""Prints what EKS and EC2 say about a cluster, as JSON: a look that shares no code with the modules.

Arguments: name of the cluster, region. Credentials and endpoint come from the environment.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import boto3


def main() -> None:
    """Print the description; without a cluster, null."""
    name, region = sys.argv[1:]
    eks = boto3.client("eks", region_name=region)
    if name not in eks.list_clusters()["clusters"]:
        print("null")
        return
    found: dict[str, Any] = {"cluster": eks.describe_cluster(name=name)["cluster"]}
    found["nodegroups"] = [
        eks.describe_nodegroup(clusterName=name, nodegroupName=group)["nodegroup"]
        for group in eks.list_nodegroups(clusterName=name)["nodegroups"]
    ]
    found["addons"] = [
        eks.describe_addon(clusterName=name, addonName=addon)["addon"]
        for addon in eks.list_addons(clusterName=name)["addons"]
    ]
    found["access_entries"] = [
        eks.describe_access_entry(clusterName=name, principalArn=arn)["accessEntry"]
        for arn in eks.list_access_entries(clusterName=name)["accessEntries"]
    ]
    found["associations"] = eks.list_pod_identity_associations(clusterName=name)["associations"]
    tags = boto3.client("ec2", region_name=region).describe_tags(
        Filters=[{"Name": "key", "Values": ["karpenter.sh/discovery"]}, {"Name": "value", "Values": [name]}]
    )["Tags"]
    found["discovered"] = sorted(row["ResourceId"] for row in tags)
    print(json.dumps(found, default=str))


if __name__ == "__main__":
    main()
