"""Answers and registrations of mutating admission webhooks. Pure.

https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any


def reviewed(review: Mapping[str, Any], operations: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
    """The review's answer: allowed, with a JSON patch when there is one."""
    response: dict[str, Any] = {"uid": review["request"]["uid"], "allowed": True}
    if operations is not None:
        response["patchType"] = "JSONPatch"
        response["patch"] = base64.b64encode(json.dumps(operations).encode()).decode()
    return {"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": response}


def hook(name: str, url: str, ca_pem: bytes, *, operation: str, resource: str, **more: Any) -> dict[str, Any]:
    """One webhook for one operation on one resource of the core group."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": [operation], "resources": [resource]}
    return {
        "name": name,
        "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": url, "caBundle": base64.b64encode(ca_pem).decode()},
        "rules": [rule],
        "sideEffects": "None",
        "timeoutSeconds": 10,
    } | more


def configuration(name: str, hooks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The object that registers webhooks."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": list(hooks),
    }
