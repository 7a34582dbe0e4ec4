"""Service-linked roles: the roles in which AWS services act on an account."""

from __future__ import annotations

#: The path of the role of a service, ``{}``.
#: https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create-service-linked-role.html
PATH = "/aws-service-role/{}/"

#: Service -> role; the pages that say the names are linked from
#: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_aws-services-that-work-with-iam.html, such as
#: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/service-linked-roles-spot-instance-requests.html
#: https://docs.aws.amazon.com/eks/latest/userguide/using-service-linked-roles.html
NAMES = {
    "spot.amazonaws.com": "AWSServiceRoleForEC2Spot",
    "spotfleet.amazonaws.com": "AWSServiceRoleForEC2SpotFleet",
    "ec2fleet.amazonaws.com": "AWSServiceRoleForEC2Fleet",
    "autoscaling.amazonaws.com": "AWSServiceRoleForAutoScaling",
    "eks.amazonaws.com": "AWSServiceRoleForAmazonEKS",
    "eks-nodegroup.amazonaws.com": "AWSServiceRoleForAmazonEKSNodegroup",
    "eks-fargate.amazonaws.com": "AWSServiceRoleForAmazonEKSForFargate",
    "elasticloadbalancing.amazonaws.com": "AWSServiceRoleForElasticLoadBalancing",
}


def session_role(service: str) -> str:
    """The role whose session a service acts in; one of that form for a service that has no such role."""
    return NAMES.get(service) or "AWSServiceRoleFor" + service.partition(".")[0].title().replace("-", "")
