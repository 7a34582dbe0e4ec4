"""A controller as the API shows it when all is well; tests change one thing at a time."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.model import (
    DEFINITION_NAMES,
    Observed,
    Release,
    Wanted,
)

NOW = 1_790_000_000.0
RENEWED = "2026-09-21T14:13:18.000000Z"  # two seconds before NOW
WANTED = Wanted(namespace="kube-system", cluster_name="demo", interruption_queue="demo", version="1.14.0")
METRICS = (
    'karpenter_build_info{commit="1d92708",goversion="go1.26",version="1.14.0"} 1\n'
    'aws_sdk_go_request_attempt_duration_seconds_count{action="GetQueueUrl",code="200",service="SQS"} 1\n'
)
ENVIRONMENT = {"CLUSTER_NAME": "demo", "INTERRUPTION_QUEUE": "demo"}
INJECTED = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1/credentials"}


def container(environment: dict[str, str]) -> dict[str, Any]:
    """The controller's container."""
    return {
        "name": "controller",
        "image": "public.ecr.aws/karpenter/controller:1.14.0@sha256:abc",
        "env": [{"name": name, "value": value} for name, value in environment.items()],
    }


def pod(name: str, node: str, environment: dict[str, str] | None = None) -> dict[str, Any]:
    """A ready pod of the controller."""
    return {
        "metadata": {"name": name},
        "spec": {
            "nodeName": node,
            "serviceAccountName": "karpenter",
            "containers": [container(ENVIRONMENT | INJECTED if environment is None else environment)],
        },
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def definition(name: str, release: str | None = "karpenter-crd") -> dict[str, Any]:
    """An established CRD."""
    annotations = {"meta.helm.sh/release-name": release} if release else {}
    return {
        "metadata": {"name": name, "annotations": annotations},
        "status": {"conditions": [{"type": "Established", "status": "True"}]},
    }


def error_line(message: str, error: str) -> str:
    """A line of the controller's log."""
    return json.dumps({"level": "ERROR", "message": message, "error": error})


def healthy(**changes: Any) -> Observed:
    """All is well, but for the changes."""
    deployment = {"spec": {"replicas": 2, "template": {"spec": {"containers": [container(ENVIRONMENT)]}}}}
    seen = Observed(
        now=NOW,
        releases={name: Release(name, "1.14.0", "deployed", 1) for name in ("karpenter-crd", "karpenter")},
        deployment=deployment,
        pods=(pod("karpenter-a", "node-1"), pod("karpenter-b", "node-2")),
        lease={"spec": {"holderIdentity": "karpenter-a_0815", "renewTime": RENEWED, "leaseDurationSeconds": 15}},
        definitions={name: definition(name) for name in DEFINITION_NAMES},
        zones={"node-1": "us-west-2a", "node-2": "us-west-2b"},
        logs={"karpenter-a": '{"level":"INFO","message":"starting"}', "karpenter-b": ""},
        metrics={"karpenter-a": METRICS, "karpenter-b": METRICS},
    )
    return replace(copy.deepcopy(seen), **changes)
