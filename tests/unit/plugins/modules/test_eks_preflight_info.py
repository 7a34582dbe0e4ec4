"""eks_preflight_info: every finding of one run in one report, with credentials and without."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._aws.client import Aws
from ansible_collections.eksops.karpenter.plugins.module_utils._preflight import online
from ansible_collections.eksops.karpenter.plugins.module_utils._preflight.api import probe
from ansible_collections.eksops.karpenter.plugins.module_utils._preflight.run import run
from tests.unit.clients import REGION

from .aws_twin import module_of, refused
from .conftest import Twin

ROLES = Path(__file__).parents[4] / "roles"
GOOD: dict[str, Any] = {
    "cluster_name": "demo",
    "kubernetes_version": "1.36",
    "karpenter_version": "1.14.0",
    "ami_families": ["al2023"],
    "expected_account_id": None,
    "tools": ["helm"],
    "binary_dir": None,
    "python_libraries": ["boto3", "botocore", "kubernetes", "PyYAML"],
    "given_layers": [],
    "tags": {"team": "payments"},
    "kubeconfig": None,
    "node_classes": [],
    "node_pools": [],
    "pin": None,
    "host": "demo",
    "inventory_hosts": [],
    "variable_names": [],
    "roles_path": str(ROLES),
}


@pytest.fixture
def helm(tmp_path: Path) -> str:
    """A folder with something called helm; what it prints, the tests say."""
    path = tmp_path / "helm"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(tmp_path)


def check(twin: Twin, helm: str, version: str = "v3.22.0", **options: Any) -> dict[str, Any]:
    module = module_of(twin, **{**GOOD, "binary_dir": helm, **options})
    return run(module, lambda command: (0, version, ""))


def only(found: dict[str, Any]) -> str:
    """The one error of a report, as text."""
    (finding,) = found["findings"]
    assert finding["severity"] == "error"
    assert finding["where"]
    assert finding["next_step"]
    assert not found["passed"]
    return " | ".join(str(value) for value in finding.values())


def test_good_inputs_pass(twin: Twin, helm: str) -> None:
    found = check(twin, helm, expected_account_id=twin.account.account_id)
    assert (found["passed"], found["findings"], found["skipped_checks"]) == (True, [], [])
    facts = found["facts"]
    assert facts["identity"]["account"] == twin.account.account_id
    assert (facts["region"], facts["partition"]) == (REGION, "aws")
    assert facts["cluster"]["exists"] is False
    assert facts["tools"][0]["version"] == "3.22.0"
    assert facts["names"]["node_role"] == "KarpenterNodeRole-demo"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kubernetes_version": 1.36}, ["1.36 is a number", "quotes"]),
        ({"kubernetes_version": "1.33", "ami_families": ["al2"]}, ["AL2", "1.33", "al2023"]),
        ({"karpenter_version": "1.12.0"}, ["Karpenter 1.12.0", "Kubernetes 1.36", "1.13.0"]),
        ({"karpenter_version": "1.8.4", "kubernetes_version": "1.34"}, ["1.8.4", "must not be installed"]),
        ({"cluster_name": "x" * 60}, ["KarpenterNodeRole-", "of 64", "at most 46"]),
        ({"cluster_name": ""}, ["Cluster name '' is not allowed"]),
        ({"tags": {"team": "x" * 257}}, ["'team'", "257", "eksops_tags"]),
        ({"kubeconfig": "/dev/null/kube.json"}, ["/dev/null is no folder", "eksops_kubeconfig"]),
        ({"ami_families": ["al2042"]}, ["no AMI family 'al2042'", "al2023"]),
        ({"expected_account_id": "999999999999"}, ["lead to account", "999999999999", "eksops_aws_profile"]),
        ({"variable_names": ["karpenter_iam_managment"]}, ["karpenter_iam_managment", "did you mean"]),
        (
            {
                "inventory_hosts": [
                    {"host": name, "cluster_name": "demo", "region": REGION} for name in ("demo", "copy")
                ]
            },
            ["Hosts copy, demo", "one host for each cluster"],
        ),
    ],
)
def test_each_bad_input_is_one_error(twin: Twin, helm: str, options: dict[str, Any], words: list[str]) -> None:
    text = only(check(twin, helm, **options))
    for word in words:
        assert word in text


def test_helm_too_old(twin: Twin, helm: str) -> None:
    text = only(check(twin, helm, version="v3.7.1"))
    assert "helm 3.7.1 is too old" in text


def test_helm_missing(twin: Twin, helm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    text = only(check(twin, "/nowhere"))
    assert "helm is not installed" in text


def test_an_unknown_region_is_found_without_a_call(twin: Twin, helm: str) -> None:
    found = check(twin, helm, region="us-wset-2")
    assert "did you mean us-west-2" in only(found)
    assert found["skipped_checks"] == ["identity and cluster, for want of a region"]
    assert twin.front.log.select(lambda entry: entry.account == twin.account.account_id) == []


def test_no_credentials(twin: Twin, helm: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    found = check(twin, helm, access_key=None, secret_key=None)
    assert "No AWS credentials" in only(found)
    # What needs no credentials is still told, in the same report.
    both = check(twin, helm, access_key=None, secret_key=None, kubernetes_version=1.3, cluster_name="x" * 60)
    assert {finding["check"] for finding in both["findings"]} == {"versions", "names", "identity"}
    assert all(finding["what"] in both["report"] for finding in both["findings"])


def test_a_profile_that_does_not_exist(twin: Twin, helm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    text = only(check(twin, helm, access_key=None, secret_key=None))
    assert "nobody" in text
    assert "eksops_aws_profile" in text


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("ExpiredToken", ["have expired"]),
        ("AccessDenied", ["Access denied", "sts:GetCallerIdentity"]),
    ],
)
def test_credentials_that_do_not_work(twin: Twin, helm: str, code: str, words: list[str]) -> None:
    with refused(twin, "sts", "GetCallerIdentity", code=code):
        text = only(check(twin, helm))
    for word in ["identity", *words]:
        assert word in text


def test_keys_that_aws_does_not_know(twin: Twin, helm: str) -> None:
    found = check(twin, helm, access_key="AKIAIOSFODNN7EXAMPLE", secret_key="x" * 40)
    assert "AWS does not know the credentials" in only(found)


def test_a_region_that_is_switched_off(twin: Twin, helm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def caller(aws: Aws) -> dict[str, str]:
        if aws.region == "us-east-1":
            return {"account": "1" * 12, "arn": "arn:aws:iam::1:user/a", "user_id": "u"}
        raise online.AwsError("no", kind="rejected")

    monkeypatch.setattr(online, "caller", caller)
    text = only(check(twin, helm, region="af-south-1"))
    assert "af-south-1 is not switched on" in text
    assert "enable-region" in text


def test_an_aws_endpoint_that_nobody_serves(twin: Twin, helm: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    text = only(check(twin, helm, endpoint_url=url))
    assert "cannot be reached" in text
    assert "proxy" in text


def cluster(**changes: Any) -> dict[str, Any]:
    return {
        "name": "demo",
        "status": "ACTIVE",
        "version": "1.36",
        "endpoint": "https://x",
        "certificateAuthority": {"data": "Y2E="},
        "resourcesVpcConfig": {"endpointPublicAccess": True, "publicAccessCidrs": ["10.0.0.0/8"]},
        **changes,
    }


@pytest.mark.parametrize(
    ("found", "answer", "severity", "words"),
    [
        (cluster(status="DELETING"), None, "error", ["is being deleted", "wait until"]),
        (cluster(status="FAILED"), None, "error", ["is FAILED"]),
        (cluster(status="CREATING", endpoint=None), None, "warning", ["CREATING"]),
        (cluster(), "timed out", "error", ["does not answer: timed out", "https://x", "10.0.0.0/8"]),
        (
            cluster(resourcesVpcConfig={"endpointPublicAccess": False}),
            "timed out",
            "error",
            ["the endpoint is private", "HTTPS_PROXY"],
        ),
    ],
)
def test_an_existing_cluster(
    monkeypatch: pytest.MonkeyPatch, found: dict[str, Any], answer: str | None, severity: str, words: list[str]
) -> None:
    monkeypatch.setattr(online, "find_cluster", lambda aws, name: found)
    nobody: Any = None
    outcome = online.check_cluster(nobody, "demo", "1.14.0", lambda endpoint, ca: answer)
    (finding,) = outcome.findings
    assert finding.severity == severity
    text = str(finding.as_dict())
    for word in words:
        assert word in text


def test_an_existing_cluster_of_a_version_that_karpenter_does_not_support(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online, "find_cluster", lambda aws, name: cluster(version="1.36"))
    nobody: Any = None
    outcome = online.check_cluster(nobody, "demo", "1.12.0", lambda endpoint, ca: None)
    assert "does not support Kubernetes 1.36" in outcome.findings[0].what


def test_a_real_cluster_that_is_there(twin: Twin, helm: str) -> None:
    twin.cluster("demo")
    found = check(twin, helm)
    # The control planes of this test answer nobody, so that is what has to be found out.
    assert found["facts"]["cluster"]["status"] == "ACTIVE"
    assert [finding["check"] for finding in found["findings"]] == ["endpoint"]


def test_the_role_of_spot_is_read_where_it_may_be(twin: Twin, helm: str) -> None:
    assert check(twin, helm)["facts"]["spot_role_arn"] is None
    twin.boto("iam").create_service_linked_role(AWSServiceName="spot.amazonaws.com")
    assert "/aws-service-role/spot.amazonaws.com/" in check(twin, helm)["facts"]["spot_role_arn"]
    with refused(twin, "iam", "ListRoles"):
        found = check(twin, helm)
    assert (found["passed"], found["facts"]["spot_role_arn"]) == (True, None)


def test_who_may_not_describe_clusters_is_warned(twin: Twin, helm: str) -> None:
    with refused(twin, "eks", "DescribeCluster", code="AccessDeniedException"):
        found = check(twin, helm)
    assert found["passed"]
    assert [(item["check"], item["severity"]) for item in found["findings"]] == [("cluster", "warning")]


def test_any_http_answer_is_an_answer(twin: Twin) -> None:
    assert probe(f"{twin.front.url}/_sandbox/nothing", None) is None
    assert probe("http://127.0.0.1:1", None) is not None
    assert probe("https://127.0.0.1:1", "not base64!") is not None


def test_all_findings_are_in_one_report(twin: Twin, helm: str) -> None:
    found = check(
        twin,
        helm,
        version="v3.7.1",
        kubernetes_version=1.3,
        karpenter_version="1.8.4",
        ami_families=["al3000"],
        cluster_name="x" * 60,
        expected_account_id="999999999999",
        variable_names=["eks_preflight_tool"],
    )
    checks = [finding["check"] for finding in found["findings"]]
    assert {"versions", "ami family", "names", "tools", "account", "variables"} <= set(checks)
    assert found["error_count"] == len(checks)
    assert found["report"].count("ERROR (") == len(checks)


def test_wrong_pools_are_told_with_everything_else(twin: Twin, helm: str) -> None:
    pools = [{"name": "Big", "node_class": "other", "weigth": 1}, {"name": "small", "node_class": "other"}]
    found = check(twin, helm, node_pools=pools, kubernetes_version=1.36)
    assert "1.36 is a number" in found["report"]
    assert "karpenter_nodepool_node_pools[Big] has no 'weigth'" in found["report"]
    assert "node pool small: node_class: there is no node class 'other'; there are: none" in found["report"]
    assert "node pool small: requirements is missing" in found["report"]


def test_the_pin_of_new_classes_is_looked_at(twin: Twin, helm: str) -> None:
    selectors = {f"{kind}_selector_terms": [{"tags": {"a": "b"}}] for kind in ("subnet", "security_group")}
    classes = [{"name": "default", "role": "nodes", **selectors}]
    assert check(twin, helm, node_classes=classes, pin={"family": "AL2023", "release": "latest"})["passed"]
    text = only(check(twin, helm, node_classes=classes, pin={"family": "AL2023", "release": "20261106"}))
    assert "'20261106' is no release of AL2023" in text


def test_an_empty_region_is_not_the_one_of_the_environment(twin: Twin, helm: str) -> None:
    assert "No region" in only(check(twin, helm, region=""))
