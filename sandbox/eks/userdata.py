"""The user data of managed node groups, in the form that each family of images boots from. Pure.

https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/api/
https://bottlerocket.dev/en/os/latest/api/settings/kubernetes/
https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import yaml

from sandbox.eks.addonobjects import dns_address
from sandbox.eks.model import Cluster, Nodegroup, Taint

_EFFECTS = {
    "NO_SCHEDULE": "NoSchedule",
    "NO_EXECUTE": "NoExecute",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
}
_BOUNDARY = "//"


@dataclass(frozen=True)
class Boot:
    """What a node has to know: its cluster, its group's labels and taints, how many pods it takes."""

    cluster: Cluster
    labels: dict[str, str]
    taints: list[Taint]
    max_pods: int


def node_labels(group: Nodegroup) -> dict[str, str]:
    """The labels that EKS gives the nodes of a group, and the group's own.

    https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
    """
    custom = group.custom_template
    source: dict[str, str] = {}
    if custom is not None:
        source["eks.amazonaws.com/sourceLaunchTemplateId"] = custom.id
        source["eks.amazonaws.com/sourceLaunchTemplateVersion"] = custom.version
    return {
        "eks.amazonaws.com/nodegroup-image": group.image_id,
        "eks.amazonaws.com/capacityType": group.capacity_type,
        "eks.amazonaws.com/nodegroup": group.name,
        **source,
        **group.labels,
    }


def render(family: str, boot: Boot) -> str:
    """The user data for a family of images (al2, al2023, bottlerocket)."""
    return {"al2": _al2, "al2023": _al2023, "bottlerocket": _bottlerocket}[family](boot)


def taint_text(taint: Taint) -> str:
    """A taint as kubelet takes it on its command line."""
    return f"{taint.key}={taint.value}:{kubernetes_effect(taint)}"


def kubernetes_effect(taint: Taint) -> str:
    """The effect in Kubernetes' spelling."""
    return _EFFECTS[taint.effect]


def _flags(boot: Boot) -> list[str]:
    labels = ",".join(f"{key}={value}" for key, value in boot.labels.items())
    flags = [f"--node-labels={labels}"]
    if boot.taints:
        flags.append("--register-with-taints=" + ",".join(taint_text(taint) for taint in boot.taints))
    return flags


def _al2023(boot: Boot) -> str:
    cluster = boot.cluster
    config = {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {
            "cluster": {
                "apiServerEndpoint": cluster.endpoint,
                "certificateAuthority": cluster.ca_data,
                "cidr": cluster.service_cidr,
                "name": cluster.name,
            },
            "kubelet": {
                "config": {"maxPods": boot.max_pods, "clusterDNS": [dns_address(cluster)]},
                "flags": _flags(boot),
            },
        },
    }
    document = "---\n" + yaml.safe_dump(config, sort_keys=False)
    return _archive("application/node.eks.aws", document)


def _al2(boot: Boot) -> str:
    cluster = boot.cluster
    arguments = " ".join([*_flags(boot), f"--max-pods={boot.max_pods}"])
    script = (
        "#!/bin/bash\nset -ex\n"
        f"/etc/eks/bootstrap.sh {cluster.name} --kubelet-extra-args '{arguments}' "
        f"--b64-cluster-ca {cluster.ca_data} --apiserver-endpoint {cluster.endpoint} "
        f"--dns-cluster-ip {dns_address(cluster)} --use-max-pods false\n"
    )
    return _archive('text/x-shellscript; charset="us-ascii"', script)


def _bottlerocket(boot: Boot) -> str:
    cluster = boot.cluster
    lines = ["[settings.kubernetes]"]
    settings: dict[str, str | int | None] = {
        "api-server": cluster.endpoint,
        "cluster-certificate": cluster.ca_data,
        "cluster-dns-ip": dns_address(cluster),
        "cluster-name": cluster.name,
        "max-pods": boot.max_pods,
    }
    lines += [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    lines += ["[settings.kubernetes.node-labels]"]
    lines += [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in boot.labels.items()]
    if boot.taints:
        lines += ["[settings.kubernetes.node-taints]"]
        by_key: dict[str, list[str]] = {}
        for taint in boot.taints:
            by_key.setdefault(taint.key, []).append(f"{taint.value}:{kubernetes_effect(taint)}")
        lines += [f"{json.dumps(key)} = {json.dumps(values)}" for key, values in by_key.items()]
    return "\n".join(lines) + "\n"


def _archive(media_type: str, part: str) -> str:
    return (
        f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{_BOUNDARY}"\n\n'
        f"--{_BOUNDARY}\nContent-Type: {media_type}\n\n{part}\n--{_BOUNDARY}--\n"
    )
