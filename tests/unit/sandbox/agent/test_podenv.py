"""The environment of containers, and what the sandbox replaces in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.agent import hostenv
from sandbox.agent.hostenv import Host
from sandbox.agent.podenv import ConfigError, Sources, decode_secret, environment, expand, named

SOURCES = Sources(
    config_maps={"settings": {"A": "1", "b.c": "2", "bad=key": "3"}},
    secrets={"password": {"P": "s3"}},
    allocatable={"cpu": "1930m", "memory": "7244240Ki"},
    pod_ip="10.0.0.9",
    host_ip="10.0.0.1",
)


def pod(container: dict[str, Any]) -> dict[str, Any]:
    return {
        "metadata": {"name": "p", "namespace": "kube-system", "uid": "u", "labels": {"app": "x", "b": "y"}},
        "spec": {"nodeName": "n", "serviceAccountName": "karpenter", "containers": [container]},
    }


def computed(*variables: dict[str, Any], **more: Any) -> dict[str, str]:
    container = {"name": "controller", "env": list(variables), **more}
    return environment(pod(container), container, SOURCES)


def of(source: str, **value: Any) -> dict[str, Any]:
    return {"name": "X", "valueFrom": {source: value}}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("$(A)-$(B)", "1-$(B)"),
        ("$$(A)", "$(A)"),
        ("$A", "$A"),
        ("$(", "$("),
        ("a$(A)$(A)", "a11"),
        ("$$$(A)", "$1"),
    ],
)
def test_references_are_expanded(text: str, result: str) -> None:
    assert expand(text, {"A": "1"}) == result


def test_variables_see_those_before_them() -> None:
    assert computed({"name": "A", "value": "$(B)"}, {"name": "B", "value": "2"}, {"name": "C", "value": "$(B)"}) == {
        "A": "$(B)",
        "B": "2",
        "C": "2",
    }


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata.name", "p"),
        ("metadata.namespace", "kube-system"),
        ("metadata.uid", "u"),
        ("metadata.labels['app']", "x"),
        ("metadata.labels['none']", ""),
        ("metadata.labels", 'app="x"\nb="y"'),
        ("spec.nodeName", "n"),
        ("spec.serviceAccountName", "karpenter"),
        ("status.hostIP", "10.0.0.1"),
        ("status.podIP", "10.0.0.9"),
    ],
)
def test_fields_of_the_pod(path: str, value: str) -> None:
    assert computed(of("fieldRef", fieldPath=path)) == {"X": value}


@pytest.mark.parametrize(
    ("resource", "divisor", "value"),
    [
        ("limits.memory", "0", str(1 << 30)),
        ("limits.memory", "1Mi", "1024"),
        ("requests.cpu", "1m", "250"),
        ("requests.cpu", "0", "1"),
        ("limits.cpu", "1m", "1930"),
        ("requests.memory", "0", "0"),
    ],
)
def test_resources_of_the_container(resource: str, divisor: str, value: str) -> None:
    limits = {"requests": {"cpu": "250m"}, "limits": {"memory": "1Gi"}}
    assert computed(of("resourceFieldRef", resource=resource, divisor=divisor), resources=limits) == {"X": value}


def test_config_maps_and_secrets_come_in_whole_and_by_key() -> None:
    found = computed(
        of("secretKeyRef", name="password", key="P"),
        {"name": "Y", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "none", "optional": True}}},
        {"name": "A", "value": "own"},
        envFrom=[{"configMapRef": {"name": "settings"}}, {"prefix": "S_", "secretRef": {"name": "password"}}],
    )
    assert found == {"A": "own", "b.c": "2", "S_P": "s3", "X": "s3"}


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        (of("configMapKeyRef", name="none", key="k"), 'configmap "none" not found'),
        (of("secretKeyRef", name="password", key="k"), "couldn't find key k in Secret password"),
        (of("fieldRef", fieldPath="spec.hostname"), "unsupported fieldPath"),
        (of("resourceFieldRef", containerName="other", resource="limits.cpu"), "container other not found"),
        (of("fileKeyRef", path="x"), "unsupported source"),
    ],
)
def test_references_that_lead_nowhere_are_config_errors(variable: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        computed(variable)


def test_a_missing_object_is_an_error_unless_it_is_optional() -> None:
    with pytest.raises(ConfigError, match='secret "none" not found'):
        computed(envFrom=[{"secretRef": {"name": "none"}}])
    assert computed(envFrom=[{"secretRef": {"name": "none", "optional": True}}]) == {}


def test_what_a_pod_names_is_known_before_it_is_read() -> None:
    container = {
        "name": "c",
        "env": [of("secretKeyRef", name="s1", key="k"), of("configMapKeyRef", name="m1", key="k")],
        "envFrom": [{"configMapRef": {"name": "m2"}}, {"secretRef": {"name": "s2"}}],
    }
    body = pod(container)
    body["spec"]["volumes"] = [
        {"name": "a", "configMap": {"name": "m3"}},
        {"name": "b", "secret": {"secretName": "s3"}},
        {"name": "c", "projected": {"sources": [{"configMap": {"name": "m4"}}, {"secret": {"name": "s4"}}]}},
    ]
    assert named(body, container) == ({"m1", "m2", "m3", "m4"}, {"s1", "s2", "s3", "s4"})
    assert decode_secret({"data": {"k": "dg=="}}) == {"k": "v"}


HOST = Host(
    mounts={"/var/run/secrets/x": Path("/state/x"), "/var/run": Path("/state/run")},
    ports={8080: 20001, 8081: 20002},
    kubeconfig=Path("/state/kubeconfig"),
    namespace="kube-system",
    server="https://127.0.0.1:6443",
    aws_url="http://127.0.0.1:1",
    credentials_url="http://127.0.0.1:2/n",
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"METRICS_PORT": "8080"}, {"METRICS_PORT": "20001"}),
        ({"HEALTH_PROBE_PORT": "8081"}, {"HEALTH_PROBE_PORT": "20002"}),
        ({"METRICS_PORT": "9999"}, {"METRICS_PORT": "9999"}),
        ({"OTHER": "8080"}, {"OTHER": "8080"}),
        ({"T": "/var/run/secrets/x/token"}, {"T": "/state/x/token"}),
        ({"T": "/var/run/secrets/xy"}, {"T": "/state/run/secrets/xy"}),
        (
            {"AWS_CONTAINER_CREDENTIALS_FULL_URI": hostenv.CREDENTIALS_URI},
            {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:2/n"},
        ),
        ({"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://x"}, {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://x"}),
        ({"AWS_ENDPOINT_URL": "http://elsewhere"}, {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}),
        ({"LEADER_ELECTION_NAMESPACE": "own"}, {"LEADER_ELECTION_NAMESPACE": "own"}),
        ({}, {"LEADER_ELECTION_NAMESPACE": "kube-system", "HOSTNAME": "p", "KUBERNETES_SERVICE_PORT": "6443"}),
    ],
)
def test_the_sandbox_replaces_what_only_a_container_has(given: dict[str, str], expected: dict[str, str]) -> None:
    found = hostenv.process_environment(given, "p", HOST)
    assert {key: found[key] for key in expected} == expected


def test_no_aws_variable_of_the_daemon_gets_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "mine")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    found = hostenv.process_environment({}, "p", HOST)
    assert {key for key in found if key.startswith("AWS_")} == {"AWS_ENDPOINT_URL", "AWS_EC2_METADATA_DISABLED"}


def test_ports_are_those_told_and_those_declared() -> None:
    assert hostenv.needed_ports({"METRICS_PORT": "8080"}, {8443: "webhook"}) == {8080, 8443}


@pytest.mark.parametrize(("token", "user"), [(Path("/t"), {"tokenFile": "/t"}), (None, {})])
def test_the_kubeconfig_speaks_as_the_service_account(token: Path | None, user: dict[str, str]) -> None:
    found = json.loads(hostenv.kubeconfig("https://127.0.0.1:6443", b"ca", "ns", token))
    assert found["users"][0]["user"] == user
    assert found["contexts"][0]["context"]["namespace"] == "ns"
    assert found["clusters"][0]["cluster"] == {"server": "https://127.0.0.1:6443", "certificate-authority-data": "Y2E="}
