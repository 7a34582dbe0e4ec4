# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What is left of a cluster outside EC2, one function a service. Private to the collection."""

from __future__ import annotations

from .._aws.client import Client
from .._cloudformation.api import find_stack, list_resources
from .._limits.names import POLICY_PARTS, derived_names
from .model import Leftover, Scope
from .tags import is_karpenters


def cluster_leftovers(client: Client, scope: Scope) -> list[Leftover]:
    """The EKS cluster itself."""
    answer = client.find("describe_cluster", name=scope.cluster)
    if answer is None:
        return []
    cluster = answer["cluster"]
    remedy = "run delete_cluster.yml again" if cluster["status"] != "DELETING" else "wait until EKS has deleted it"
    return [Leftover("eks-cluster", cluster["arn"], "its name", remedy, name=cluster["name"], state=cluster["status"])]


def stack_leftovers(client: Client, scope: Scope) -> list[Leftover]:
    """The collection's stacks, with what keeps them."""
    found = []
    names = derived_names(scope.cluster)
    for key in ("stack", "cluster_stack", "network_stack"):
        stack = find_stack(client, names[key])
        if stack is None:
            continue
        stuck = [item for item in list_resources(client, stack.stack_id) if item.status == "DELETE_FAILED"]
        kept = "; ".join(f"{item.logical_id}: {item.reason or item.status}" for item in stuck)
        remedy = f"aws cloudformation delete-stack --stack-name {stack.name}"
        found.append(
            Leftover(
                "stack",
                stack.stack_id,
                "its name" + (f"; kept by {kept}" if kept else ""),
                remedy,
                name=stack.name,
                state=stack.status,
            )
        )
    return found


def role_leftovers(client: Client, scope: Scope) -> list[Leftover]:
    """Karpenter's node role and controller role."""
    names = derived_names(scope.cluster)
    found = []
    for key in ("node_role", "controller_role"):
        answer = client.find("get_role", RoleName=names[key])
        if answer is not None:
            role = answer["Role"]
            remedy = f"detach its policies, then aws iam delete-role --role-name {role['RoleName']}"
            found.append(Leftover("iam-role", role["Arn"], "its name", remedy, name=role["RoleName"]))
    return found


def policy_leftovers(client: Client, scope: Scope) -> list[Leftover]:
    """The six controller policies, and the single one of older Karpenter releases."""
    found = []
    for part in (*POLICY_PARTS, ""):
        name = f"KarpenterController{part}Policy-{scope.cluster}"
        arn = f"arn:{scope.partition}:iam::{scope.account}:policy/{name}"
        answer = client.find("get_policy", PolicyArn=arn)
        if answer is not None:
            attached = answer["Policy"].get("AttachmentCount", 0)
            remedy = f"{'detach it, then ' if attached else ''}aws iam delete-policy --policy-arn {arn}"
            found.append(Leftover("iam-policy", arn, "its name", remedy, name=name, state=f"attachments: {attached}"))
    return found


def profile_leftovers(client: Client, scope: Scope) -> list[Leftover]:
    """Instance profiles below Karpenter's path for the cluster, and those that hold its node role."""
    below = client.pages("list_instance_profiles", "InstanceProfiles", PathPrefix=scope.profile_path)
    holding = client.find("list_instance_profiles_for_role", RoleName=derived_names(scope.cluster)["node_role"])
    profiles = {item["Arn"]: item for item in [*below, *(holding or {}).get("InstanceProfiles", [])]}
    return [_profile(client, scope, profiles[arn]) for arn in sorted(profiles)]


def _profile(client: Client, scope: Scope, profile: dict[str, object]) -> Leftover:
    name, path = str(profile["InstanceProfileName"]), str(profile["Path"])
    own_path = path.startswith(scope.profile_path)
    listed = client.find("list_instance_profile_tags", InstanceProfileName=name)
    tags = {item["Key"]: item["Value"] for item in (listed or {}).get("Tags", [])}
    node_role = derived_names(scope.cluster)["node_role"]
    why = f"path {path}" if own_path else f"it holds role {node_role}"
    remedy = (
        f"aws iam remove-role-from-instance-profile --instance-profile-name {name} --role-name {node_role}, then"
        f" aws iam delete-instance-profile --instance-profile-name {name}"
    )
    return Leftover(
        "instance-profile",
        str(profile["Arn"]),
        why,
        remedy,
        name=name,
        karpenter=own_path or is_profile_tagged(scope.cluster, tags),
    )


def is_profile_tagged(cluster: str, tags: dict[str, str]) -> bool:
    """Whether Karpenter's tags for instance profiles are there (they have a node class instead of a node pool)."""
    marked = {**tags, "karpenter.sh/nodepool": "-"} if "karpenter.k8s.aws/ec2nodeclass" in tags else tags
    return is_karpenters(cluster, marked)


def queue_leftovers(client: Client, scope: Scope) -> list[Leftover]:
    """The interruption queue."""
    answer = client.find("get_queue_url", QueueName=scope.cluster)
    if answer is None:
        return []
    remedy = f"aws sqs delete-queue --queue-url {answer['QueueUrl']}"
    return [Leftover("queue", answer["QueueUrl"], "its name", remedy, name=scope.cluster)]


def rule_leftovers(client: Client, scope: Scope) -> list[Leftover]:
    """The rules that feed the queue, found by their target and by the stack's name in theirs."""
    stack = derived_names(scope.cluster)["stack"]
    named = {item["Name"]: "its name" for item in client.pages("list_rules", "Rules", NamePrefix=f"{stack}-")}
    answer = client.find("list_rule_names_by_target", TargetArn=scope.queue_arn)
    targeted = dict.fromkeys((answer or {}).get("RuleNames", []), f"target {scope.queue_arn}")
    return [
        Leftover(
            "rule",
            f"arn:{scope.partition}:events:{scope.region}:{scope.account}:rule/{name}",
            why,
            f"aws events remove-targets --rule {name} --ids KarpenterInterruptionQueueTarget, then"
            f" aws events delete-rule --name {name}",
            name=name,
        )
        for name, why in sorted((named | targeted).items())
    ]
