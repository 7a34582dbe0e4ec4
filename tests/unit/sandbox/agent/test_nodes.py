"""Node objects, addresses, settings and identities."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from sandbox.agent import capacity, node
from sandbox.agent.bootconfig import BootConfig
from sandbox.agent.capacity import Shape
from sandbox.agent.families import Image
from sandbox.agent.identity import eks_token
from sandbox.agent.instance import Instance
from sandbox.agent.logfile import NodeLog
from sandbox.agent.network import Addresses
from sandbox.agent.settings import Settings, SettingsFile
from sandbox.contracts import Credentials

INSTANCE = Instance(
    id="i-0123456789abcdef0",
    state="running",
    image_id="ami-1",
    type="m6g.large",
    zone="us-west-2a",
    subnet_id="subnet-1",
    private_ip="10.0.0.7",
    private_dns="ip-10-0-0-7.us-west-2.compute.internal",
    profile_arn=None,
    launched_at=0.0,
    root_volume=None,
)
SHAPE = Shape(2, 8192, "arm64", 3, 10)
IMAGE = Image.of("amazon-eks-node-al2023-arm64-standard-1.36-v20261106")
CONFIG = BootConfig(
    cluster_name="demo",
    endpoint="https://127.0.0.1:6443",
    ca_pem=b"",
    labels={"team": "a"},
    taints=({"key": "karpenter.sh/unregistered", "effect": "NoExecute"},),
)


def registered() -> dict[str, Any]:
    return node.registration(INSTANCE, IMAGE, SHAPE, CONFIG, capacity.resources(SHAPE, 20, {}))


def test_the_kubelet_registers_what_only_it_knows() -> None:
    found = registered()
    assert found["metadata"]["name"] == INSTANCE.private_dns
    assert found["spec"]["providerID"] == "aws:///us-west-2a/i-0123456789abcdef0"
    assert [taint["key"] for taint in found["spec"]["taints"]] == ["karpenter.sh/unregistered", node.UNINITIALIZED]
    labels = found["metadata"]["labels"]
    assert labels["kubernetes.io/arch"] == "arm64"
    assert labels["team"] == "a"
    assert not any("topology" in key or "instance-type" in key for key in labels)
    assert not node.is_ready(found)
    assert found["status"]["daemonEndpoints"] == {"kubeletEndpoint": {"Port": 10250}}
    assert found["status"]["nodeInfo"]["kubeletVersion"].startswith("v1.36.3-eks-")
    assert found["status"]["nodeInfo"]["kernelVersion"].endswith(".aarch64")


def test_labels_of_the_user_data_win_over_the_defaults() -> None:
    config = BootConfig("demo", "", b"", labels={"kubernetes.io/hostname": "mine"})
    found = node.registration(INSTANCE, IMAGE, SHAPE, config, capacity.resources(SHAPE, 20, {}))
    assert found["metadata"]["labels"]["kubernetes.io/hostname"] == "mine"


def test_the_cloud_adds_topology_and_takes_its_taint_off() -> None:
    current = registered()
    current["metadata"]["resourceVersion"] = "7"
    change = node.initialization(current, INSTANCE, "usw2-az1")
    assert change is not None
    assert change["metadata"]["resourceVersion"] == "7"
    assert change["metadata"]["labels"]["topology.kubernetes.io/zone"] == "us-west-2a"
    assert change["metadata"]["labels"]["topology.kubernetes.io/region"] == "us-west-2"
    assert change["metadata"]["labels"]["topology.k8s.aws/zone-id"] == "usw2-az1"
    assert [taint["key"] for taint in change["spec"]["taints"]] == ["karpenter.sh/unregistered"]
    current["spec"]["taints"] = change["spec"]["taints"]
    assert node.initialization(current, INSTANCE, "usw2-az1") is None


def test_a_node_that_was_stopped_is_taken_back() -> None:
    current = registered()
    current["metadata"] |= {"resourceVersion": "7", "annotations": {}}
    current["spec"]["taints"] = [{"key": node.SHUTDOWN, "effect": "NoSchedule"}, {"key": "a", "effect": "NoSchedule"}]
    change = node.initialization(current, INSTANCE, None)
    assert change is not None
    assert change["metadata"]["annotations"] == node.KWOK_ANNOTATION
    assert [taint["key"] for taint in change["spec"]["taints"]] == ["a"]


def test_a_ready_node_says_so() -> None:
    assert node.is_ready({"status": {"conditions": node.conditions(True, "t")}})
    assert not node.is_ready({"status": {"conditions": node.conditions(False, "t")}})
    assert not node.is_ready({})


@pytest.mark.parametrize(
    ("zone", "region"),
    [("us-west-2a", "us-west-2"), ("eu-central-1c", "eu-central-1"), ("us-west-2-lax-1a", "us-west-2")],
)
def test_the_region_is_that_of_the_zone(zone: str, region: str) -> None:
    assert Instance(**(INSTANCE.__dict__ | {"zone": zone})).region == region


def test_pods_get_addresses_that_nobody_has() -> None:
    addresses = Addresses()
    assert addresses.take("a", "10.0.0.0/28", {"10.0.0.14"}) == "10.0.0.13"
    assert addresses.take("b", "10.0.0.0/28", set()) == "10.0.0.14"
    addresses.adopt("c", "10.0.0.12")
    assert addresses.take("d", "10.0.0.0/28", set()) == "10.0.0.11"
    addresses.release("a")
    assert addresses.take("e", "10.0.0.0/28", set()) == "10.0.0.13"


def test_a_full_subnet_has_no_address_and_keeps_those_of_aws() -> None:
    addresses = Addresses()
    taken = [addresses.take(str(n), "10.0.0.0/28", set()) for n in range(11)]
    assert taken[-1] == "10.0.0.4"
    with pytest.raises(LookupError, match="failed to assign an IP address"):
        addresses.take("one more", "10.0.0.0/28", set())


def test_settings_are_read_when_the_file_changes(tmp_path: Path) -> None:
    path = tmp_path / "agent.json"
    file = SettingsFile(path)
    assert file.read() == Settings()
    path.write_text(json.dumps({"node_start_seconds": 9, "unknown": 1, "poll_seconds": "x"}), encoding="utf-8")
    assert file.read() == Settings(node_start_seconds=9.0)
    path.write_text("{", encoding="utf-8")
    assert file.read() == Settings()
    path.unlink()
    assert file.read() == Settings()


def test_a_token_is_a_presigned_identity_call_for_one_cluster() -> None:
    credentials = Credentials("ASIAEXAMPLE", "secret", "session")
    token = eks_token(credentials, "http://127.0.0.1:1", "us-west-2", "demo")
    prefix, _, encoded = token.rpartition(".")
    assert prefix == "k8s-aws-v1"
    url = urlsplit(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode())
    query = parse_qs(url.query)
    assert query["Action"] == ["GetCallerIdentity"]
    assert query["X-Amz-SignedHeaders"] == ["host;x-k8s-aws-id"]
    assert query["X-Amz-Expires"] == ["60"]
    assert query["X-Amz-Security-Token"] == ["session"]
    assert query["X-Amz-Credential"][0].startswith("ASIAEXAMPLE/")
    assert token != eks_token(credentials, "http://127.0.0.1:1", "us-west-2", "other")


def test_a_node_log_does_not_repeat_itself(tmp_path: Path) -> None:
    log = NodeLog(tmp_path / "logs" / "i-1.log")
    for text in ("a", "a", "b", "a"):
        log.write("kubelet", text)
    lines = (tmp_path / "logs" / "i-1.log").read_text(encoding="utf-8").splitlines()
    assert [line.split(" ", 1)[1] for line in lines] == ["kubelet: a", "kubelet: b", "kubelet: a"]
