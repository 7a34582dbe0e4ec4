"""EKS access policies and the RBAC rules that they stand for. Read on 2026-11-30 from

https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html

EKS authorizes access policies beside RBAC, in its own authorizer; the sandbox gives the user one group per policy and
scope, and binds it. AWS has more policies than these, for other services and for Auto Mode.
"""

from __future__ import annotations

from typing import Any

_READ = ["get", "list", "watch"]
_WRITE = ["create", "delete", "deletecollection", "patch", "update"]
_WORKLOADS = ["daemonsets", "deployments", "deployments/rollback", "deployments/scale", "replicasets",
              "replicasets/scale", "statefulsets", "statefulsets/scale"]  # fmt: skip
_WORKLOADS_SEEN = ["controllerrevisions", "daemonsets", "daemonsets/status", "deployments", "deployments/scale",
                   "deployments/status", "replicasets", "replicasets/scale", "replicasets/status", "statefulsets",
                   "statefulsets/scale", "statefulsets/status"]  # fmt: skip
_CORE_SEEN = ["configmaps", "endpoints", "persistentvolumeclaims", "persistentvolumeclaims/status", "pods",
              "replicationcontrollers", "replicationcontrollers/scale", "serviceaccounts", "services",
              "services/status", "bindings", "events", "limitranges", "namespaces/status", "pods/log", "pods/status",
              "replicationcontrollers/status", "resourcequotas", "resourcequotas/status", "namespaces"]  # fmt: skip
_INTO_PODS = ["pods/attach", "pods/exec", "pods/portforward", "pods/proxy"]
_CORE_WRITTEN = ["configmaps", "events", "persistentvolumeclaims", "replicationcontrollers",
                 "replicationcontrollers/scale", "secrets", "serviceaccounts", "services", "services/proxy",
                 "pods"]  # fmt: skip


def _rule(group: str, resources: list[str], verbs: list[str]) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}


_VIEW = [
    _rule("apps", _WORKLOADS_SEEN, _READ),
    _rule("autoscaling", ["horizontalpodautoscalers", "horizontalpodautoscalers/status"], _READ),
    _rule("batch", ["cronjobs", "cronjobs/status", "jobs", "jobs/status"], _READ),
    _rule("discovery.k8s.io", ["endpointslices"], _READ),
    _rule("networking.k8s.io", ["ingresses", "ingresses/status", "networkpolicies"], _READ),
    _rule("policy", ["poddisruptionbudgets", "poddisruptionbudgets/status"], _READ),
    _rule("", _CORE_SEEN, _READ),
]
_EDIT = [
    *_VIEW,
    _rule("apps", _WORKLOADS, _WRITE),
    _rule("autoscaling", ["horizontalpodautoscalers"], _WRITE),
    _rule("batch", ["cronjobs", "jobs"], _WRITE),
    _rule("networking.k8s.io", ["ingresses", "networkpolicies"], _WRITE),
    _rule("policy", ["poddisruptionbudgets"], _WRITE),
    _rule("", [*_INTO_PODS, "secrets", "services/proxy"], _READ),
    _rule("", [*_CORE_WRITTEN, *_INTO_PODS], _WRITE),
    _rule("", ["serviceaccounts"], ["impersonate"]),
]
_ADMIN = [
    *_EDIT,
    _rule("authorization.k8s.io", ["localsubjectaccessreviews"], ["create"]),
    _rule("rbac.authorization.k8s.io", ["rolebindings", "roles"], [*_WRITE, *_READ]),
]

RULES: dict[str, list[dict[str, Any]]] = {
    "AmazonEKSAdminPolicy": _ADMIN,
    "AmazonEKSAdminViewPolicy": [_rule("*", ["*"], _READ)],
    "AmazonEKSClusterAdminPolicy": [_rule("*", ["*"], ["*"]), {"nonResourceURLs": ["*"], "verbs": ["*"]}],
    "AmazonEKSEditPolicy": _EDIT,
    "AmazonEKSViewPolicy": _VIEW,
}


def arn(name: str, partition: str) -> str:
    """The ARN of an access policy."""
    return f"arn:{partition}:eks::aws:cluster-access-policy/{name}"


def name_of(policy_arn: str, partition: str) -> str | None:
    """The name of the policy with this ARN, None when there is none."""
    return next((name for name in RULES if arn(name, partition) == policy_arn), None)


def group(name: str, namespace: str | None = None) -> str:
    """The group that stands for a policy in the whole cluster, or in the namespaces of a name or pattern."""
    return f"eks:access-policy:{name}" if namespace is None else f"eks:access-policy:{name}:namespace:{namespace}"


def cluster_objects() -> list[dict[str, Any]]:
    """The cluster roles, and the bindings of the groups that hold cluster-wide."""
    objects: list[dict[str, Any]] = []
    for name, rules in RULES.items():
        meta = {"name": group(name), "labels": {"eks.amazonaws.com/component": "access-policy"}}
        api = "rbac.authorization.k8s.io/v1"
        objects.append({"apiVersion": api, "kind": "ClusterRole", "metadata": meta, "rules": rules})
        binding = {"apiVersion": api, "kind": "ClusterRoleBinding", "metadata": meta}
        objects.append({**binding, **_bound(name, group(name))})
    return objects


def namespace_binding(name: str, pattern: str, namespace: str) -> dict[str, Any]:
    """The binding in ``namespace`` of the group that stands for a policy in the namespaces of ``pattern``."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {
            # A pattern may end in *, which an object's name may not have.
            "name": f"{group(name)}:{pattern.replace('*', '-all')}",
            "namespace": namespace,
            "labels": {"eks.amazonaws.com/component": "access-policy"},
        },
        **_bound(name, group(name, pattern)),
    }


def _bound(name: str, member: str) -> dict[str, Any]:
    return {
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": group(name)},
        "subjects": [{"kind": "Group", "name": member, "apiGroup": "rbac.authorization.k8s.io"}],
    }
