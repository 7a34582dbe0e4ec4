"""The operations on access entries and on the access policies that are associated with them.

https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
https://docs.aws.amazon.com/eks/latest/userguide/access-policies.html
"""

from __future__ import annotations

from typing import Any

from sandbox.eks import access, iam, policies, tags, tokens
from sandbox.eks.context import Caller, Context, now, page
from sandbox.eks.errors import in_use, invalid_parameter, invalid_request, not_found
from sandbox.eks.iam import Arn, IamPrincipal
from sandbox.eks.model import AccessEntry, Cluster, PolicyScope
from sandbox.eks.rbac import bind_namespaces


class AccessEntries:
    """CreateAccessEntry and its family."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def create_access_entry(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAccessEntry.html."""
        cluster = self._cluster(caller, params)
        kind = params.get("type", access.STANDARD)
        groups, username = params.get("kubernetesGroups", []), params.get("username")
        if kind != access.STANDARD:
            _check_node_type(kind, groups, username, params["principalArn"], cluster)
        access.check_groups(groups)
        if username is not None:
            access.check_username(username)
        principal = await self._principal(params["principalArn"], caller.region)
        if principal.arn in cluster.entries:
            raise in_use("The specified access entry resource is already in use on this cluster.")
        entry = access.new_entry(
            cluster, principal, kind, username=username, groups=groups, tags=tags.check(params.get("tags"))
        )
        answer = {"accessEntry": access.view(entry, cluster.name)}
        tokens.remember(cluster, "CreateAccessEntry", params, answer, entry.principal_arn)
        self._context.store.save(cluster)
        return answer

    async def describe_access_entry(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAccessEntry.html."""
        cluster = self._cluster(caller, params)
        return {"accessEntry": access.view(_entry(cluster, params), cluster.name)}

    async def list_access_entries(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_ListAccessEntries.html."""
        cluster = self._cluster(caller, params)
        policy = params.get("associatedPolicyArn")
        found = [arn for arn, entry in cluster.entries.items() if policy is None or policy in entry.policies]
        return page(params, sorted(found), "accessEntries")

    async def update_access_entry(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateAccessEntry.html."""
        cluster = self._cluster(caller, params)
        entry = _entry(cluster, params)
        if entry.type != access.STANDARD:
            raise invalid_request(f"An access entry of type {entry.type} cannot be updated.")
        if "kubernetesGroups" in params:
            access.check_groups(params["kubernetesGroups"])
            entry.groups = params["kubernetesGroups"]
        if "username" in params:
            access.check_username(params["username"])
            entry.username = params["username"] or access.default_username(entry.principal_arn)
        entry.modified_at = now()
        self._context.store.save(cluster)
        return {"accessEntry": access.view(entry, cluster.name)}

    async def delete_access_entry(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DeleteAccessEntry.html."""
        cluster = self._cluster(caller, params)
        entry = _entry(cluster, params)
        del cluster.entries[entry.principal_arn]
        tokens.forget(cluster, entry.principal_arn)
        self._context.store.save(cluster)
        return {}

    async def list_access_policies(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_ListAccessPolicies.html."""
        known = [{"name": name, "arn": policies.arn(name, caller.partition)} for name in policies.RULES]
        return page(params, known, "accessPolicies")

    async def associate_access_policy(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_AssociateAccessPolicy.html."""
        cluster = self._cluster(caller, params)
        entry = _entry(cluster, params)
        if entry.type != access.STANDARD:
            raise invalid_request(f"Access policies cannot be associated with an access entry of type {entry.type}.")
        policy = params["policyArn"]
        if policies.name_of(policy, caller.partition) is None:
            raise invalid_parameter(f"The policyArn {policy} does not exist.")
        kind, namespaces = _scope(params["accessScope"])
        earlier = entry.policies.get(policy)
        stamp = now()
        scope = PolicyScope(policy, kind, namespaces, earlier.associated_at if earlier else stamp, stamp)
        entry.policies[policy] = scope
        self._context.store.save(cluster)
        await bind_namespaces(self._context, cluster)
        return {
            "clusterName": cluster.name,
            "principalArn": entry.principal_arn,
            "associatedAccessPolicy": _scope_view(scope),
        }

    async def disassociate_access_policy(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DisassociateAccessPolicy.html."""
        cluster = self._cluster(caller, params)
        entry = _entry(cluster, params)
        if entry.policies.pop(params["policyArn"], None) is None:
            raise not_found(f"The policyArn {params['policyArn']} is not associated with {entry.principal_arn}.")
        self._context.store.save(cluster)
        return {}

    async def list_associated_access_policies(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_ListAssociatedAccessPolicies.html."""
        cluster = self._cluster(caller, params)
        entry = _entry(cluster, params)
        found = [_scope_view(scope) for scope in entry.policies.values()]
        place = {"clusterName": cluster.name, "principalArn": entry.principal_arn}
        return page(params, found, "associatedAccessPolicies") | place

    def _cluster(self, caller: Caller, params: dict[str, Any]) -> Cluster:
        cluster = self._context.store.get(caller.key(params["clusterName"]))
        access.require_api_mode(cluster)
        return cluster

    async def _principal(self, arn: str, region: str) -> IamPrincipal:
        parts = Arn.parse(arn)
        if parts is None or parts.service != "iam" or parts.path.startswith("aws-service-role/"):
            raise invalid_parameter("The specified principalArn is invalid: invalid principal.")
        principal = await iam.look_up(self._context, arn, region)
        if principal is None:
            raise invalid_parameter("The specified principalArn is invalid: invalid principal.")
        return principal


def _check_node_type(kind: str, groups: list[str], username: str | None, arn: str, cluster: Cluster) -> None:
    if kind not in access.NODE_TYPES:
        known = ", ".join([access.STANDARD, *access.NODE_TYPES])
        raise invalid_parameter(f"The type {kind} is not one that the sandbox knows: {known}.")
    if groups or username is not None:
        raise invalid_parameter(f"An access entry of type {kind} can have neither kubernetesGroups nor a username.")
    parts = Arn.parse(arn)
    if parts is None or parts.kind != "role" or parts.account != cluster.account:
        raise invalid_parameter(f"An access entry of type {kind} is for an IAM role of the cluster's account.")


def _entry(cluster: Cluster, params: dict[str, Any]) -> AccessEntry:
    entry = cluster.entries.get(params["principalArn"])
    if entry is None:
        raise not_found(
            f"The specified principalArn could not be found. You can view your available access entries with "
            f"'list-access-entries': {params['principalArn']}"
        )
    return entry


def _scope(wanted: dict[str, Any]) -> tuple[str, list[str]]:
    kind, namespaces = wanted.get("type"), wanted.get("namespaces", [])
    if kind == "namespace" and not namespaces:
        raise invalid_parameter("accessScope of type namespace needs namespaces.")
    if kind == "cluster" and namespaces:
        raise invalid_parameter("accessScope of type cluster cannot have namespaces.")
    if kind is None:
        raise invalid_parameter("accessScope needs a type.")
    return kind, namespaces


def _scope_view(scope: PolicyScope) -> dict[str, Any]:
    return {
        "policyArn": scope.policy_arn,
        "accessScope": {"type": scope.type, "namespaces": scope.namespaces},
        "associatedAt": scope.associated_at,
        "modifiedAt": scope.modified_at,
    }
