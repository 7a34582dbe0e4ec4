"""From a container's environment to that of a process on this machine: what the sandbox has to replace. Pure."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

#: Variables that name a port to listen on: several pods share this machine's loopback, so each gets a free one.
PORT_VARIABLES = ("METRICS_PORT", "HEALTH_PROBE_PORT")
#: Where the add-on eks-pod-identity-agent listens on every node:
#: https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html
CREDENTIALS_URI = "http://169.254.170.23/v1/credentials"
SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"


@dataclass(frozen=True)
class Host:
    """What stands in for the node and its network.

    :param ports: port in the container's network to port on loopback.
    :param credentials_url: what answers in place of the pod identity agent's address.
    :param server: URL of the API server.
    """

    mounts: Mapping[str, Path]
    ports: Mapping[int, int]
    kubeconfig: Path
    namespace: str
    server: str
    aws_url: str
    credentials_url: str


def host_path(text: str, mounts: Mapping[str, Path]) -> str:
    """A path below a mount as a path of this machine; anything else as it is."""
    for mount, folder in mounts.items():
        if text == mount or text.startswith(mount + "/"):
            return str(folder) + text[len(mount) :]
    return text


def process_environment(spec: Mapping[str, str], pod_name: str, host: Host) -> dict[str, str]:
    """The environment of the process. No AWS variable comes from anywhere but the pod's spec and the sandbox."""
    server = urlsplit(host.server)
    port_text = str(server.port or 443)
    found = {
        "HOSTNAME": pod_name,
        "KUBERNETES_SERVICE_HOST": server.hostname or "",
        "KUBERNETES_SERVICE_PORT": port_text,
        "KUBERNETES_SERVICE_PORT_HTTPS": port_text,
    }
    for name, value in spec.items():
        found[name] = host_path(value, host.mounts)
    for name in PORT_VARIABLES:
        port = spec.get(name, "")
        if port.isdigit() and int(port) in host.ports:
            found[name] = str(host.ports[int(port)])
    if found.get("AWS_CONTAINER_CREDENTIALS_FULL_URI") == CREDENTIALS_URI:
        found["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = host.credentials_url
    # In a cluster this is read from the service account's mounted namespace file, whose path is fixed.
    found.setdefault("LEADER_ELECTION_NAMESPACE", host.namespace)
    return found | {
        "KUBECONFIG": str(host.kubeconfig),
        "AWS_ENDPOINT_URL": host.aws_url,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def needed_ports(spec: Mapping[str, str], declared: Mapping[int, str]) -> set[int]:
    """The container's ports that need a place on loopback: those it is told to listen on, and those it declares."""
    told = {int(spec[name]) for name in PORT_VARIABLES if spec.get(name, "").isdigit()}
    return told | set(declared)


def kubeconfig(server: str, ca_pem: bytes, namespace: str, token_file: Path | None) -> str:
    """What in-cluster configuration would be: the service account's token from its file, read again when renewed."""
    user = {"tokenFile": str(token_file)} if token_file else {}
    authority = base64.b64encode(ca_pem).decode()
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "cluster", "cluster": {"server": server, "certificate-authority-data": authority}}],
            "users": [{"name": "pod", "user": user}],
            "contexts": [{"name": "pod", "context": {"cluster": "cluster", "user": "pod", "namespace": namespace}}],
            "current-context": "pod",
        }
    )
