"""The resources that an operation works on, as ARNs: by the ARNs and the names among its parameters.

Which types an action works on is in the Service Authorization Reference (``reference``); how the parameters name one of
a type differs from service to service.
"""

from __future__ import annotations

from collections.abc import Callable

from sandbox.iam.operation import Lookups, Operation, texts, values
from sandbox.iam.reference import ResourceType, resource_type, resource_types

Namer = Callable[[ResourceType, Operation, Lookups], list[str]]


def resources(operation: Operation, lookups: Lookups) -> list[str]:
    """The ARNs, ``*`` for an operation that works on no resource in particular."""
    namer = _NAMERS.get(operation.service, _nameless)
    named: list[str] = []
    every: list[str] = []
    for kind in _types(operation):
        arns = [text for text in texts(operation.parameters) if text.startswith("arn:") and kind.covers(text)]
        arns = arns or namer(kind, operation, lookups)
        named += arns
        every += arns or ([kind.at(operation.account, operation.region)] if kind.required else [])
    # EC2's types all count, the new subnet and its network; of other services' types those that are named are meant.
    found = every if operation.service == "ec2" or not named else named
    return list(dict.fromkeys(found)) or ["*"]


def _types(operation: Operation) -> tuple[ResourceType, ...]:
    if operation.name == "eks:CreateCluster":
        # The Service Authorization Reference has none. The user guide's "minimum permissions required to create an
        # Amazon EKS cluster named my-cluster" name the cluster's ARN, and tell to ignore that the console warns:
        # https://docs.aws.amazon.com/eks/latest/userguide/security-iam-id-based-policy-examples.html#policy-create-cluster
        return (resource_type("eks", "cluster"),)
    return resource_types(operation.service, operation.action)


def _nameless(_: ResourceType, __: Operation, ___: Lookups) -> list[str]:
    return []


_EC2_PARAMETERS = {
    "SecurityGroupId": ("SecurityGroupId", "GroupId", "SecurityGroup"),
    "KeyPairName": ("KeyName",),
    "NaclId": ("NetworkAclId",),
}


def _ec2(kind: ResourceType, operation: Operation, lookups: Lookups) -> list[str]:
    """EC2 calls the parameters like the variables of the ARNs."""
    variable = kind.variables[0]
    ids = list(values(operation.parameters, _EC2_PARAMETERS.get(variable, (variable,))))
    found = [kind.at(operation.account, operation.region, **{variable: one}) for one in ids]
    if kind.name == "launch-template" and operation.action != "CreateLaunchTemplate":
        for name in values(operation.parameters, ("LaunchTemplateName",)):
            arn = lookups.arn(operation.account, operation.region, "ec2:launch-template", name)
            found.append(arn or kind.at(operation.account, operation.region))
    return found


#: Resource type -> the parameter with its name.
_IAM_NAMES = {
    "role": "RoleName",
    "user": "UserName",
    "group": "GroupName",
    "policy": "PolicyName",
    "instance-profile": "InstanceProfileName",
}


def _iam(kind: ResourceType, operation: Operation, lookups: Lookups) -> list[str]:
    """Their ARNs have paths, which only CreateX says."""
    if kind.name == "role" and operation.action == "CreateServiceLinkedRole":
        service = operation.first("AWSServiceName") or "*"
        return [f"arn:aws:iam::{operation.account}:role/aws-service-role/{service}/*"]
    parameter = _IAM_NAMES.get(kind.name, "")
    name = operation.first(parameter) or (operation.user if kind.name == "user" else None)
    if name is None or (kind.name == "policy" and operation.action != "CreatePolicy"):
        return []
    new = f"arn:aws:iam::{operation.account}:{kind.name}{operation.first('Path') or '/'}{name}"
    if operation.action.startswith("Create"):
        return [new]
    return [lookups.arn(operation.account, operation.region, f"iam:{kind.name}", name) or new]


def _sqs(kind: ResourceType, operation: Operation, _: Lookups) -> list[str]:
    name = operation.first("QueueUrl", "QueueName")
    return [kind.at(operation.account, operation.region, QueueName=name.rpartition("/")[2])] if name else []


def _ssm(kind: ResourceType, operation: Operation, _: Lookups) -> list[str]:
    """Public parameters are AWS's: their ARNs have no account. A name may have a version or a label after a colon.

    https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-public-parameters.html
    """
    if kind.name != "parameter":
        return []
    found = []
    for name in values(operation.parameters, ("Name", "Names", "Path", "ResourceId")):
        plain = name.partition(":")[0]
        account = "" if plain.startswith("/aws/service/") else operation.account
        found.append(kind.at(account, operation.region, ParameterNameWithoutLeadingSlash=plain.lstrip("/")))
    return found


def _eks(kind: ResourceType, operation: Operation, _: Lookups) -> list[str]:
    """https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelastickubernetesservice.html"""
    cluster = operation.first("clusterName", "name")
    if cluster is None:
        return []
    named = {"ClusterName": cluster}
    if kind.name == "access-entry":
        account, principal = (operation.first("principalArn") or ":::::").split(":", 5)[4:]
        if principal:
            named |= {"IamIdentityType": principal.partition("/")[0], "IamIdentityAccountID": account}
            named["IamIdentityName"] = principal.rpartition("/")[2]
    else:
        for variable, parameter in _EKS_PARTS.items():
            if value := operation.first(parameter):
                named[variable] = value
        if kind.name == "podidentityassociation" and (identity := operation.first("associationId")):
            named["UUID"] = identity
    wanted = set(kind.variables) - {"UUID"}
    # An update of a cluster is asked for with the name of its node group or add-on, or without.
    return [kind.at(operation.account, operation.region, **named)] if wanted <= set(named) else []


_EKS_PARTS = {
    "NodegroupName": "nodegroupName",
    "AddonName": "addonName",
    "FargateProfileName": "fargateProfileName",
}


def _cloudformation(kind: ResourceType, operation: Operation, lookups: Lookups) -> list[str]:
    """The ARN of a stack ends in an id that a new stack does not have yet."""
    name = operation.first("StackName") if kind.name == "stack" else None
    if name is None:
        return []
    arn = lookups.arn(operation.account, operation.region, "cloudformation:stack", name)
    return [arn or kind.at(operation.account, operation.region, StackName=name)]


def _events(kind: ResourceType, operation: Operation, _: Lookups) -> list[str]:
    bus, rule = operation.first("EventBusName") or "default", operation.first("Rule", "Name")
    wanted = "rule-on-default-event-bus" if bus == "default" else "rule-on-custom-event-bus"
    if kind.name == wanted and rule:
        return [kind.at(operation.account, operation.region, RuleName=rule, EventBusName=bus)]
    if kind.name == "event-bus" and operation.action not in ("CreateEventBus", "DeleteEventBus", "DescribeEventBus"):
        return [kind.at(operation.account, operation.region, EventBusName=bus)]
    return (
        [kind.at(operation.account, operation.region, EventBusName=rule)] if kind.name == "event-bus" and rule else []
    )


def _logs(kind: ResourceType, operation: Operation, _: Lookups) -> list[str]:
    name = operation.first("logGroupName", "logGroupIdentifier") if kind.name == "log-group" else None
    return [kind.at(operation.account, operation.region, LogGroupName=name)] if name else []


def _load_balancers(kind: ResourceType, operation: Operation, _: Lookups) -> list[str]:
    """By name when they are made; later by ARN."""
    name = operation.first("Name")
    if name is None:
        return []
    if kind.name == "targetgroup":
        return [kind.at(operation.account, operation.region, TargetGroupName=name)]
    letters = {"network": "net", "gateway": "gwy"}.get(operation.first("Type") or "", "app")
    if kind.name == f"loadbalancer/{letters}/":
        return [kind.at(operation.account, operation.region, LoadBalancerName=name)]
    return []


_NAMERS: dict[str, Namer] = {
    "ec2": _ec2,
    "iam": _iam,
    "sqs": _sqs,
    "ssm": _ssm,
    "eks": _eks,
    "eks-auth": _eks,
    "cloudformation": _cloudformation,
    "events": _events,
    "logs": _logs,
    "elasticloadbalancing": _load_balancers,
}
