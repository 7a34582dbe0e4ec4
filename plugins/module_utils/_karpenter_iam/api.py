# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The IAM, SQS and EventBridge reads. Private to the collection."""

from __future__ import annotations

from typing import Any

from .._aws.client import Client
from .._leftovers.services import is_profile_tagged
from .model import Policy, Profile, Role, trusted_services


def find_role(client: Client, name: str) -> Role | None:
    """A role with its attached policies, None when it does not exist."""
    answer = client.find("get_role", RoleName=name)
    if answer is None:
        return None
    role = answer["Role"]
    attached = client.pages("list_attached_role_policies", "AttachedPolicies", RoleName=name)
    return Role(
        name=role["RoleName"],
        arn=role["Arn"],
        trusted_services=trusted_services(role["AssumeRolePolicyDocument"]),
        attached_policies=tuple(item["PolicyArn"] for item in attached),
    )


def find_policy(client: Client, arn: str) -> Policy | None:
    """A managed policy with its holders, None when it does not exist."""
    answer = client.find("get_policy", PolicyArn=arn)
    if answer is None:
        return None
    holders: list[str] = []
    for kind, key in (("role", "PolicyRoles"), ("user", "PolicyUsers"), ("group", "PolicyGroups")):
        names = client.pages("list_entities_for_policy", key, PolicyArn=arn, EntityFilter=kind.capitalize())
        holders += [f"{kind} {item[kind.capitalize() + 'Name']}" for item in names]
    return Policy(name=answer["Policy"]["PolicyName"], arn=arn, holders=tuple(holders))


def find_profiles(client: Client, cluster: str, region: str, node_role: str) -> list[Profile]:
    """The profiles below the cluster's path, and those that hold the node role."""
    prefix = f"/karpenter/{region}/{cluster}/"
    found = {
        item["Arn"]: item for item in client.pages("list_instance_profiles", "InstanceProfiles", PathPrefix=prefix)
    }
    holding = client.find("list_instance_profiles_for_role", RoleName=node_role)
    found |= {item["Arn"]: item for item in (holding or {}).get("InstanceProfiles", [])}
    return [_profile(client, cluster, prefix, found[arn]) for arn in sorted(found)]


def _profile(client: Client, cluster: str, prefix: str, item: dict[str, Any]) -> Profile:
    own = item["Path"].startswith(prefix)
    if not own:
        listed = client.find("list_instance_profile_tags", InstanceProfileName=item["InstanceProfileName"])
        own = is_profile_tagged(cluster, {tag["Key"]: tag["Value"] for tag in (listed or {}).get("Tags", [])})
    return Profile(
        name=item["InstanceProfileName"],
        arn=item["Arn"],
        path=item["Path"],
        roles=tuple(role["RoleName"] for role in item.get("Roles", [])),
        own=own,
    )


def find_queue_url(client: Client, name: str) -> str | None:
    """The URL of a queue, None when it does not exist."""
    answer = client.find("get_queue_url", QueueName=name)
    return None if answer is None else str(answer["QueueUrl"])


def rules_to(client: Client, queue_arn: str) -> list[str]:
    """The names of the rules that send to a queue."""
    answer = client.find("list_rule_names_by_target", TargetArn=queue_arn)
    return sorted((answer or {}).get("RuleNames", []))
