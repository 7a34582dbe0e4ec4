# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The checks of the controller's pods: credentials, replicas, leader, queue. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._kubernetes.model import timestamp
from . import logs
from .answers import failed, passed, undecided
from .metrics import samples
from .model import LEASE, Check, Observed, Wanted, environment, log_entries

CREDENTIALS_URI = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
"""Injected into pods of an associated service account at their creation
(https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html)."""
ROLE_ARN = "AWS_ROLE_ARN"
"""Injected for IAM roles for service accounts
(https://docs.aws.amazon.com/eks/latest/userguide/iam-roles-for-service-accounts.html)."""
TERM_SECONDS = 15.0
"""The Lease's term where it names none (client-go's default)."""
SHOWN_LINES = 3


def credentials(seen: Observed) -> Check:
    """The pods were given a source of AWS credentials, and no line says that it does not answer."""
    pods = seen.live_pods
    if not pods:
        return undecided("credentials", "There is no pod of the controller to ask")
    without = sorted(_name(pod) for pod in pods if not {CREDENTIALS_URI, ROLE_ARN} & set(environment(pod)))
    account = pods[0]["spec"].get("serviceAccountName", "karpenter")
    lines = _errors(seen, logs.credentials_missing)
    if without:
        message = (
            f"EKS gave {', '.join(without)} no AWS credentials: when they were made, service account {account} "
            "had no pod identity association"
        )
        step = (
            f"make the association of {account} with the controller's role (role eks_cluster does), "
            "then the pods anew: kubectl rollout restart deployment/karpenter"
        )
        return failed("credentials", message, lines, step)
    if lines:
        message = (
            f"The controller gets no AWS credentials, although service account {account} was associated "
            "when its pods were made"
        )
        step = (
            "look for the association (eks_cluster_info), for add-on eks-pod-identity-agent on the controller's "
            "nodes, and for pods.eks.amazonaws.com in the trust policy of the controller's role"
        )
        return failed("credentials", message, lines, step)
    refused = _errors(seen, logs.denied)
    if refused:
        step = "compare the policies of the controller's role with those of role karpenter_iam"
        return failed("credentials", "AWS refuses calls of the controller", refused, step)
    return passed("credentials", "The controller's pods have AWS credentials")


def replicas(seen: Observed) -> Check:
    """All replicas are ready; says on how many nodes and zones, and why a pod is not."""
    if seen.deployment is None:
        return failed("replicas", "There is no Deployment of Karpenter", (), "install the chart")
    wanted = seen.deployment["spec"].get("replicas", 1)
    reasons = {_name(pod): _not_ready(pod) for pod in seen.live_pods}
    nodes = {str(pod["spec"].get("nodeName")) for pod in seen.live_pods if reasons[_name(pod)] is None}
    zones = {seen.zones.get(node) or "unknown" for node in nodes}
    ready = sorted(name for name, reason in reasons.items() if reason is None)
    if len(ready) >= wanted and len(ready) == len(reasons):
        where = f"on {len(nodes)} nodes in {len(zones)} zones"
        return passed("replicas", f"{len(ready)} of {wanted} replicas are ready, {where}", *ready)
    evidence = [f"{name}: {reason}" for name, reason in sorted(reasons.items()) if reason]
    step = "kubectl describe the pod; two replicas need two nodes in two zones that Karpenter did not launch"
    return failed("replicas", f"{len(ready)} of {wanted} replicas are ready", evidence, step)


def leader(seen: Observed) -> Check:
    """A live pod holds the Lease and has renewed it in time."""
    if seen.leader is None:
        step = "read the controller's log for what keeps it from starting"
        return failed("leader", f"Nobody holds the Lease {LEASE}", _errors(seen), step)
    spec = (seen.lease or {}).get("spec") or {}
    age = seen.now - timestamp(spec.get("renewTime") or spec["acquireTime"])
    term = float(spec.get("leaseDurationSeconds") or TERM_SECONDS)
    if seen.leader not in {_name(pod) for pod in seen.live_pods}:
        message = f"The Lease {LEASE} is held by {seen.leader}, which is no pod of the controller"
        return failed("leader", message, (), "wait for its term to end; if it stays, delete the Lease")
    if age > term:
        message = f"{seen.leader} has not renewed the Lease {LEASE} for {age:.0f} seconds (term {term:.0f})"
        return failed("leader", message, _errors(seen), "look at the pod and its log")
    return passed("leader", f"{seen.leader} leads")


def queue(wanted: Wanted, seen: Observed) -> Check:
    """The controller reads its queue, as far as its own lines and metrics tell."""
    told = (environment(seen.deployment).get("INTERRUPTION_QUEUE") or "") if seen.deployment else ""
    name = wanted.interruption_queue
    if not told and not name:
        return passed("queue", "No interruption queue is asked for")
    instead = f" (here {name!r})" if name and name != told else ""
    missing = _errors(seen, logs.queue_missing)
    if missing:
        step = f"let settings.interruptionQueue name an SQS queue of this account and region{instead}"
        return failed("queue", f"The interruption queue {told!r} does not exist", missing, step)
    refused = _errors(seen, logs.queue_denied)
    if refused:
        # A queue that no policy names is refused whether or not it exists: what is not allowed is denied.
        # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
        message = f"The controller may not read the queue {told!r}: it is not the one that its role's policies name"
        step = (
            f"let settings.interruptionQueue name the queue of this cluster{instead}, or compare the policies of the "
            "controller's role with those of role karpenter_iam"
        )
        return failed("queue", message, refused, step)
    if seen.leader is None or seen.leader not in seen.metrics:
        return undecided("queue", "The leader's metrics cannot be read, so nothing shows that it reads its queue")
    if _reads_messages(seen.metrics[seen.leader]):
        return passed("queue", f"The leader reads the queue {told!r}")
    return undecided("queue", f"The leader has not read the queue {told!r} yet")


def _name(pod: Mapping[str, Any]) -> str:
    return str(pod["metadata"]["name"])


def _errors(seen: Observed, pick: Callable[[Iterable[str]], list[str]] = list) -> list[str]:
    """The last error lines of all pods that ``pick`` takes, each once."""
    lines = dict.fromkeys(line for text in seen.logs.values() for line in logs.errors(log_entries(text)))
    return pick(lines)[-SHOWN_LINES:]


def _reads_messages(text: str) -> bool:
    """Whether SQS has answered for the queue: it was found, or a round of long polling (20 s) has ended well."""
    calls = samples(text, "aws_sdk_go_request_attempt_duration_seconds_count")
    if any(call.labels.get("action") == "GetQueueUrl" and call.labels.get("code") == "200" for call in calls):
        return True
    done = samples(text, "controller_runtime_reconcile_total")
    own = [sample for sample in done if sample.labels.get("controller") == "interruption"]
    return any(sample.value > 0 and sample.labels.get("result") != "error" for sample in own)


def _not_ready(pod: Mapping[str, Any]) -> str | None:
    """Why the pod is not ready, as its own status says."""
    status = pod.get("status") or {}
    conditions = {entry["type"]: entry for entry in status.get("conditions") or ()}
    if conditions.get("Ready", {}).get("status") == "True":
        return None
    for item in status.get("containerStatuses") or ():
        waiting = (item.get("state") or {}).get("waiting") or {}
        last = (item.get("lastState") or {}).get("terminated") or {}
        if waiting.get("reason"):
            ended = f", ended before with exit code {last.get('exitCode')}" if last else ""
            return f"{waiting['reason']} {waiting.get('message', '')}".strip() + ended
    scheduled = conditions.get("PodScheduled", {})
    if scheduled.get("status") == "False":
        return f"{scheduled.get('reason')}: {scheduled.get('message')}"
    return str(conditions.get("Ready", {}).get("message") or status.get("phase") or "no status yet")
