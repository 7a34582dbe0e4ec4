"""What EKS adds to a pod whose service account has a pod identity association. Pure.

https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html
https://docs.aws.amazon.com/sdkref/latest/guide/feature-sts-regionalized-endpoints.html
"""

from __future__ import annotations

from typing import Any

AUDIENCE = "pods.eks.amazonaws.com"
VOLUME = "eks-pod-identity-token"
MOUNT_PATH = "/var/run/secrets/pods.eks.amazonaws.com/serviceaccount"
CREDENTIALS_URI = "http://169.254.170.23/v1/credentials"
TOKEN_SECONDS = 86400


def patch(pod: dict[str, Any], region: str) -> list[dict[str, Any]]:
    """A JSON patch for the pod; variables and mounts that a container has already are left as they are."""
    spec = pod["spec"]
    operations: list[dict[str, Any]] = []
    for kind in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(kind) or []):
            operations += _container(container, f"/spec/{kind}/{index}", region)
    volumes = spec.get("volumes") or []
    if not any(volume.get("name") == VOLUME for volume in volumes):
        operations += _append(bool(volumes), "/spec/volumes", [_volume()])
    return operations


def _container(container: dict[str, Any], path: str, region: str) -> list[dict[str, Any]]:
    env, mounts = container.get("env") or [], container.get("volumeMounts") or []
    present = {variable["name"] for variable in env}
    missing = [variable for variable in _variables(region) if variable["name"] not in present]
    operations = _append(bool(env), f"{path}/env", missing)
    if not any(mount.get("mountPath", "").rstrip("/") == MOUNT_PATH for mount in mounts):
        mount = {"name": VOLUME, "mountPath": MOUNT_PATH, "readOnly": True}
        operations += _append(bool(mounts), f"{path}/volumeMounts", [mount])
    return operations


def _append(exists: bool, path: str, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not items:
        return []
    if not exists:
        return [{"op": "add", "path": path, "value": items}]
    return [{"op": "add", "path": f"{path}/-", "value": item} for item in items]


def _variables(region: str) -> list[dict[str, str]]:
    values = {
        "AWS_STS_REGIONAL_ENDPOINTS": "regional",
        "AWS_DEFAULT_REGION": region,
        "AWS_REGION": region,
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": CREDENTIALS_URI,
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": f"{MOUNT_PATH}/{VOLUME}",
    }
    return [{"name": name, "value": value} for name, value in values.items()]


def _volume() -> dict[str, Any]:
    source = {"audience": AUDIENCE, "expirationSeconds": TOKEN_SECONDS, "path": VOLUME}
    return {"name": VOLUME, "projected": {"defaultMode": 420, "sources": [{"serviceAccountToken": source}]}}
