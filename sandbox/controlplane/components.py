"""The command lines of the five processes of a control plane. Everything binds to 127.0.0.1."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.contracts import ControlPlaneSpec
from sandbox.controlplane import egress, kubeconfig
from sandbox.controlplane.pki import Pki
from sandbox.state import write_json

LOOPBACK = "127.0.0.1"
#: How long the API server remembers what the token review webhook said: a change of an access entry shows after it.
TOKEN_CACHE = "2s"
#: A kubelet's lease is good for so long, and it renews it every 10 seconds.
LEASE_SECONDS = 40
#: A documentation address (RFC 5737). EKS puts network interfaces of the VPC here; the API server refuses loopback.
ADVERTISED = "192.0.2.1"

#: Addresses of the pods that kwok plays: the range that AWS names for a secondary VPC range of pods.
#: https://docs.aws.amazon.com/eks/latest/best-practices/custom-networking.html
POD_CIDR = ipaddress.IPv4Network("100.64.0.0/10")


@dataclass(frozen=True)
class Plane:
    """The files of one cluster's control plane."""

    spec: ControlPlaneSpec
    folder: Path
    pki: Pki
    #: How often the cluster has come back.
    returns: int = 0

    @property
    def pod_cidr(self) -> str:
        """The part of POD_CIDR for new pods: kwok begins at its start again, and pods of former runs keep theirs."""
        parts = list(POD_CIDR.subnets(new_prefix=16))
        return str(parts[self.returns % len(parts)])

    @property
    def egress_folder(self) -> Path:
        """Where the egress proxy's socket lies; the API server's working folder."""
        return self.folder / "egress"

    def kubeconfig(self, component: str) -> Path:
        """The kubeconfig of a client of the API server (``admin``, ``kube-scheduler``, ...)."""
        return self.folder / "kubeconfigs" / component

    def write_kubeconfigs(self, url: str) -> None:
        """Write a kubeconfig for every client of the API server at ``url``."""
        clients = {
            "admin": self.pki.admin,
            "kube-controller-manager": self.pki.controller_manager,
            "kube-scheduler": self.pki.scheduler,
            "kwok": self.pki.kwok,
        }
        for name, pair in clients.items():
            kubeconfig.write_client(self.kubeconfig(name), url, self.pki.ca.pem, pair)


def _flags(values: Mapping[str, str | Path | int]) -> list[str]:
    return [f"--{name}={value}" for name, value in values.items()]


def etcd(binary: Path, plane: Plane, port: int, peer_port: int) -> list[str]:
    """etcd without fsync: what it wrote survives its end, by SIGKILL too, and need not survive that of the machine."""
    url, peer = f"http://{LOOPBACK}:{port}", f"http://{LOOPBACK}:{peer_port}"
    values: dict[str, str | Path | int] = {
        "name": "sandbox",
        "data-dir": plane.folder / "etcd",
        "listen-client-urls": url,
        "advertise-client-urls": url,
        "listen-peer-urls": peer,
        "initial-advertise-peer-urls": peer,
        "initial-cluster": f"sandbox={peer}",
        "unsafe-no-fsync": "true",
        "auto-compaction-retention": "5m",
        "log-level": "warn",
    }
    return [str(binary), *_flags(values)]


def _authentication_flags(plane: Plane) -> dict[str, str | Path | int]:
    pki, folder = plane.pki, plane.folder
    webhook: Path = kubeconfig.write_webhook(folder / "kubeconfigs" / "token-review", plane.spec.authentication_url)
    return {
        "client-ca-file": pki.ca.pair.certificate,
        "authentication-token-webhook-config-file": webhook,
        "authentication-token-webhook-version": "v1",
        "authentication-token-webhook-cache-ttl": TOKEN_CACHE,
        "service-account-issuer": plane.spec.service_account_issuer,
        # As on EKS, whose tokens for the API server carry this audience whatever the issuer is.
        "api-audiences": "https://kubernetes.default.svc",
        "service-account-key-file": pki.service_account.certificate,
        "service-account-signing-key-file": pki.service_account.key,
        # The aggregation layer, for extension API servers such as the metrics server.
        "requestheader-client-ca-file": pki.front_proxy_ca.pair.certificate,
        "requestheader-allowed-names": "front-proxy-client",
        "requestheader-extra-headers-prefix": "X-Remote-Extra-",
        "requestheader-group-headers": "X-Remote-Group",
        "requestheader-username-headers": "X-Remote-User",
        "proxy-client-cert-file": pki.front_proxy_client.certificate,
        "proxy-client-key-file": pki.front_proxy_client.key,
    }


def _network_flags(plane: Plane) -> dict[str, str | Path | int]:
    selector = plane.folder / "egress-selector.json"
    write_json(selector, egress.configuration(egress.SOCKET_NAME))
    return {
        "egress-selector-config-file": selector,
        # Services have no address of their own on this machine; their endpoints have routes.
        "enable-aggregator-routing": "true",
        # Kubelets prove nothing to the API server: their certificate is one that they made themselves.
        "kubelet-client-certificate": plane.pki.kubelet_client.certificate,
        "kubelet-client-key": plane.pki.kubelet_client.key,
        "kubelet-preferred-address-types": "InternalIP,InternalDNS,Hostname",
        "service-cluster-ip-range": plane.spec.service_cidr,
        "advertise-address": ADVERTISED,
    }


def api_server(binary: Path, plane: Plane, port: int, etcd_port: int) -> list[str]:
    """kube-apiserver, with authentication by access entries (the webhook) and authorization as on EKS.

    https://docs.aws.amazon.com/eks/latest/userguide/platform-versions.html lists the admission controllers.
    """
    values: dict[str, str | Path | int] = {
        "bind-address": LOOPBACK,
        "secure-port": port,
        # The API server of another version takes over without a moment in which nobody answers.
        "permit-port-sharing": "true",
        "etcd-servers": f"http://{LOOPBACK}:{etcd_port}",
        "tls-cert-file": plane.pki.api_server.certificate,
        "tls-private-key-file": plane.pki.api_server.key,
        "authorization-mode": "Node,RBAC",
        "enable-admission-plugins": "NodeRestriction,ExtendedResourceToleration,PodSecurity,"
        "MutatingAdmissionWebhook,ValidatingAdmissionWebhook",
        "allow-privileged": "true",
        "profiling": "false",
        **_authentication_flags(plane),
        **_network_flags(plane),
    }
    return [str(binary), *_flags(values)]


def controller_manager(binary: Path, plane: Plane, port: int) -> list[str]:
    """kube-controller-manager. One replica, so no leader has to be found."""
    config = plane.kubeconfig("kube-controller-manager")
    values: dict[str, str | Path | int] = {
        "bind-address": LOOPBACK,
        "secure-port": port,
        "tls-cert-file": plane.pki.controller_manager_server.certificate,
        "tls-private-key-file": plane.pki.controller_manager_server.key,
        "kubeconfig": config,
        "authentication-kubeconfig": config,
        "authorization-kubeconfig": config,
        "leader-elect": "false",
        "use-service-account-credentials": "true",
        "service-account-private-key-file": plane.pki.service_account.key,
        "root-ca-file": plane.pki.ca.pair.certificate,
        "cluster-signing-cert-file": plane.pki.ca.pair.certificate,
        "cluster-signing-key-file": plane.pki.ca.pair.key,
        # Nodes say their own provider id, addresses come from the VPC, and who deletes the nodes of ended instances
        # is the cloud's controller: the node agent.
        "cloud-provider": "external",
        "allocate-node-cidrs": "false",
        "profiling": "false",
    }
    return [str(binary), *_flags(values)]


def scheduler(binary: Path, plane: Plane, port: int) -> list[str]:
    """kube-scheduler. One replica, so no leader has to be found."""
    config = plane.kubeconfig("kube-scheduler")
    values: dict[str, str | Path | int] = {
        "bind-address": LOOPBACK,
        "secure-port": port,
        "tls-cert-file": plane.pki.scheduler_server.certificate,
        "tls-private-key-file": plane.pki.scheduler_server.key,
        "kubeconfig": config,
        "authentication-kubeconfig": config,
        "authorization-kubeconfig": config,
        "leader-elect": "false",
    }
    return [str(binary), *_flags(values)]


def kwok(binary: Path, plane: Plane, port: int, stages: Sequence[str]) -> list[str]:
    """kwok plays the nodes that carry its annotation and their pods, by the texts of the ``stages`` alone.

    They are put into one file: kwok takes the stages it ships for every resource that no given stage is about.
    """
    config = plane.folder / "kwok.yaml"
    # kwok's defaults, said here because it starts without any once it has a configuration file.
    values_set = {
        "nodePlayStageParallelism": 4,
        "podPlayStageParallelism": 4,
        "nodeLeaseParallelism": 4,
        "cidr": plane.pod_cidr,
    }
    options = {"apiVersion": "config.kwok.x-k8s.io/v1alpha1", "kind": "KwokConfiguration", "options": values_set}
    documents = [json.dumps(options), *stages]
    config.write_text("\n---\n".join(documents), encoding="utf-8")
    values: dict[str, str | Path | int] = {
        "kubeconfig": plane.kubeconfig("kwok"),
        "config": config,
        "manage-nodes-with-annotation-selector": "kwok.x-k8s.io/node=fake",
        "node-lease-duration-seconds": LEASE_SECONDS,
        "server-address": f"{LOOPBACK}:{port}",
    }
    return [str(binary), *_flags(values)]
