"""The install gate: every check passes when all is well, and for each there is a controller on which it fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.checks import all_checks
from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.model import (
    DEFINITION_NAMES,
    Check,
    Observed,
    Release,
)

from .world import ENVIRONMENT, INJECTED, METRICS, WANTED, container, definition, error_line, healthy, pod

DEPLOYED = {name: Release(name, "1.14.0", "deployed", 1) for name in ("karpenter-crd", "karpenter")}


def answers(seen: Observed, **wanted: Any) -> dict[str, Check]:
    return {check.name: check for check in all_checks(replace(WANTED, **wanted), seen)}


def deployment(environment: dict[str, str]) -> dict[str, Any]:
    return {"spec": {"replicas": 2, "template": {"spec": {"containers": [container(environment)]}}}}


def waiting_pod() -> dict[str, Any]:
    item = pod("karpenter-b", "node-2")
    item["status"] = {
        "conditions": [{"type": "Ready", "status": "False"}],
        "containerStatuses": [
            {
                "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 20s"}},
                "lastState": {"terminated": {"exitCode": 1}},
            }
        ],
    }
    return item


def pending_pod() -> dict[str, Any]:
    item = pod("karpenter-b", "")
    message = "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules"
    item["status"] = {
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}]
    }
    return item


def test_everything_passes_when_all_is_well() -> None:
    assert {check.status for check in answers(healthy()).values()} == {"pass"}


NO_QUEUE = error_line("Reconciler error", "creating sqs provider, AWS.SimpleQueueService.NonExistentQueue: no queue")
NO_CREDENTIALS = error_line(
    "ec2 api connectivity check failed", "get identity: get credentials: failed to refresh cached credentials"
)
DENIED = error_line("Reconciler error", "api error UnauthorizedOperation: You are not authorized to perform this")
QUEUE_DENIED = error_line("Reconciler error", "getting messages from queue, api error AccessDenied")
# What a queue that the role's policies do not name is answered with, whether or not it exists.
OTHER_QUEUE = error_line(
    "Reconciler error",
    "creating sqs provider, operation error SQS: GetQueueUrl, api error AccessDenied: User: arn:aws:sts::111122223333:"
    "assumed-role/demo-karpenter/eks is not authorized to perform: sqs:GetQueueUrl on resource: arn:aws:sqs:us-west-2:"
    "111122223333:dmeo because no identity-based policy allows the sqs:GetQueueUrl action",
)
FAILURES = [
    ("releases", {"releases": {"karpenter": DEPLOYED["karpenter"]}}, "karpenter-crd is not installed"),
    (
        "releases",
        {"releases": DEPLOYED | {"karpenter": Release("karpenter", "1.14.0", "pending-install", 1)}},
        "pending-install",
    ),
    (
        "releases",
        {"releases": DEPLOYED | {"karpenter": Release("karpenter", "1.13.0", "deployed", 1)}},
        "different versions: 1.13.0, 1.14.0",
    ),
    ("definitions", {"definitions": {}}, "nodepools.karpenter.sh is missing"),
    ("definitions", {"definitions": {name: definition(name, None) for name in DEFINITION_NAMES}}, "no release"),
    (
        "definitions",
        {"definitions": {name: definition(name, "karpenter") for name in DEFINITION_NAMES}},
        "belongs to release karpenter",
    ),
    (
        "definitions",
        {"definitions": {name: definition(name) | {"status": {}} for name in DEFINITION_NAMES}},
        "is not established",
    ),
    ("settings", {"deployment": deployment(ENVIRONMENT | {"CLUSTER_NAME": "other"})}, "'other', not 'demo'"),
    ("settings", {"deployment": deployment(ENVIRONMENT | {"INTERRUPTION_QUEUE": "dmeo"})}, "'dmeo', not 'demo'"),
    ("settings", {"deployment": None}, "no Deployment"),
    ("credentials", {"pods": (pod("karpenter-a", "node-1", ENVIRONMENT),)}, "no pod identity association"),
    ("credentials", {"logs": {"karpenter-a": NO_CREDENTIALS}}, "gets no AWS credentials"),
    ("credentials", {"logs": {"karpenter-a": DENIED}}, "AWS refuses"),
    ("replicas", {"pods": (pod("karpenter-a", "node-1"), waiting_pod())}, "1 of 2 replicas"),
    ("replicas", {"pods": (pod("karpenter-a", "node-1"), pending_pod())}, "1 of 2 replicas"),
    ("replicas", {"deployment": None}, "no Deployment"),
    ("leader", {"lease": None}, "Nobody holds"),
    (
        "leader",
        {"lease": {"spec": {"holderIdentity": "gone_1", "renewTime": "2026-09-21T14:13:18Z"}}},
        "no pod of the controller",
    ),
    (
        "leader",
        {"lease": {"spec": {"holderIdentity": "karpenter-a_1", "renewTime": "2026-09-21T14:12:20Z"}}},
        "60 seconds",
    ),
    ("queue", {"logs": {"karpenter-a": NO_QUEUE}}, "does not exist"),
    ("queue", {"logs": {"karpenter-a": QUEUE_DENIED}}, "may not read the queue"),
    (
        "queue",
        {"logs": {"karpenter-a": OTHER_QUEUE}, "deployment": deployment(ENVIRONMENT | {"INTERRUPTION_QUEUE": "dmeo"})},
        "may not read the queue 'dmeo': it is not the one",
    ),
    ("version", {"metrics": {"karpenter-a": METRICS.replace("1.14.0", "1.13.0")}}, "1.13.0 runs, not 1.14.0"),
    ("version", {"deployment": None}, "Nothing is installed"),
]


@pytest.mark.parametrize(("name", "changes", "said"), FAILURES)
def test_check_fails_and_leads_to_the_cause(name: str, changes: dict[str, Any], said: str) -> None:
    check = answers(healthy(**changes))[name]
    assert check.status == "fail"
    assert said in check.message
    assert check.next_step


@pytest.mark.parametrize("line", [QUEUE_DENIED, OTHER_QUEUE])
def test_a_refused_queue_is_no_fault_of_the_credentials(line: str) -> None:
    assert answers(healthy(logs={"karpenter-a": line}))["credentials"].status == "pass"


def _definitions_check(version: str) -> Check:
    """With the definitions that Karpenter 1.13 has."""
    releases = {name: Release(name, version, "deployed", 1) for name in ("karpenter-crd", "karpenter")}
    names = [name for name in DEFINITION_NAMES if not name.startswith("capacitybuffers")]
    seen = healthy(releases=releases, definitions={name: definition(name) for name in names})
    [found] = [check for check in all_checks(WANTED, seen) if check.name == "definitions"]
    return found


@pytest.mark.parametrize("version", ["1.12.0", "1.13.0", "1.13.9"])
def test_a_version_needs_the_definitions_that_it_has(version: str) -> None:
    found = _definitions_check(version)
    assert (found.status, found.message) == ("pass", "4 CRDs of release karpenter-crd")


@pytest.mark.parametrize("version", ["1.14.0", "1.14.1", "1.15.0"])
def test_a_later_version_needs_those_that_came_with_it(version: str) -> None:
    found = _definitions_check(version)
    assert (found.status, "capacitybuffers.autoscaling.x-k8s.io is missing" in found.message) == ("fail", True)


def test_why_a_pod_is_not_ready_is_told() -> None:
    crashing = answers(healthy(pods=(pod("karpenter-a", "node-1"), waiting_pod())))["replicas"]
    assert crashing.evidence == ("karpenter-b: CrashLoopBackOff back-off 20s, ended before with exit code 1",)
    pending = answers(healthy(pods=(pod("karpenter-a", "node-1"), pending_pod())))["replicas"]
    assert "anti-affinity" in pending.evidence[0]


UNDECIDED = [
    ("queue", {"metrics": {}}, "metrics cannot be read"),
    ("queue", {"metrics": {"karpenter-a": "", "karpenter-b": METRICS}}, "has not read"),
    ("credentials", {"pods": ()}, "no pod"),
    ("version", {"metrics": {"a": METRICS, "b": METRICS.replace("1.14.0", "1.13.0")}}, "side by side"),
]


@pytest.mark.parametrize(("name", "changes", "said"), UNDECIDED)
def test_what_cannot_be_read_is_never_a_pass(name: str, changes: dict[str, Any], said: str) -> None:
    check = answers(healthy(**changes))[name]
    assert check.status == "inconclusive"
    assert said in check.message


def test_an_error_of_the_queue_on_any_replica_counts() -> None:
    seen = healthy(logs={"karpenter-a": "", "karpenter-b": NO_QUEUE})
    assert answers(seen)["queue"].evidence[0].startswith("Reconciler error: creating sqs provider")


def test_a_cluster_without_queue_needs_none() -> None:
    seen = healthy(deployment=deployment({"CLUSTER_NAME": "demo"}), metrics={})
    assert answers(seen, interruption_queue="", version=None)["queue"].status == "pass"


def test_roles_for_service_accounts_are_credentials_too() -> None:
    role = ENVIRONMENT | {"AWS_ROLE_ARN": "arn:aws:iam::111122223333:role/demo-karpenter"}
    seen = healthy(pods=(pod("karpenter-a", "node-1", role), pod("karpenter-b", "node-2", ENVIRONMENT | INJECTED)))
    assert answers(seen)["credentials"].status == "pass"
