"""Pod identity associations.

https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html
"""

from __future__ import annotations

import random
import string
from typing import Any

from sandbox.eks import iam, tags, tokens
from sandbox.eks.context import Caller, Context, now, page, partition_of, refuse
from sandbox.eks.errors import in_use, invalid_parameter, invalid_request, not_found
from sandbox.eks.model import Cluster, PodIdentityAssociation

SERVICE = "pods.eks.amazonaws.com"
ACTIONS = ("sts:AssumeRole", "sts:TagSession")


class PodIdentity:
    """CreatePodIdentityAssociation and its family."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def create_pod_identity_association(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_CreatePodIdentityAssociation.html."""
        refuse(params, "targetRoleArn", "policy")
        cluster = self._context.active(caller, params["clusterName"])
        await check_role(self._context, cluster, params["roleArn"])
        association = add(
            cluster,
            params["namespace"],
            params["serviceAccount"],
            params["roleArn"],
            labels=tags.check(params.get("tags")),
        )
        association.disable_session_tags = params.get("disableSessionTags", False)
        answer = {"association": _view(association, cluster.name)}
        tokens.remember(cluster, "CreatePodIdentityAssociation", params, answer, association.id)
        self._context.store.save(cluster)
        return answer

    async def describe_pod_identity_association(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribePodIdentityAssociation.html."""
        cluster = self._context.store.get(caller.key(params["clusterName"]))
        return {"association": _view(_association(cluster, params), cluster.name)}

    async def list_pod_identity_associations(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_ListPodIdentityAssociations.html."""
        cluster = self._context.store.get(caller.key(params["clusterName"]))
        summaries = [
            _summary(one, cluster.name)
            for one in cluster.associations.values()
            if params.get("namespace", one.namespace) == one.namespace
            and params.get("serviceAccount", one.service_account) == one.service_account
        ]
        return page(params, summaries, "associations")

    async def update_pod_identity_association(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdatePodIdentityAssociation.html."""
        refuse(params, "targetRoleArn", "policy")
        cluster = self._context.active(caller, params["clusterName"])
        association = _association(cluster, params)
        if "roleArn" not in params and "disableSessionTags" not in params:
            raise invalid_parameter("An update must change at least one of roleArn and disableSessionTags.")
        if "roleArn" in params:
            await check_role(self._context, cluster, params["roleArn"])
            association.role_arn = params["roleArn"]
        association.disable_session_tags = params.get("disableSessionTags", association.disable_session_tags)
        association.modified_at = now()
        self._context.store.save(cluster)
        return {"association": _view(association, cluster.name)}

    async def delete_pod_identity_association(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DeletePodIdentityAssociation.html."""
        cluster = self._context.store.get(caller.key(params["clusterName"]))
        association = _association(cluster, params)
        if association.owner_arn is not None:
            raise invalid_request(f"Association {association.id} is owned by {association.owner_arn}.")
        remove(cluster, association.id)
        self._context.store.save(cluster)
        return {"association": _view(association, cluster.name)}


async def check_role(context: Context, cluster: Cluster, role_arn: str) -> None:
    """Raise InvalidParameterException for a role that does not exist or does not trust EKS Pod Identity.

    https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
    """
    role = await iam.look_up(context, role_arn, cluster.region)
    if role is None or f"::{cluster.account}:role/" not in role_arn:
        raise invalid_parameter("Role provided in the request does not exist.", clusterName=cluster.name)
    if not iam.trusts(role.trust, SERVICE, *ACTIONS):
        raise invalid_parameter(
            "Trust policy of the role provided is invalid. Follow the official documentation to resolve the issue.",
            clusterName=cluster.name,
        )


def add(
    cluster: Cluster,
    namespace: str,
    service_account: str,
    role_arn: str,
    *,
    labels: dict[str, str] | None = None,
    owner_arn: str | None = None,
) -> PodIdentityAssociation:
    """A new association, put into the cluster. Raises ResourceInUseException: there is one per service account."""
    earlier = find(cluster, namespace, service_account)
    if earlier is not None:
        raise in_use(f"Association already exists: {earlier.id}", clusterName=cluster.name)
    identity = "a-" + "".join(random.choices(string.ascii_lowercase + string.digits, k=17))
    place = f"arn:{partition_of(cluster.region)}:eks:{cluster.region}:{cluster.account}"
    stamp = now()
    association = PodIdentityAssociation(
        id=identity,
        arn=f"{place}:podidentityassociation/{cluster.name}/{identity}",
        namespace=namespace,
        service_account=service_account,
        role_arn=role_arn,
        tags=labels or {},
        created_at=stamp,
        modified_at=stamp,
        owner_arn=owner_arn,
    )
    cluster.associations[identity] = association
    return association


def remove(cluster: Cluster, identity: str) -> None:
    """Take an association away, if it is there."""
    if cluster.associations.pop(identity, None) is not None:
        tokens.forget(cluster, identity)


def find(cluster: Cluster, namespace: str, service_account: str) -> PodIdentityAssociation | None:
    """The association of a service account, or None."""
    wanted = (namespace, service_account)
    return next((one for one in cluster.associations.values() if (one.namespace, one.service_account) == wanted), None)


def _association(cluster: Cluster, params: dict[str, Any]) -> PodIdentityAssociation:
    association = cluster.associations.get(params["associationId"])
    if association is None:
        raise not_found(f"No association found with associationId: {params['associationId']}", clusterName=cluster.name)
    return association


def _summary(association: PodIdentityAssociation, cluster_name: str) -> dict[str, Any]:
    return {
        "clusterName": cluster_name,
        "namespace": association.namespace,
        "serviceAccount": association.service_account,
        "associationArn": association.arn,
        "associationId": association.id,
        "ownerArn": association.owner_arn,
    }


def _view(association: PodIdentityAssociation, cluster_name: str) -> dict[str, Any]:
    return _summary(association, cluster_name) | {
        "roleArn": association.role_arn,
        "tags": association.tags,
        "createdAt": association.created_at,
        "modifiedAt": association.modified_at,
        "disableSessionTags": association.disable_session_tags,
    }
