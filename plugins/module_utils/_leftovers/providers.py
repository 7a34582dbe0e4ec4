# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""IAM identity providers of the cluster's issuer, which people or tools make for IRSA. Private to the collection."""

from __future__ import annotations

import re
from typing import Any

from .._aws.client import Client
from .model import Leftover, Scope
from .tags import links

# https://docs.aws.amazon.com/eks/latest/eksctl/iamserviceaccounts.html
EKSCTL_TAG = "alpha.eksctl.io/cluster-name"
# https://docs.aws.amazon.com/eks/latest/userguide/enable-iam-roles-for-service-accounts.html
_ISSUER = re.compile(r"oidc[.-]eks\.(?P<region>[a-z0-9-]+)\.")


def provider_leftovers(iam: Client, eks: Client, scope: Scope) -> list[Leftover]:
    """Providers of the issuer, as far as it is known, and those that a tag links to the cluster.

    The issuer's name does not tell its cluster, so once the cluster is gone somebody has to remember it.
    https://docs.aws.amazon.com/IAM/latest/APIReference/API_ListOpenIDConnectProviders.html
    """
    issuer = _host(scope.issuer) or _host(_issuer(eks, scope.cluster))
    listed = iam.call("list_open_id_connect_providers")["OpenIDConnectProviderList"]
    found = []
    for arn in sorted(item["Arn"] for item in listed):
        why = _why(iam, scope, arn, issuer)
        if why:
            remedy = f"aws iam delete-open-id-connect-provider --open-id-connect-provider-arn {arn}"
            found.append(Leftover("oidc-provider", arn, why, remedy, name=arn.partition(":oidc-provider/")[2]))
    return found


def _issuer(eks: Client, cluster: str) -> str | None:
    answer = eks.find("describe_cluster", name=cluster)
    identity: dict[str, Any] = ((answer or {}).get("cluster") or {}).get("identity") or {}
    issuer = (identity.get("oidc") or {}).get("issuer")
    return None if issuer is None else str(issuer)


def _host(issuer: str | None) -> str | None:
    """The issuer as a provider's ARN holds it: without ``https://``."""
    return issuer.partition("://")[2].rstrip("/") or None if issuer else None


def _why(iam: Client, scope: Scope, arn: str, issuer: str | None) -> str | None:
    name = arn.partition(":oidc-provider/")[2]
    if issuer is not None and name == issuer:
        return f"issuer {issuer}"
    # Of all the providers in an account, only those of EKS in this region can be the cluster's.
    place = _ISSUER.match(name)
    if place is None or place["region"] != scope.region:
        return None
    answer = iam.find("get_open_id_connect_provider", OpenIDConnectProviderArn=arn)
    tags = {tag["Key"]: tag["Value"] for tag in (answer or {}).get("Tags") or ()}
    found, _owned = links(scope.cluster, tags)
    if tags.get(EKSCTL_TAG) == scope.cluster:
        found.append(f"tag {EKSCTL_TAG}={scope.cluster}")
    return ", ".join(found) or None
