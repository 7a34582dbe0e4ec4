"""The ``aws-auth`` ConfigMap: the older way to say who may talk to the API server.

https://docs.aws.amazon.com/eks/latest/userguide/auth-configmap.html
"""

from __future__ import annotations

from typing import Any

import yaml

from sandbox.eks.iam import Arn
from sandbox.eks.kube import Kube, KubeError

_PATH = "/api/v1/namespaces/kube-system/configmaps/aws-auth"
NODE_GROUPS = ["system:bootstrappers", "system:nodes"]


async def find(kube: Kube, principal: Arn) -> tuple[str, list[str]] | None:
    """The username and groups that the ConfigMap gives a role or user, or None. Raises KubeError.

    Roles are compared without their paths, as the ConfigMap may not have them.
    """
    data = await _read(kube)
    key, field = ("mapRoles", "rolearn") if principal.kind == "role" else ("mapUsers", "userarn")
    for mapping in _mappings(data, key):
        arn = Arn.parse(str(mapping.get(field, "")))
        if arn is not None and (arn.account, arn.kind, arn.path) == (principal.account, principal.kind, principal.name):
            return str(mapping.get("username", mapping[field])), [str(one) for one in mapping.get("groups") or []]
    return None


async def add_node_role(kube: Kube, role_arn: str) -> None:
    """Map the role of a managed node group, as EKS does while the cluster has no access entries. Raises KubeError."""
    arn = Arn.parse(role_arn)
    assert arn is not None  # the role was looked up by this ARN
    bare = role_arn.replace(arn.path, arn.name)
    data = await _read(kube)
    roles = _mappings(data, "mapRoles")
    if any(mapping.get("rolearn") == bare for mapping in roles):
        return
    roles.append({"rolearn": bare, "username": "system:node:{{EC2PrivateDNSName}}", "groups": NODE_GROUPS})
    await kube.apply(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "aws-auth", "namespace": "kube-system"},
            "data": {"mapRoles": yaml.safe_dump(roles, sort_keys=False)},
        }
    )


async def _read(kube: Kube) -> dict[str, str]:
    try:
        return (await kube.get(_PATH)).get("data") or {}
    except KubeError as error:
        if error.status == 404:
            return {}
        raise


def _mappings(data: dict[str, str], key: str) -> list[dict[str, Any]]:
    try:
        found = yaml.safe_load(data.get(key, "")) or []
    except yaml.YAMLError:
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
