"""What an operation needs to be allowed: its own action, tagging what it makes, passing roles.

https://docs.aws.amazon.com/service-authorization/latest/reference/
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sandbox.iam.model import Value
from sandbox.iam.operation import Lookups, Need, Operation, Tags, request_tags, resource_tags, tags, texts
from sandbox.iam.passing import passed_roles
from sandbox.iam.reference import known, resource_type
from sandbox.iam.resources import resources

#: API operations that policies know by another name.
#: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-api-permissions-reference.html
_ACTIONS = {
    "sqs:SendMessageBatch": "SendMessage",
    "sqs:DeleteMessageBatch": "DeleteMessage",
    "sqs:ChangeMessageVisibilityBatch": "ChangeMessageVisibility",
}
#: Operations that everybody may call.
#: https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
#: https://docs.aws.amazon.com/STS/latest/APIReference/API_GetSessionToken.html#API_GetSessionToken_Permissions
FREE = frozenset({"sts:GetCallerIdentity", "sts:GetSessionToken"})
#: The action that lets somebody tag what an operation makes, by the service of the operation. Pages of the operations
#: say so, such as https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html,
#: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html and
#: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html
_TAGGING = {
    "sqs": "sqs:TagQueue",
    "events": "events:TagResource",
    "ssm": "ssm:AddTagsToResource",
    "eks": "eks:TagResource",
    "logs": "logs:TagResource",
    "cloudformation": "cloudformation:TagResource",
    "elasticloadbalancing": "elasticloadbalancing:AddTags",
}
#: Parameter -> condition key, for the keys that are parameters as they stand.
#: https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsidentityandaccessmanagementiam.html
#: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelastickubernetesservice.html
_KEYS = {
    "iam": {
        "PolicyArn": "iam:policyarn",
        "PermissionsBoundary": "iam:permissionsboundary",
        "AWSServiceName": "iam:awsservicename",
    },
    "eks": {
        "principalArn": "eks:principalarn",
        "policyArn": "eks:policyarn",
        "clusterName": "eks:clustername",
        "type": "eks:accessentrytype",
        "kubernetesGroups": "eks:kubernetesgroups",
        "username": "eks:username",
    },
    "cloudformation": {
        "RoleARN": "cloudformation:rolearn",
        "TemplateURL": "cloudformation:templateurl",
        "ChangeSetName": "cloudformation:changesetname",
        "ResourceTypes": "cloudformation:resourcetypes",
    },
    "ssm": {"Recursive": "ssm:recursive", "Overwrite": "ssm:overwrite"},
}
_MANY = ("kubernetesGroups", "ResourceTypes")


def needs(operation: Operation, lookups: Lookups) -> list[Need]:
    """All that the operation needs, in the order in which it is checked."""
    if operation.name in FREE:
        return []
    operation = replace(operation, action=_ACTIONS.get(operation.name, operation.action))
    return [*_own(operation, lookups), *passed_roles(operation, lookups)]


def _own(operation: Operation, lookups: Lookups) -> Iterator[Need]:
    arns = resources(operation, lookups)
    if operation.service == "ec2":
        yield from _ec2(operation, arns)
        return
    given = _tags(operation)
    keys = _keys(operation) | request_tags(given, keys=_tag_keys(operation))
    for arn in arns:
        yield Need(operation.name, arn, keys)
    if given and (tagging := _tagging(operation)):
        # "A new resource has the tags of the request" is how Karpenter's policy for tagging new instance profiles,
        # which looks at both, can be met: https://karpenter.sh/docs/reference/cloudformation/
        for arn in arns:
            yield Need(tagging, arn, resource_tags(given, operation.service) | keys)


def _tagging(operation: Operation) -> str | None:
    """The action that lets somebody tag what the operation makes.

    Of IAM it is TagX on the new resource: "not authorized to perform: iam:TagRole" is what AWS answers a CreateRole
    with tags (openshift/installer issue 1073), and minimum permissions that AWS names have iam:TagInstanceProfile
    beside iam:CreateInstanceProfile:
    https://docs.aws.amazon.com/eks/latest/userguide/security-iam-id-based-policy-examples.html#policy-create-local-cluster
    """
    if operation.service == "iam":
        kind = operation.action.removeprefix("Create")
        return f"iam:Tag{kind}" if kind != operation.action else None
    makes = operation.action.startswith(("Create", "Put"))
    return _TAGGING.get(operation.service) if makes else None


def _tags(operation: Operation) -> Tags:
    return tags(operation.parameters.get("Tags") or operation.parameters.get("tags"))


def _tag_keys(operation: Operation) -> tuple[str, ...]:
    return tuple(texts(operation.parameters.get("TagKeys") or operation.parameters.get("tagKeys")))


def _keys(operation: Operation) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for parameter, key in _KEYS.get(operation.service, {}).items():
        value = operation.parameters.get(parameter)
        if parameter in _MANY and value:
            found[key] = tuple(texts(value))
        elif value not in (None, "", []):
            found[key] = str(value).lower() if isinstance(value, bool) else str(value)
    return found


def _ec2(operation: Operation, arns: list[str]) -> Iterator[Need]:
    """Each new resource has the tags that the request gives to its type.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/supported-iam-actions-tagging.html
    """
    by_type = tags_by_type(operation)
    region: dict[str, Value] = {"ec2:region": operation.region}
    if operation.action in ("CreateTags", "DeleteTags"):
        # DeleteTags without a value takes the tag away whatever it is.
        given = tags(operation.parameters.get("Tag"))
        valued = {key: value for key, value in given.items() if value or operation.action == "CreateTags"}
        keys = request_tags(valued, keys=tuple(given)) | region
        for resource_id in texts(operation.parameters.get("ResourceId")):
            yield Need(operation.name, arn_of_id(operation, resource_id), keys)
        return
    optional = [resource_type("ec2", kind).at(operation.account, operation.region) for kind in by_type]
    new = [arn for arn in optional if arn not in arns]
    for arn in [*arns, *new]:
        kind = arn.split(":", 5)[-1].partition("/")[0]
        made = arn.endswith("/*")
        yield Need(operation.name, arn, region | (request_tags(by_type.get(kind, {})) if made else {}))
    create = region | {"ec2:createaction": operation.action}
    for kind, given in by_type.items():
        arn = resource_type("ec2", kind).at(operation.account, operation.region)
        yield Need("ec2:CreateTags", arn, create | request_tags(given))


def tags_by_type(operation: Operation) -> dict[str, Tags]:
    """Tags by resource type, of TagSpecification parameters; types without tags or unknown ones are left out."""
    found: dict[str, Tags] = {}
    specifications = operation.parameters.get("TagSpecification") or operation.parameters.get("TagSpecifications")
    for one in specifications if isinstance(specifications, list) else []:
        given, kind = tags(one.get("Tag") or one.get("Tags")), str(one.get("ResourceType"))
        if given and known("ec2", kind):
            found[kind] = found.get(kind, {}) | given
    return found


#: Prefix of an id -> resource type, where they differ.
#: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html
_PREFIXES = {
    "i": "instance",
    "ami": "image",
    "lt": "launch-template",
    "sg": "security-group",
    "sgr": "security-group-rule",
    "vol": "volume",
    "snap": "snapshot",
    "eni": "network-interface",
    "igw": "internet-gateway",
    "eigw": "egress-only-internet-gateway",
    "rtb": "route-table",
    "nat": "natgateway",
    "acl": "network-acl",
    "eipalloc": "elastic-ip",
    "sir": "spot-instances-request",
    "dopt": "dhcp-options",
    "vpce": "vpc-endpoint",
    "pcx": "vpc-peering-connection",
    "key": "key-pair",
    "pl": "prefix-list",
    "fl": "vpc-flow-log",
    "cr": "capacity-reservation",
    "pg": "placement-group",
    "h": "dedicated-host",
    "tgw": "transit-gateway",
    "vgw": "vpn-gateway",
    "cgw": "customer-gateway",
    "vpn": "vpn-connection",
}


def arn_of_id(operation: Operation, resource_id: str) -> str:
    """The ARN of an EC2 resource by its id; of an id of no known kind its type is the prefix."""
    prefix = resource_id.partition("-")[0]
    name = _PREFIXES.get(prefix, prefix)
    if not known("ec2", name):
        return f"arn:aws:ec2:{operation.region}:{operation.account}:{name}/{resource_id}"
    kind = resource_type("ec2", name)
    return kind.at(operation.account, operation.region, **{kind.variables[0]: resource_id})
