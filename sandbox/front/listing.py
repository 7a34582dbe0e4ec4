"""Everything that an account has, by service, as its API shows it: to tell an account before from the one after.

Left out is what AWS gives every account (default VPCs, public images), what is over (terminated instances, deleted
stacks) and the sandbox's administrator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Client = Callable[[str, str], Any]
Found = dict[str, list[str]]
#: Kinds of which a default VPC has its own: operation, result, key.
_PARTS_OF_VPCS = {
    "ec2:subnet": ("describe_subnets", "Subnets", "SubnetId"),
    "ec2:route-table": ("describe_route_tables", "RouteTables", "RouteTableId"),
    "ec2:network-acl": ("describe_network_acls", "NetworkAcls", "NetworkAclId"),
}


def listing(client: Client, regions: Iterable[str]) -> dict[str, Found]:
    """Resources by region (``global`` for IAM) and kind; ``client(service, region)`` gives boto3 clients. Blocks."""
    found = {"global": _named(_iam(client("iam", "us-east-1")))}
    for region in sorted(regions):
        parts = _ec2(client("ec2", region)) | _stacks(client("cloudformation", region))
        parts |= _messages(client("sqs", region), client("events", region)) | _eks(client("eks", region))
        parts |= _balancers(client("elb", region), client("elbv2", region))
        parts["logs:log-group"] = _pages(client("logs", region), "describe_log_groups", "logGroups", "logGroupName")
        parts["ssm:parameter"] = _pages(client("ssm", region), "describe_parameters", "Parameters", "Name")
        found[region] = _named(parts)
    return found


def _named(parts: dict[str, list[str]]) -> Found:
    return {kind: sorted(names) for kind, names in sorted(parts.items()) if names}


def _pages(client: Any, operation: str, result: str, key: str | None, **parameters: Any) -> list[str]:
    items: list[Any] = []
    if client.can_paginate(operation):
        for page in client.get_paginator(operation).paginate(**parameters):
            items += page.get(result) or []
    else:
        items = getattr(client, operation)(**parameters).get(result) or []
    return [str(item[key]) if key else str(item) for item in items]


def _iam(iam: Any) -> dict[str, list[str]]:
    users = [name for name in _pages(iam, "list_users", "Users", "UserName") if name != "admin"]
    return {
        "iam:role": _pages(iam, "list_roles", "Roles", "Arn"),
        "iam:policy": _pages(iam, "list_policies", "Policies", "Arn", Scope="Local"),
        "iam:instance-profile": _pages(iam, "list_instance_profiles", "InstanceProfiles", "Arn"),
        "iam:user": users,
        "iam:group": _pages(iam, "list_groups", "Groups", "Arn"),
        "iam:oidc-provider": _pages(iam, "list_open_id_connect_providers", "OpenIDConnectProviderList", "Arn"),
    }


def _ec2(ec2: Any) -> dict[str, list[str]]:
    default = {vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"] if vpc["IsDefault"]}
    live = [{"Name": "instance-state-name", "Values": ["pending", "running", "shutting-down", "stopping", "stopped"]}]
    reservations = ec2.get_paginator("describe_instances").paginate(Filters=live)
    found = {
        "ec2:instance": [
            one["InstanceId"] for page in reservations for group in page["Reservations"] for one in group["Instances"]
        ],
        "ec2:vpc": [vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"] if vpc["VpcId"] not in default],
        "ec2:security-group": [
            group["GroupId"]
            for group in ec2.describe_security_groups()["SecurityGroups"]
            if not (group.get("VpcId") in default and group["GroupName"] == "default")
        ],
        "ec2:launch-template": _pages(ec2, "describe_launch_templates", "LaunchTemplates", "LaunchTemplateId"),
        "ec2:volume": _pages(ec2, "describe_volumes", "Volumes", "VolumeId"),
        "ec2:snapshot": _pages(ec2, "describe_snapshots", "Snapshots", "SnapshotId", OwnerIds=["self"]),
        "ec2:image": _pages(ec2, "describe_images", "Images", "ImageId", Owners=["self"]),
        "ec2:network-interface": _pages(ec2, "describe_network_interfaces", "NetworkInterfaces", "NetworkInterfaceId"),
        "ec2:internet-gateway": [
            one["InternetGatewayId"]
            for one in ec2.describe_internet_gateways()["InternetGateways"]
            if not {attached["VpcId"] for attached in one.get("Attachments") or []} & default
        ],
        "ec2:address": _pages(ec2, "describe_addresses", "Addresses", "AllocationId"),
        "ec2:nat-gateway": [
            one["NatGatewayId"] for one in ec2.describe_nat_gateways()["NatGateways"] if one["State"] != "deleted"
        ],
        "ec2:vpc-endpoint": [
            one["VpcEndpointId"] for one in ec2.describe_vpc_endpoints()["VpcEndpoints"] if one["State"] != "deleted"
        ],
        "ec2:key-pair": _pages(ec2, "describe_key_pairs", "KeyPairs", "KeyName"),
    }
    for kind, (operation, result, key) in _PARTS_OF_VPCS.items():
        items = getattr(ec2, operation)()[result]
        found[kind] = [item[key] for item in items if item["VpcId"] not in default]
    return found | {"ec2:tag": _tags(ec2)}


def _tags(ec2: Any) -> list[str]:
    """Tags, too, on what stays: a discovery tag left on a given subnet is a leftover."""
    # What EC2 still describes for a while after its deletion, tags included.
    gone = {"instance", "natgateway", "vpc-endpoint", "fleet"}
    return [
        f"{tag['ResourceId']} {tag['Key']}={tag.get('Value', '')}"
        for page in ec2.get_paginator("describe_tags").paginate()
        for tag in page["Tags"]
        if tag.get("ResourceType") not in gone
    ]


def _stacks(cloudformation: Any) -> dict[str, list[str]]:
    stacks = [
        stack["StackId"]
        for page in cloudformation.get_paginator("list_stacks").paginate()
        for stack in page["StackSummaries"]
        if stack["StackStatus"] != "DELETE_COMPLETE"
    ]
    sets = [
        change_set["ChangeSetId"]
        for stack in stacks
        for change_set in cloudformation.list_change_sets(StackName=stack)["Summaries"]
    ]
    return {"cloudformation:stack": stacks, "cloudformation:change-set": sets}


def _messages(sqs: Any, events: Any) -> dict[str, list[str]]:
    rules = [rule["Name"] for rule in events.list_rules()["Rules"]]
    return {"sqs:queue": sqs.list_queues().get("QueueUrls") or [], "events:rule": rules}


def _balancers(classic: Any, second: Any) -> dict[str, list[str]]:
    names = _pages(classic, "describe_load_balancers", "LoadBalancerDescriptions", "LoadBalancerName")
    arns = _pages(second, "describe_load_balancers", "LoadBalancers", "LoadBalancerArn")
    return {
        "elasticloadbalancing:load-balancer": [*names, *arns],
        "elasticloadbalancing:target-group": _pages(second, "describe_target_groups", "TargetGroups", "TargetGroupArn"),
    }


def _eks(eks: Any) -> dict[str, list[str]]:
    """Clusters with what hangs on them. Without an EKS service there is nothing of it."""
    try:
        clusters = _pages(eks, "list_clusters", "clusters", None)
    except eks.exceptions.ClientError as error:
        if error.response["Error"]["Code"] == "NotImplementedException":
            return {}
        raise
    found: dict[str, list[str]] = {"eks:cluster": clusters}
    parts = {
        "eks:nodegroup": ("list_nodegroups", "nodegroups"),
        "eks:addon": ("list_addons", "addons"),
        "eks:access-entry": ("list_access_entries", "accessEntries"),
    }
    for kind, (operation, result) in parts.items():
        found[kind] = [
            f"{cluster}/{name}"
            for cluster in clusters
            for name in _pages(eks, operation, result, None, clusterName=cluster)
        ]
    # By what it is for, so that one that was made again is the same: ids are new each time.
    listed = eks.get_paginator("list_pod_identity_associations")
    found["eks:pod-identity-association"] = [
        f"{cluster}/{one['namespace']}/{one['serviceAccount']}"
        for cluster in clusters
        for page in listed.paginate(clusterName=cluster)
        for one in page["associations"]
    ]
    return found
