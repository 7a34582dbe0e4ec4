"""The add-ons that EKS offers and their versions by Kubernetes minor. Read on 2026-11-30.

https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html
https://docs.aws.amazon.com/eks/latest/userguide/managing-vpc-cni.html
https://docs.aws.amazon.com/eks/latest/userguide/managing-kube-proxy.html
https://docs.aws.amazon.com/eks/latest/userguide/managing-coredns.html

A version is listed newest first; the default is the one that a new add-on gets when no version is given. AWS offers
more versions than these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sandbox.eks import minors, versions
from sandbox.eks.errors import invalid_parameter, not_found


@dataclass(frozen=True)
class Offer:
    """One add-on: what it is, which versions go with which minor, and whether the sandbox can run it."""

    name: str
    kind: str
    versions: dict[str, list[str]]
    default_index: int = 1
    service_accounts: tuple[str, ...] = ()
    recommended_policies: tuple[str, ...] = ()
    runs_here: bool = True

    def default(self, minor: str) -> str:
        """The version that a new add-on gets."""
        offered = self.versions[minor]
        return offered[min(self.default_index, len(offered) - 1)]


def _all_minors(*newest_first: str) -> dict[str, list[str]]:
    return {minor: list(newest_first) for minor in versions.MINORS}


def _with_older(by_minor: dict[str, list[str]]) -> dict[str, list[str]]:
    """A kube-proxy may be three minors older than its cluster, and EKS offers those of before.

    https://docs.aws.amazon.com/eks/latest/userguide/managing-kube-proxy.html
    """
    return {
        minor: [
            version
            for older in by_minor
            if 0 <= minors.known(minor)[1] - minors.known(older)[1] <= minors.MOST_BEHIND
            for version in by_minor[older]
        ]
        for minor in by_minor
    }


_OFFERS = (
    Offer(
        "vpc-cni",
        "networking",
        _all_minors("v1.21.1-eksbuild.3", "v1.20.4-eksbuild.2", "v1.20.1-eksbuild.3"),
        service_accounts=("aws-node",),
        recommended_policies=("arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy",),
    ),
    Offer(
        "kube-proxy",
        "networking",
        _with_older(
            {
                "1.36": ["v1.36.0-eksbuild.14", "v1.36.0-eksbuild.7"],
                "1.35": ["v1.35.3-eksbuild.13", "v1.35.3-eksbuild.2"],
                "1.34": ["v1.34.6-eksbuild.13", "v1.34.6-eksbuild.2"],
                "1.33": ["v1.33.10-eksbuild.13", "v1.33.10-eksbuild.2"],
                "1.32": ["v1.32.13-eksbuild.16", "v1.32.13-eksbuild.5"],
            }
        ),
    ),
    Offer(
        "coredns",
        "networking",
        {
            "1.36": ["v1.14.3-eksbuild.3", "v1.13.2-eksbuild.11"],
            "1.35": ["v1.14.3-eksbuild.3", "v1.13.2-eksbuild.4"],
            "1.34": ["v1.13.2-eksbuild.11", "v1.12.4-eksbuild.1"],
            "1.33": ["v1.12.4-eksbuild.18", "v1.12.4-eksbuild.1"],
            "1.32": ["v1.11.4-eksbuild.40", "v1.11.4-eksbuild.33"],
        },
    ),
    Offer("eks-pod-identity-agent", "security", _all_minors("v1.3.10-eksbuild.2", "v1.3.9-eksbuild.3")),
    Offer(
        "aws-ebs-csi-driver",
        "storage",
        _all_minors("v1.53.0-eksbuild.1", "v1.51.0-eksbuild.1"),
        service_accounts=("ebs-csi-controller-sa",),
        recommended_policies=("arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy",),
        runs_here=False,
    ),
    Offer("metrics-server", "observability", _all_minors("v0.8.0-eksbuild.5"), runs_here=False),
)
OFFERS = {offer.name: offer for offer in _OFFERS}
SELF_MANAGED = ("vpc-cni", "kube-proxy", "coredns")


def choose(name: str, version: str | None, minor: str) -> str:
    """The version of an add-on to install in a cluster.

    Raises EksError (InvalidParameterException) for an add-on or version that EKS does not offer for the minor, and for
    one that the sandbox cannot run.
    """
    offer = OFFERS.get(name)
    if offer is None:
        raise invalid_parameter(f"Addon {name} specified is not supported", addonName=name)
    if not offer.runs_here:
        can = ", ".join(one.name for one in _OFFERS if one.runs_here)
        raise invalid_parameter(f"The sandbox cannot run the add-on {name}; it can run {can}.", addonName=name)
    if version is None:
        return offer.default(minor)
    if version not in offer.versions[minor]:
        raise invalid_parameter(f"Addon version specified is not supported: {name} {version}", addonName=name)
    return version


def describe(params: dict[str, Any]) -> list[dict[str, Any]]:
    """https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddonVersions.html."""
    name, minor = params.get("addonName"), params.get("kubernetesVersion")
    if name is not None and name not in OFFERS:
        raise not_found(f"Addon {name} specified is not supported", addonName=name)
    if minor is not None and minor not in versions.MINORS:
        raise invalid_parameter(f"Kubernetes version {minor} is not supported.")
    owned = all("aws" in params[key] for key in ("owners",) if key in params)
    published = all("eks" in params[key] for key in ("publishers",) if key in params)
    return [
        _describe(offer, minor)
        for offer in _OFFERS
        if name in (None, offer.name) and offer.kind in params.get("types", [offer.kind]) and owned and published
    ]


def _describe(offer: Offer, only_minor: str | None) -> dict[str, Any]:
    minors = [one for one in offer.versions if only_minor in (None, one)]
    offered = list(dict.fromkeys(version for minor in minors for version in offer.versions[minor]))
    return {
        "addonName": offer.name,
        "type": offer.kind,
        "owner": "aws",
        "publisher": "eks",
        "defaultNamespace": "kube-system",
        "addonVersions": [
            {
                "addonVersion": version,
                "architecture": ["amd64", "arm64"],
                "computeTypes": ["ec2"],
                "compatibilities": [
                    {
                        "clusterVersion": minor,
                        "platformVersions": ["*"],
                        "defaultVersion": version == offer.default(minor),
                    }
                    for minor in minors
                    if version in offer.versions[minor]
                ],
                "requiresConfiguration": False,
                "requiresIamPermissions": bool(offer.service_accounts),
            }
            for version in offered
        ],
    }
