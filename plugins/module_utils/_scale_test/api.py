# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The calls of a scale test to the API server. Private to the collection."""

from __future__ import annotations

from collections.abc import Sequence

from .._core.progress import Progress
from .._core.waiting import Waiter
from .._karpenter_controller.model import LEASE
from .._kubernetes.client import Client
from .._kubernetes.errors import KubernetesError
from .._kubernetes.model import DEPLOYMENTS, LEASES, NAMESPACES, NODE_POOLS, NODES, PODS, Object, condition
from .model import DEPLOYMENT, MANAGER, NAMESPACE, POOL_LABEL, RENEWED_ANNOTATION, RUN_ANNOTATION
from .plan import Found

GONE_SECONDS = 120.0
METRICS_PORT = 8080


def observe(client: Client, controller_namespace: str) -> Found:
    """The cluster before the test. Raises KubernetesError."""
    return Found(_pools(client), leader(client, controller_namespace), former(client))


def _pools(client: Client) -> list[Object] | None:
    try:
        return client.all(NODE_POOLS)
    except KubernetesError as error:
        if error.kind == "no_kind":
            return None
        raise


def leader(client: Client, namespace: str) -> str | None:
    """The pod that holds the Lease, if it is there; the holder's identity is ``<pod>_<uuid>``."""
    lease = client.get(LEASES, LEASE, namespace)
    holder = ((lease or {}).get("spec") or {}).get("holderIdentity") or ""
    name = holder.rsplit("_", 1)[0]
    return name if name and client.get(PODS, name, namespace) else None


def former(client: Client) -> Object | None:
    """The namespace of a test, if it is there."""
    return client.get(NAMESPACES, NAMESPACE)


def nodes(client: Client) -> list[Object]:
    """The nodes that Karpenter launched."""
    return client.all(NODES, labels=POOL_LABEL)


def bound_pods(client: Client) -> list[Object]:
    """All pods that run on a node."""
    return client.all(PODS, fields="spec.nodeName!=")


def metrics(client: Client, pod: str, namespace: str, names: Sequence[str] = ()) -> str | None:
    """The controller's metrics through the API server's proxy; None when they cannot be had now.

    :param names: those that are of interest; all may come nevertheless.
    """
    try:
        return client.text(f"{PODS.path(f'{pod}:{METRICS_PORT}', namespace)}/proxy/metrics", {"name[]": names})
    except KubernetesError:
        return None


def scale(client: Client, replicas: int) -> None:
    """Set the replicas of the workload."""
    body = {"spec": {"replicas": replicas}}
    client.patch(DEPLOYMENTS, DEPLOYMENT, body, manager=MANAGER, namespace=NAMESPACE, subresource="scale")


def not_made(client: Client) -> str | None:
    """Why the Deployment cannot make pods (a quota, an admission webhook), or None."""
    found = client.get(DEPLOYMENTS, DEPLOYMENT, NAMESPACE)
    failure = condition(found or {}, "ReplicaFailure") or {}
    return str(failure["message"]) if failure.get("status") == "True" else None


def renew(client: Client, run: str, now: float) -> bool:
    """Say that the run lives; False when its namespace is gone or another run's."""
    found = former(client)
    if found is None or (found["metadata"].get("annotations") or {}).get(RUN_ANNOTATION) != run:
        return False
    body = {"metadata": {"annotations": {RENEWED_ANNOTATION: str(round(now, 3))}}}
    client.patch(NAMESPACES, NAMESPACE, body, manager=MANAGER)
    return True


def remove(client: Client, namespace: Object, progress: Progress) -> None:
    """Delete a test's namespace with all in it, and wait until it is gone. Raises EksopsTimeoutError."""
    uid = namespace["metadata"]["uid"]

    def look() -> dict[str, str | None]:
        found = former(client)
        if found is None or found["metadata"]["uid"] != uid:
            return {NAMESPACE: None}
        texts = [str(entry["message"]) for entry in (found.get("status") or {}).get("conditions") or ()
                 if entry.get("status") == "True" and entry.get("message")]  # fmt: skip
        return {NAMESPACE: "; ".join(texts) or "its content is being deleted"}

    if client.delete(NAMESPACES, NAMESPACE, uid=uid):
        Waiter(GONE_SECONDS, progress=progress, interval_seconds=0.5, max_interval_seconds=3).until(
            "clean-up", f"Namespace {NAMESPACE} was not removed", look,
            next_step=f"kubectl get namespace {NAMESPACE} -o yaml shows what keeps it",
        )  # fmt: skip
