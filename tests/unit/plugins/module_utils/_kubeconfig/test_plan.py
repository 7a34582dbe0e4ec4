"""Which write leads to the wanted kubeconfig."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._kubeconfig.model import Found, KubeconfigSpec
from ansible_collections.eksops.karpenter.plugins.module_utils._kubeconfig.plan import absent_plan, present_plan

SPEC = KubeconfigSpec(
    path="/x/demo.json",
    cluster_name="demo",
    region="us-west-2",
    interpreter="/usr/bin/python3",
    script="/c/exec_credential.py",
    endpoint="https://e",
    certificate_authority_data=base64.b64encode(b"PEM\n").decode(),
    profile="dev",
    environment={
        "AWS_CONFIG_FILE": "/x/config",
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_SESSION_TOKEN": "session",
        "PATH": "/bin",
    },
)
OURS = Found(SPEC.text(), 0o600)


def variables(spec: KubeconfigSpec) -> dict[str, str]:
    env: list[dict[str, str]] = spec.document()["users"][0]["user"]["exec"]["env"]
    return {one["name"]: one["value"] for one in env}


def test_the_user_is_a_program_by_absolute_paths_and_no_secret_is_written() -> None:
    program = SPEC.document()["users"][0]["user"]["exec"]
    assert (program["command"], program["args"]) == ("/usr/bin/python3", ["/c/exec_credential.py"])
    assert program["apiVersion"] == "client.authentication.k8s.io/v1"
    assert variables(SPEC) == {
        "EKSOPS_CLUSTER_NAME": "demo",
        "AWS_REGION": "us-west-2",
        "AWS_PROFILE": "dev",
        "AWS_CONFIG_FILE": "/x/config",
    }
    for secret in ("AKIDEXAMPLE", "secret", "session"):
        assert secret not in SPEC.text()


def test_role_proxy_namespace_and_further_certificates_are_taken_over() -> None:
    spec = replace(
        SPEC,
        role_arn="arn:r",
        external_id="id",
        proxy_url="http://proxy:3128",
        namespace="kube-system",
        extra_ca_pem="PROXY\n",
        context="c",
    )
    document = spec.document()
    cluster = document["clusters"][0]["cluster"]
    assert cluster["proxy-url"] == "http://proxy:3128"
    assert base64.b64decode(cluster["certificate-authority-data"]) == b"PEM\nPROXY\n"
    assert document["contexts"] == [{"name": "c", "context": {"cluster": "c", "user": "c", "namespace": "kube-system"}}]
    assert variables(spec)["EKSOPS_ROLE_ARN"] == "arn:r"
    assert variables(spec)["EKSOPS_EXTERNAL_ID"] == "id"


@pytest.mark.parametrize(
    ("found", "actions"),
    [
        (None, ["create"]),
        (OURS, []),
        (Found(OURS.text, 0o644), ["update"]),
        (Found(OURS.text.replace("https://e", "https://old"), 0o600), ["update"]),
    ],
)
def test_a_file_is_written_when_it_differs(found: Found | None, actions: list[str]) -> None:
    assert [step.action for step in present_plan(SPEC, found, predict=False).steps] == actions


def test_someone_elses_file_is_left_alone() -> None:
    theirs = Found(json.dumps({"users": [{"name": "me", "user": {"token": "s"}}]}), 0o600)
    with pytest.raises(EksopsError, match="was not written by this collection"):
        present_plan(SPEC, theirs, predict=False)
    plan = absent_plan(SPEC.path, theirs)
    assert (plan.changed, len(plan.notices)) == (False, 1)


@pytest.mark.parametrize(("found", "changed"), [(None, False), (OURS, True)])
def test_absent_takes_our_file_away(found: Found | None, changed: bool) -> None:
    assert absent_plan(SPEC.path, found).changed is changed


def test_a_cluster_without_an_endpoint_can_only_be_predicted() -> None:
    early: dict[str, Any] = {"endpoint": None, "certificate_authority_data": None}
    assert present_plan(replace(SPEC, **early), None, predict=True).changed
    with pytest.raises(EksopsError, match="has no endpoint yet"):
        present_plan(replace(SPEC, **early), None, predict=False)
