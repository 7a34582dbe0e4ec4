"""Kubeconfig files of the control plane's own clients, and of the webhook that the API server asks."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from sandbox.controlplane.pki import Pair
from sandbox.state import write_json


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _document(cluster: dict[str, Any], user: dict[str, Any]) -> dict[str, Any]:
    name = "sandbox"
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }


def write_client(path: Path, url: str, ca_pem: bytes, client: Pair) -> Path:
    """A kubeconfig with everything in it, so that it works wherever it is copied to. JSON is YAML."""
    cluster = {"server": url, "certificate-authority-data": _base64(ca_pem)}
    user = {
        "client-certificate-data": _base64(client.certificate.read_bytes()),
        "client-key-data": _base64(client.key.read_bytes()),
    }
    write_json(path, _document(cluster, user))
    return path


def write_webhook(path: Path, url: str) -> Path:
    """Where the API server sends token reviews, in the form of a kubeconfig.

    https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication
    """
    write_json(path, _document({"server": url}, {}))
    return path
