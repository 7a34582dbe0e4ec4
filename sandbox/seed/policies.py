"""AWS managed policies that clusters use and ministack does not bring.

https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from sandbox.emulators import ministack


def _allow(*actions: str, **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": list(actions), "Resource": "*"} | more


_PULL = (
    "ecr:GetAuthorizationToken",
    "ecr:BatchCheckLayerAvailability",
    "ecr:GetDownloadUrlForLayer",
    "ecr:BatchGetImage",
)

#: Name -> (description, statements).
POLICIES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "AmazonEC2ContainerRegistryPullOnly": (
        "Provides access to pull images from Amazon EC2 Container Registry repositories.",
        [_allow(*_PULL, "ecr:BatchImportUpstreamImage")],
    ),
    "AmazonEC2ContainerRegistryReadOnly": (
        "Provides read-only access to Amazon EC2 Container Registry repositories.",
        [
            _allow(
                *_PULL,
                "ecr:GetRepositoryPolicy",
                "ecr:DescribeRepositories",
                "ecr:ListImages",
                "ecr:DescribeImages",
                "ecr:GetLifecyclePolicy",
                "ecr:GetLifecyclePolicyPreview",
                "ecr:ListTagsForResource",
                "ecr:DescribeImageScanFindings",
            )
        ],
    ),
    "AmazonEKSVPCResourceController": (
        "Policy used by VPC Resource Controller to manage ENI and IPs for worker nodes.",
        [
            _allow(
                "ec2:CreateNetworkInterfacePermission",
                Condition={
                    "ForAnyValue:StringEquals": {"ec2:ResourceTag/eks:eni:owner": "eks-vpc-resource-controller"}
                },
            ),
            _allow(
                "ec2:CreateNetworkInterface",
                "ec2:DetachNetworkInterface",
                "ec2:ModifyNetworkInterfaceAttribute",
                "ec2:DeleteNetworkInterface",
                "ec2:AttachNetworkInterface",
                "ec2:UnassignPrivateIpAddresses",
                "ec2:AssignPrivateIpAddresses",
            ),
        ],
    ),
}


@cache
def install() -> None:
    """Add them to ministack's, once per process."""
    iam = ministack.module("services.iam")
    for name, (description, statements) in POLICIES.items():
        document = json.dumps({"Version": "2012-10-17", "Statement": statements})
        record = iam._make_aws_managed_record(name, document, description)
        iam._aws_managed_policies.setdefault(record["Arn"], record)
