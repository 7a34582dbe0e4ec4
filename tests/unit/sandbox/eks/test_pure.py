"""The pure parts: injection, trust policies, user data, records, support dates."""

from __future__ import annotations

import datetime as dt
import tomllib
from typing import Any

import pytest

from sandbox.eks import iam, injection, model, userdata, versions
from sandbox.eks.iam import Arn
from sandbox.eks.model import Taint


def test_injection_leaves_what_a_pod_has() -> None:
    container = {
        "name": "a",
        "env": [{"name": "AWS_REGION", "value": "eu-west-1"}],
        "volumeMounts": [{"name": "x", "mountPath": injection.MOUNT_PATH + "/"}],
    }
    pod = {"spec": {"containers": [container], "volumes": [{"name": "x"}], "initContainers": [{"name": "i"}]}}
    patch = injection.patch(pod, "us-west-2")
    names = [one["value"]["name"] for one in patch if one["path"] == "/spec/containers/0/env/-"]
    assert "AWS_REGION" not in names
    assert "AWS_CONTAINER_CREDENTIALS_FULL_URI" in names
    assert not any(one["path"].startswith("/spec/containers/0/volumeMounts") for one in patch)
    assert [one["path"] for one in patch if "volumes" in one["path"]] == ["/spec/volumes/-"]
    assert {"/spec/initContainers/0/env", "/spec/initContainers/0/volumeMounts"} <= {one["path"] for one in patch}
    source = patch[-1]["value"]["projected"]["sources"][0]["serviceAccountToken"]
    assert source == {"audience": "pods.eks.amazonaws.com", "expirationSeconds": 86400, "path": injection.VOLUME}


def _statement(**change: Any) -> dict[str, Any]:
    base = {"Effect": "Allow", "Principal": {"Service": "s"}, "Action": ["sts:AssumeRole", "sts:TagSession"]}
    return base | change


@pytest.mark.parametrize(
    ("statements", "trusted"),
    [
        ([_statement()], True),
        (_statement(), True),
        ([_statement(Action="sts:*")], True),
        ([_statement(Action="sts:AssumeRole")], False),
        ([_statement(Action="sts:AssumeRole"), _statement(Action="sts:TagSession")], True),
        ([_statement(Principal={"Service": ["a", "s"]})], True),
        ([_statement(Principal={"Service": "other"})], False),
        ([_statement(Principal={"AWS": "*"})], False),
        ([_statement(), _statement(Effect="Deny")], False),
        ([_statement(Condition={"StringEquals": {"aws:SourceAccount": "1"}})], True),
        ([_statement(Condition={"StringEquals": {"AWS:sourceaccount": ["1", "2"]}})], True),
        ([_statement(Condition={"StringEquals": {"aws:SourceAccount": "*"}})], False),
        ([_statement(Condition={"ArnLike": {"aws:SourceArn": "arn:*"}})], True),
        ([_statement(Condition={"StringEquals": {"aws:Unknown": "1"}})], False),
        ([_statement(Condition={"IpAddress": {"aws:SourceIp": "0.0.0.0/0"}})], False),
        ([_statement(), _statement(Effect="Deny", Condition={"StringEquals": {"aws:SourceAccount": "2"}})], True),
        ([], False),
    ],
)
def test_trust_policies(statements: Any, trusted: bool) -> None:
    context = {"aws:SourceAccount": "1", "aws:SourceArn": "arn:aws:eks:r:1:cluster/c"}
    policy = {"Statement": statements}
    assert iam.trusts(policy, "s", "sts:AssumeRole", "sts:TagSession", context=context) is trusted


def test_conditions_are_not_judged_before_there_is_a_request() -> None:
    condition = {"StringEquals": {"aws:SourceAccount": "1"}}
    assert iam.trusts({"Statement": [_statement(Condition=condition)]}, "s", "sts:AssumeRole")
    denied = {"Statement": [_statement(), _statement(Effect="Deny", Condition=condition)]}
    assert iam.trusts(denied, "s", "sts:AssumeRole")


@pytest.mark.parametrize(
    ("text", "kind", "path", "name"),
    [
        ("arn:aws:iam::1:role/a/b/c", "role", "a/b/c", "c"),
        ("arn:aws:sts::1:assumed-role/r/s", "assumed-role", "r/s", "s"),
        ("arn:aws:iam::1:user/u", "user", "u", "u"),
        ("arn:aws:iam::1:root", "root", "", ""),
    ],
)
def test_arns(text: str, kind: str, path: str, name: str) -> None:
    arn = Arn.parse(text)
    assert arn is not None
    assert (arn.account, arn.kind, arn.path, arn.name) == ("1", kind, path, name)


@pytest.mark.parametrize("text", ["", "role", "arn:aws:s3:::b", "arn:aws:iam::1:role", "arn:aws:iam::1"])
def test_what_is_no_arn(text: str) -> None:
    assert Arn.parse(text) is None


def _cluster() -> model.Cluster:
    return model.Cluster(
        account="123456789012",
        region="us-west-2",
        name="demo",
        arn="arn",
        status="ACTIVE",
        version="1.36",
        platform_version="eks.6",
        role_arn="arn",
        subnet_ids=["subnet-1"],
        security_group_ids=[],
        vpc_id="vpc-1",
        service_cidr="172.20.0.0/16",
        oidc_issuer="https://issuer",
        authentication_mode="API",
        bootstrap_creator_admin=True,
        creator=model.Creator("arn", "AIDA"),
        secret="s",
        created_at=1.0,
        endpoint="https://server",
        ca_data="Y2E=",
    )


def test_records_come_back_as_they_were() -> None:
    cluster = _cluster()
    cluster.issues.append(model.Issue("Other", "x", ["y"]))
    scope = model.PolicyScope("p", "namespace", ["a"], 1.0, 2.0)
    cluster.entries["a"] = model.AccessEntry("a", "AROA", "arn", "STANDARD", "u", [], {}, 1.0, 1.0, {"p": scope})
    cluster.addons["c"] = model.Addon("c", "arn", "v1", "ACTIVE", {}, 1.0, 1.0, issues=[model.Issue("a", "b")])
    cluster.tokens["t"] = model.Token("f", {"a": 1}, "cluster")
    assert model.load(model.Cluster, model.dump(cluster)) == cluster


def test_bottlerocket_reads_its_settings_as_toml() -> None:
    taints = [Taint("a", "NO_SCHEDULE", "1"), Taint("a", "NO_EXECUTE"), Taint("b", "PREFER_NO_SCHEDULE")]
    boot = userdata.Boot(_cluster(), {"eks.amazonaws.com/nodegroup": "g"}, taints, 29)
    settings = tomllib.loads(userdata.render("bottlerocket", boot))["settings"]["kubernetes"]
    assert settings["cluster-name"] == "demo"
    assert settings["cluster-dns-ip"] == "172.20.0.10"
    assert settings["max-pods"] == 29
    assert settings["node-labels"] == {"eks.amazonaws.com/nodegroup": "g"}
    assert settings["node-taints"] == {"a": ["1:NoSchedule", ":NoExecute"], "b": [":PreferNoSchedule"]}


def test_amazon_linux_2_boots_by_its_script() -> None:
    boot = userdata.Boot(_cluster(), {"a": "b"}, [Taint("k", "NO_SCHEDULE", "v")], 29)
    text = userdata.render("al2", boot)
    assert "/etc/eks/bootstrap.sh demo" in text
    assert "--node-labels=a=b --register-with-taints=k=v:NoSchedule --max-pods=29" in text


@pytest.mark.parametrize(
    ("day", "status"),
    [
        ("2026-03-22", "STANDARD_SUPPORT"),
        ("2026-03-23", "EXTENDED_SUPPORT"),
        ("2027-03-23", "UNSUPPORTED"),
    ],
)
def test_support_ends_on_its_days(day: str, status: str) -> None:
    assert versions.support(versions.MINORS["1.32"], dt.date.fromisoformat(day)) == status
