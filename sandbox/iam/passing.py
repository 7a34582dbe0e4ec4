"""iam:PassRole: which operations hand a role to a service.

https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_iam-condition-keys.html#ck_PassedToService

The role of a node group goes to EKS, although the nodes have it: the policies that AWS Step Functions makes for its own
integrations let both CreateCluster and CreateNodegroup pass roles to eks.amazonaws.com alone.
https://docs.aws.amazon.com/step-functions/latest/dg/eks-iam.html
"""

from __future__ import annotations

from collections.abc import Iterator

from sandbox.iam.operation import Lookups, Need, Operation, values

#: Operation -> (parameters with the ARN of the role, the service that gets it).
_BY_ARN: dict[str, tuple[tuple[str, ...], str]] = {
    "eks:CreateCluster": (("roleArn",), "eks.amazonaws.com"),
    "eks:CreateNodegroup": (("nodeRole",), "eks.amazonaws.com"),
    "eks:CreateAddon": (("serviceAccountRoleArn", "roleArn"), "eks.amazonaws.com"),
    "eks:UpdateAddon": (("serviceAccountRoleArn", "roleArn"), "eks.amazonaws.com"),
    "eks:CreateFargateProfile": (("podExecutionRoleArn",), "eks-fargate-pods.amazonaws.com"),
    "eks:CreatePodIdentityAssociation": (("roleArn",), "pods.eks.amazonaws.com"),
    "eks:UpdatePodIdentityAssociation": (("roleArn",), "pods.eks.amazonaws.com"),
    "events:PutRule": (("RoleArn",), "events.amazonaws.com"),
    "events:PutTargets": (("RoleArn",), "events.amazonaws.com"),
    "logs:PutDestination": (("roleArn",), "logs.amazonaws.com"),
    "logs:PutSubscriptionFilter": (("roleArn",), "logs.amazonaws.com"),
    **dict.fromkeys(
        (
            "cloudformation:CreateStack",
            "cloudformation:UpdateStack",
            "cloudformation:DeleteStack",
            "cloudformation:CreateChangeSet",
        ),
        (("RoleARN",), "cloudformation.amazonaws.com"),
    ),
}
#: Operations on EC2 that give an instance the role of an instance profile. RunInstances is looked at in ``launching``.
_BY_PROFILE = ("ec2:AssociateIamInstanceProfile", "ec2:ReplaceIamInstanceProfileAssociation")


def passed(role_arn: str, service: str) -> Need:
    """The permission to hand the role to the service."""
    return Need("iam:PassRole", role_arn, {"iam:passedtoservice": service})


def passed_roles(operation: Operation, lookups: Lookups) -> Iterator[Need]:
    """The roles that the operation passes."""
    if operation.name in _BY_ARN:
        parameters, service = _BY_ARN[operation.name]
        for arn in values(operation.parameters, parameters):
            yield passed(arn, service)
    elif operation.name in _BY_PROFILE:
        profile = operation.parameters.get("IamInstanceProfile") or {}
        role = lookups.role_of_profile(operation.account, str(profile.get("Arn") or profile.get("Name")))
        if role is not None:
            yield passed(role, "ec2.amazonaws.com")
    elif operation.name == "iam:AddRoleToInstanceProfile":
        name = operation.first("RoleName") or ""
        role = lookups.arn(operation.account, operation.region, "iam:role", name)
        yield passed(role or f"arn:aws:iam::{operation.account}:role/{name}", "ec2.amazonaws.com")
