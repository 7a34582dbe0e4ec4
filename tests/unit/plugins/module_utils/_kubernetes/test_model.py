"""Kubeconfigs and paths: what is read from the file, and what is told when it lacks something."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.model import (
    NODE_POOLS,
    NODES,
    PODS,
    ExecPlugin,
    condition,
    connection,
    is_true,
    timestamp,
)

PEM = "-----BEGIN CERTIFICATE-----"


def config(**changes: Any) -> dict[str, Any]:
    content = {
        "current-context": "demo",
        "contexts": [{"name": "demo", "context": {"cluster": "c", "user": "u"}}, {"name": "other", "context": {}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://x.eks.amazonaws.com/"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    }
    return {**content, **changes}


def test_the_current_context_decides() -> None:
    target = connection(config(), "kubeconfig")
    assert (target.server, target.token, target.verify) == ("https://x.eks.amazonaws.com", "t", True)


def test_everything_a_private_cluster_needs_is_read() -> None:
    cluster = {
        "server": "https://10.0.0.1",
        "certificate-authority-data": base64.b64encode(PEM.encode()).decode(),
        "tls-server-name": "kubernetes",
        "proxy-url": "http://proxy:3128",
        "insecure-skip-tls-verify": False,
    }
    user = {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": "/opt/token",
            "args": ["--cluster", "demo"],
            "env": [{"name": "AWS_PROFILE", "value": "shop"}],
        }
    }
    content = config(clusters=[{"name": "c", "cluster": cluster}], users=[{"name": "u", "user": user}])
    target = connection(content, "kubeconfig", "demo")
    assert (target.ca_pem, target.tls_server_name, target.proxy_url) == (PEM, "kubernetes", "http://proxy:3128")
    assert target.exec_plugin == ExecPlugin(
        "/opt/token", ("--cluster", "demo"), {"AWS_PROFILE": "shop"}, "client.authentication.k8s.io/v1"
    )


@pytest.mark.parametrize(
    ("content", "context", "words"),
    [
        (config(**{"current-context": ""}), None, "no current context"),
        (config(), "prod", "no context 'prod'.*one of: demo, other"),
        (config(clusters=[]), None, "no cluster 'c'.*one of: none"),
        (config(users=None), None, "no user 'u'"),
        (config(clusters=[{"name": "c", "cluster": {}}]), None, "has no server"),
        (
            config(clusters=[{"name": "c", "cluster": {"server": "https://x", "certificate-authority-data": "%%"}}]),
            None,
            "certificate-authority-data is not base64",
        ),
    ],
)
def test_what_is_missing_is_named_with_the_file(content: dict[str, Any], context: str | None, words: str) -> None:
    with pytest.raises(EksopsError, match=words) as error:
        connection(content, "kube/config", context)
    assert "kube/config" in str(error.value)


def test_paths_are_those_of_the_api() -> None:
    assert NODES.path("n-1", "ignored") == "/api/v1/nodes/n-1"
    assert PODS.path() == "/api/v1/pods"
    assert PODS.path("p", "shop") == "/api/v1/namespaces/shop/pods/p"
    assert NODE_POOLS.path("default") == "/apis/karpenter.sh/v1/nodepools/default"
    assert (PODS.api_version, NODE_POOLS.api_version) == ("v1", "karpenter.sh/v1")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1970-01-01T00:01:00Z", 60.0), ("1970-01-01T00:01:00.250000Z", 60.25), ("1970-01-01T02:01:00+02:00", 60.0)],
)
def test_times_are_read(text: str, seconds: float) -> None:
    assert timestamp(text) == seconds


def test_conditions_are_found_by_type() -> None:
    item = {"status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Drifted", "status": "False"}]}}
    assert condition(item, "Drifted") == {"type": "Drifted", "status": "False"}
    assert (is_true(item, "Ready"), is_true(item, "Drifted"), is_true({}, "Ready")) == (True, False, False)
