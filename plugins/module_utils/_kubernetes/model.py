# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""How a cluster is reached, and what its objects are called. Pure: standard library only. Private to the collection."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from .._core.errors import EksopsError

Object = dict[str, Any]
"""A Kubernetes object, as the API server writes it."""


@dataclass(frozen=True)
class Resource:
    """A kind of object and where the API serves it."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """``group/version``, or the version alone for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, name: str | None = None, namespace: str | None = None) -> str:
        """The URL path of one object, of the objects of a namespace, or of all."""
        parts = ["/apis", self.group, self.version] if self.group else ["/api", self.version]
        if self.namespaced and namespace:
            parts += ["namespaces", namespace]
        parts.append(self.plural)
        if name:
            parts.append(name)
        return "/".join(parts)


NAMESPACES = Resource("", "v1", "namespaces", "Namespace", namespaced=False)
NODES = Resource("", "v1", "nodes", "Node", namespaced=False)
PODS = Resource("", "v1", "pods", "Pod")
SECRETS = Resource("", "v1", "secrets", "Secret")
EVENTS = Resource("", "v1", "events", "Event")
SERVICE_ACCOUNTS = Resource("", "v1", "serviceaccounts", "ServiceAccount")
DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment")
DISRUPTION_BUDGETS = Resource("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget")
LEASES = Resource("coordination.k8s.io", "v1", "leases", "Lease")
DEFINITIONS = Resource(
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", namespaced=False
)
NODE_POOLS = Resource("karpenter.sh", "v1", "nodepools", "NodePool", namespaced=False)
NODE_CLAIMS = Resource("karpenter.sh", "v1", "nodeclaims", "NodeClaim", namespaced=False)
NODE_CLASSES = Resource("karpenter.k8s.aws", "v1", "ec2nodeclasses", "EC2NodeClass", namespaced=False)


@dataclass(frozen=True)
class ExecPlugin:
    """A command that prints an ExecCredential (https://kubernetes.io/docs/reference/access-authn-authz/authentication/)."""

    command: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    api_version: str


@dataclass(frozen=True)
class Connection:
    """One context of a kubeconfig, resolved: where, trusted how, as whom. Secrets stay out of ``repr``."""

    server: str
    source: str
    ca_pem: str | None = None
    ca_file: str | None = None
    verify: bool = True
    tls_server_name: str | None = None
    proxy_url: str | None = None
    token: str | None = field(default=None, repr=False)
    token_file: str | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    client_certificate_pem: str | None = field(default=None, repr=False)
    client_key_pem: str | None = field(default=None, repr=False)
    client_certificate_file: str | None = None
    client_key_file: str | None = None
    exec_plugin: ExecPlugin | None = None


def connection(config: Mapping[str, Any], source: str, context: str | None = None) -> Connection:
    """The connection of a parsed kubeconfig.

    :param config: the file's content. :param source: its path, for messages and relative paths.
    :param context: the context to take; the current one when None. Raises EksopsError naming what is missing.
    """
    name = context or config.get("current-context")
    if not name:
        raise EksopsError(
            "The kubeconfig has no current context", where=source, next_step="name one by the option context"
        )
    chosen = _entry(config, "contexts", "context", name, source)
    cluster = _entry(config, "clusters", "cluster", chosen.get("cluster"), source)
    user = _entry(config, "users", "user", chosen.get("user"), source) if chosen.get("user") else {}
    if not isinstance(cluster.get("server"), str):
        raise EksopsError(f"Cluster {chosen.get('cluster')} has no server", where=source)
    return Connection(
        server=cluster["server"].rstrip("/"),
        source=source,
        ca_pem=_decoded(cluster, "certificate-authority-data", source),
        ca_file=cluster.get("certificate-authority"),
        verify=not cluster.get("insecure-skip-tls-verify", False),
        tls_server_name=cluster.get("tls-server-name"),
        proxy_url=cluster.get("proxy-url"),
        token=user.get("token"),
        token_file=user.get("tokenFile"),
        username=user.get("username"),
        password=user.get("password"),
        client_certificate_pem=_decoded(user, "client-certificate-data", source),
        client_key_pem=_decoded(user, "client-key-data", source),
        client_certificate_file=user.get("client-certificate"),
        client_key_file=user.get("client-key"),
        exec_plugin=_exec_plugin(user.get("exec")),
    )


def _entry(config: Mapping[str, Any], section: str, key: str, name: Any, source: str) -> Mapping[str, Any]:
    entries = config.get(section) or []
    found = next((entry.get(key) or {} for entry in entries if entry.get("name") == name), None)
    if found is None:
        names = ", ".join(str(entry.get("name")) for entry in entries) or "none"
        raise EksopsError(f"The kubeconfig has no {key} {name!r}", where=source, allowed=f"one of: {names}")
    return dict(found)


def _decoded(entry: Mapping[str, Any], key: str, source: str) -> str | None:
    value = entry.get(key)
    if value is None:
        return None
    try:
        return base64.b64decode(value, validate=True).decode("ascii")
    except (ValueError, binascii.Error) as error:
        raise EksopsError(f"{key} is not base64 of a PEM text", where=source) from error


def _exec_plugin(entry: Mapping[str, Any] | None) -> ExecPlugin | None:
    if not entry:
        return None
    return ExecPlugin(
        command=entry["command"],
        arguments=tuple(entry.get("args") or ()),
        environment={item["name"]: item["value"] for item in entry.get("env") or ()},
        api_version=entry.get("apiVersion", "client.authentication.k8s.io/v1"),
    )


def timestamp(text: str) -> float:
    """Seconds since the epoch of an RFC 3339 time, as Kubernetes writes it. Raises ValueError."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC).timestamp()


def condition(item: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    """The condition of that type in the object's status, or None."""
    conditions = (item.get("status") or {}).get("conditions") or []
    return next((entry for entry in conditions if entry.get("type") == kind), None)


def is_true(item: Mapping[str, Any], kind: str) -> bool:
    """Whether the object has that condition with status True."""
    found = condition(item, kind)
    return found is not None and found.get("status") == "True"
