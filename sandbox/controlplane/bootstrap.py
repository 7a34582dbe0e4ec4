"""What EKS puts into every new cluster before anybody can use it: the roles that its nodes and its own parts have.

The EKS service adds what depends on its own records (access policies, the pod identity webhook, add-ons).
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Any

import aiohttp

_RBAC = "rbac.authorization.k8s.io"
_TIMEOUT = aiohttp.ClientTimeout(total=20)


def _binding(name: str, role: str, subjects: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name, "labels": {"eks.amazonaws.com/component": "control-plane"}},
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": role},
        "subjects": subjects,
    }


def _group(name: str) -> dict[str, str]:
    return {"apiGroup": _RBAC, "kind": "Group", "name": name}


def objects() -> list[dict[str, Any]]:
    """Bindings by the names they have on EKS.

    https://docs.aws.amazon.com/eks/latest/userguide/default-roles-users.html
    """
    kubelet_client = {"apiGroup": _RBAC, "kind": "User", "name": "kube-apiserver-kubelet-client"}
    proxy = {"kind": "ServiceAccount", "name": "kube-proxy", "namespace": "kube-system"}
    return [
        _binding("eks:node-bootstrapper", "system:node-bootstrapper", [_group("system:bootstrappers")]),
        _binding("eks:kube-proxy", "system:node-proxier", [proxy, _group("system:nodes")]),
        _binding("eks:kube-proxy-windows", "system:node-proxier", [_group("eks:kube-proxy-windows")]),
        # The API server itself, when it asks a kubelet for logs.
        _binding("eks:kubelet-api-admin", "system:kubelet-api-admin", [kubelet_client]),
    ]


async def apply(url: str, context: ssl.SSLContext) -> None:
    """Create the objects as the administrator of ``context``. Raises RuntimeError with the API server's answer."""
    path = f"{url}/apis/{_RBAC}/v1/clusterrolebindings"
    connector = aiohttp.TCPConnector(ssl=context)
    async with aiohttp.ClientSession(timeout=_TIMEOUT, connector=connector) as session:

        async def create(body: dict[str, Any]) -> None:
            async with session.post(path, json=body) as answer:
                if answer.status not in (201, 409):
                    name = body["metadata"]["name"]
                    raise RuntimeError(f"cannot create ClusterRoleBinding {name}: {await answer.text()}")

        await asyncio.gather(*map(create, objects()))


async def release_leases(url: str, context: ssl.SSLContext, most_seconds: int) -> None:
    """Delete the leases of nodes that the kwok of an earlier run holds: the next one makes new ones at once.

    One that it finds it would take up after 40 seconds, and play no pod of the node until then. Longer ones than
    ``most_seconds`` are of nodes that are switched off, and stay. Raises RuntimeError.
    """
    path = f"{url}/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
    connector = aiohttp.TCPConnector(ssl=context)
    async with aiohttp.ClientSession(timeout=_TIMEOUT, connector=connector) as session:
        async with session.get(path) as answer:
            if answer.status != 200:
                raise RuntimeError(f"cannot read the leases of nodes: {await answer.text()}")
            leases = (await answer.json())["items"]

        async def release(name: str) -> None:
            async with session.delete(f"{path}/{name}") as answer:
                if answer.status not in (200, 404):
                    raise RuntimeError(f"cannot release the lease of {name}: {await answer.text()}")

        held = [one for one in leases if (one["spec"].get("leaseDurationSeconds") or 0) <= most_seconds]
        await asyncio.gather(*(release(one["metadata"]["name"]) for one in held))
