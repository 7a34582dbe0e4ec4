"""User data of each image family: what joins, and what an instance logs that does not."""

from __future__ import annotations

import base64
import gzip

import pytest

from sandbox.agent import al2, bottlerocket, nodeadm
from sandbox.agent.bootconfig import BootError, taint
from sandbox.agent.families import Image

CA = "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n"
CA64 = base64.b64encode(CA.encode()).decode()
CLUSTER = f"""    name: demo
    apiServerEndpoint: https://127.0.0.1:6443/
    certificateAuthority: {CA64}
    cidr: 10.100.0.0/16
"""


def config(cluster: str = CLUSTER, kubelet: str = "") -> str:
    return f"apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  cluster:\n{cluster}{kubelet}"


def mime(*parts: tuple[str, str]) -> bytes:
    head = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n'
    body = "".join(f"--//\nContent-Type: {kind}\n\n{text}\n" for kind, text in parts)
    return f"{head}{body}--//--\n".encode()


NODE_CONFIG = "application/node.eks.aws"
# As Karpenter 1.14 writes it (pkg/providers/amifamily/bootstrap/nodeadm.go).
KARPENTER = config(
    kubelet="""  kubelet:
    config:
      clusterDNS: [10.100.0.10]
      maxPods: 29
      registerWithTaints:
      - effect: NoExecute
        key: karpenter.sh/unregistered
    flags:
    - --node-labels="karpenter.sh/capacity-type=spot,karpenter.sh/nodepool=default"
"""
)


def test_the_node_config_of_karpenter_is_understood() -> None:
    found = nodeadm.parse(mime((NODE_CONFIG, "# Karpenter Generated NodeConfig\n" + KARPENTER)))
    assert (found.cluster_name, found.endpoint, found.ca_pem) == ("demo", "https://127.0.0.1:6443", CA.encode())
    assert found.labels == {"karpenter.sh/capacity-type": "spot", "karpenter.sh/nodepool": "default"}
    assert found.taints == ({"effect": "NoExecute", "key": "karpenter.sh/unregistered"},)
    assert found.kubelet["maxPods"] == 29
    assert not found.instance_store


def test_later_documents_win_and_flags_add_up() -> None:
    first = config(
        "    name: other\n    cidr: 10.0.0.0/16\n",
        "  kubelet:\n    config: {maxPods: 5, evictionHard: {memory.available: 5%}}\n"
        '    flags: ["--node-labels=a=1,b=1"]\n'
        "  instance:\n    localStorage: {strategy: RAID0}\n",
    )
    second = config(
        kubelet="  kubelet:\n    config: {maxPods: 9, evictionHard: {nodefs.available: 1%}}\n"
        '    flags: ["--node-labels=b=2"]\n'
    )
    found = nodeadm.parse(mime((NODE_CONFIG, first), ("text/x-shellscript", "#!/bin/sh"), (NODE_CONFIG, second)))
    assert found.cluster_name == "demo"
    assert found.kubelet["maxPods"] == 9
    assert found.kubelet["evictionHard"] == {"memory.available": "5%", "nodefs.available": "1%"}
    assert found.labels == {"a": "1", "b": "2"}
    assert found.instance_store


@pytest.mark.parametrize(
    "data",
    [
        config().encode(),
        base64.b64encode(config().encode()),
        gzip.compress(config().encode()),
        mime((NODE_CONFIG, base64.b64encode(config().encode()).decode())),
        mime((f'{NODE_CONFIG}; charset="us-ascii"', config())),
    ],
    ids=["plain", "base64", "gzip", "part in base64", "part with a parameter"],
)
def test_a_node_config_may_be_packed(data: bytes) -> None:
    assert nodeadm.parse(data).cluster_name == "demo"


def test_flags_win_over_the_configuration() -> None:
    kubelet = """  kubelet:
    config: {maxPods: 5, registerWithTaints: [{key: a, effect: NoSchedule}]}
    flags: ["--max-pods=7 --register-with-taints=b=1:NoExecute", "--kube-reserved=cpu=1,memory=1Gi", --v=4]
"""
    found = nodeadm.parse(config(kubelet=kubelet).encode())
    assert found.kubelet["maxPods"] == 7
    assert found.kubelet["kubeReserved"] == {"cpu": "1", "memory": "1Gi"}
    assert found.taints == ({"key": "b", "value": "1", "effect": "NoExecute"},)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "could not find NodeConfig"),
        (b"#!/bin/bash\necho hello\n", "no config in chain"),
        (mime(("text/x-shellscript", "#!/bin/sh")), "could not find NodeConfig within UserData"),
        (config("    name: demo\n").encode(), "Apiserver endpoint is missing in cluster configuration"),
        (config(CLUSTER.replace("name: demo", "name:")).encode(), "Name is missing"),
        (config(CLUSTER.replace(CA64, "")).encode(), "Certificate authority is missing"),
        (config(CLUSTER.replace(CA64, "a*b")).encode(), "illegal base64 data"),
        (config(CLUSTER.replace("cidr: 10.100.0.0/16", "")).encode(), "CIDR is missing"),
        (config().replace("v1alpha1", "v9").encode(), "no kind"),
        (config().replace("NodeConfig", "Pod").encode(), "no kind"),
        (b"spec: [", "failed to decode node config"),
        (b"apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: 3\n", "not an object"),
        (config(kubelet='  kubelet:\n    flags: ["--max-pods=many"]\n').encode(), "invalid argument"),
        (b"\x1f\x8bnonsense", "failed to decompress"),
    ],
)
def test_what_nodeadm_refuses_never_joins(data: bytes, words: str) -> None:
    with pytest.raises(BootError, match=words):
        nodeadm.parse(data)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b:NoSchedule", {"key": "a", "value": "b", "effect": "NoSchedule"}),
        ("a:NoExecute", {"key": "a", "effect": "NoExecute"}),
        ("example.com/x=:PreferNoSchedule", {"key": "example.com/x", "effect": "PreferNoSchedule"}),
    ],
)
def test_taints_are_read(text: str, expected: dict[str, str]) -> None:
    assert taint(text) == expected


@pytest.mark.parametrize("text", ["a", "a=b", ":NoSchedule", "a:Sometimes"])
def test_broken_taints_are_refused(text: str) -> None:
    with pytest.raises(BootError, match="register-with-taints"):
        taint(text)


BOTTLEROCKET = f"""
[settings.kubernetes]
api-server = 'https://127.0.0.1:6443'
cluster-certificate = '{CA64}'
cluster-name = 'demo'
max-pods = 29
[settings.kubernetes.node-labels]
'karpenter.sh/nodepool' = 'default'
[settings.kubernetes.node-taints]
'karpenter.sh/unregistered' = [':NoExecute']
team = ['a:NoSchedule', 'b:NoExecute']
[settings.kubernetes.kube-reserved]
cpu = '100m'
"""


def test_bottlerocket_reads_toml() -> None:
    found = bottlerocket.parse(BOTTLEROCKET.encode())
    assert (found.cluster_name, found.endpoint, found.ca_pem) == ("demo", "https://127.0.0.1:6443", CA.encode())
    assert found.kubelet == {"maxPods": 29, "kubeReserved": {"cpu": "100m"}}
    assert found.labels == {"karpenter.sh/nodepool": "default"}
    assert found.taints == (
        {"key": "karpenter.sh/unregistered", "effect": "NoExecute"},
        {"key": "team", "effect": "NoSchedule", "value": "a"},
        {"key": "team", "effect": "NoExecute", "value": "b"},
    )
    raid = "[settings.bootstrap-commands.x]\ncommands = [['apiclient', 'ephemeral-storage', 'init']]\n"
    assert bottlerocket.parse((raid + BOTTLEROCKET).encode()).instance_store


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (mime((NODE_CONFIG, config())), "Error parsing TOML"),
        (b"", "settings.kubernetes is missing"),
        (b"[settings.kubernetes]\ncluster-name = 'demo'\n", "api-server is missing"),
        (BOTTLEROCKET.replace(CA64, "%").encode(), "invalid base64"),
    ],
)
def test_what_bottlerocket_refuses_never_joins(data: bytes, words: str) -> None:
    with pytest.raises(BootError, match=words):
        bottlerocket.parse(data)


AL2 = f"""#!/bin/bash -xe
exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1
/etc/eks/bootstrap.sh 'demo' --apiserver-endpoint 'https://127.0.0.1:6443' --b64-cluster-ca '{CA64}' \\
--dns-cluster-ip '10.100.0.10' \\
--use-max-pods false \\
--kubelet-extra-args '--node-labels="a=1,b=2" --register-with-taints="c:NoExecute" --max-pods=12 \\
--eviction-hard="memory.available<5%"' \\
--local-disks raid0
"""


def test_al2_reads_the_bootstrap_call() -> None:
    found = al2.parse(mime(("text/x-shellscript", "#!/bin/sh\necho first"), ("text/x-shellscript", AL2)))
    assert (found.cluster_name, found.endpoint, found.ca_pem) == ("demo", "https://127.0.0.1:6443", CA.encode())
    assert found.labels == {"a": "1", "b": "2"}
    assert found.taints == ({"key": "c", "effect": "NoExecute"},)
    assert found.kubelet == {"maxPods": 12, "evictionHard": {"memory.available": "5%"}}
    assert found.instance_store
    assert al2.parse(AL2.encode()) == found


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"#!/bin/sh\necho hello\n", "does not run"),
        (b"# /etc/eks/bootstrap.sh demo\n", "does not run"),
        (b"/etc/eks/bootstrap.sh --apiserver-endpoint x\n", "cluster name is not defined"),
        (b"/etc/eks/bootstrap.sh demo\n", "are both needed"),
        (b"/etc/eks/bootstrap.sh 'demo\n", "syntax error"),
        (b"/etc/eks/bootstrap.sh demo --apiserver-endpoint x --b64-cluster-ca %\n", "invalid input"),
    ],
)
def test_what_al2_refuses_never_joins(data: bytes, words: str) -> None:
    with pytest.raises(BootError, match=words):
        al2.parse(data)


@pytest.mark.parametrize(
    ("name", "family", "kubelet"),
    [
        ("amazon-eks-node-al2023-x86_64-standard-1.36-v20261106", "AL2023", "v1.36.3-eks-"),
        ("amazon-eks-node-al2023-arm64-nvidia-1.35-v20261106", "AL2023", "v1.35.0-eks-"),
        ("bottlerocket-aws-k8s-1.36-x86_64-v1.45.0-abcdef01", "Bottlerocket", "v1.36.3-eks-"),
        ("bottlerocket-aws-k8s-1.36-nvidia-aarch64-v1.45.0-abcdef01", "Bottlerocket", "v1.36.3-eks-"),
        ("amazon-eks-node-1.32-v20250912", "AL2", "v1.32.0-eks-"),
        ("amazon-eks-arm64-node-1.32-v20250912", "AL2", "v1.32.0-eks-"),
        ("Windows_Server-2022-English-Core-EKS_Optimized-1.36-2026.11.11", "Custom", ""),
        ("my-image", "Custom", ""),
    ],
)
def test_the_name_of_an_image_tells_its_family(name: str, family: str, kubelet: str) -> None:
    image = Image.of(name)
    assert image.family.name == family
    assert image.kubelet_version.startswith(kubelet)
    assert bool(image.kubelet_version) is bool(kubelet)


def test_an_unknown_image_never_joins() -> None:
    with pytest.raises(BootError, match="none of an EKS optimised family"):
        Image.of("my-image").family.parse(config().encode())
