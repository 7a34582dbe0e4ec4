"""The seams between the parts of the sandbox: plain data and protocols, no behaviour.

Layers, each knowing only this file and the ones before it:

``process``       child processes that are recorded, health-checked and stopped
``build``         the binaries and the charts
``front``         the one AWS endpoint: principals, call log, routing to moto, ministack and our own services
``controlplane``  etcd, API server, controller manager, scheduler and kwok of one cluster
``eks``           the EKS API, the authentication and admission webhooks, pod identity
``agent``         EC2 instances that become nodes, pods that run as processes, the kubelet's API
``daemon``        puts them together
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True, order=True)
class ClusterKey:
    """What tells one EKS cluster from another: account id, region and name."""

    account: str
    region: str
    name: str

    @property
    def slug(self) -> str:
        """A name for folders and files, unique among the clusters of one sandbox."""
        return f"{self.account}-{self.region}-{self.name}"


@dataclass(frozen=True)
class SessionTag:
    """A tag of a session; a transitive one goes on to the sessions that this one opens."""

    key: str
    value: str
    transitive: bool = False


@dataclass(frozen=True)
class Principal:
    """Who signed a call. ``service`` is set for AWS services acting for themselves (``eks.amazonaws.com``).

    ``session_policies``: texts of the policies that limit a session, None where nothing does.
    """

    account: str
    arn: str
    user_id: str
    service: str | None = None
    session_tags: tuple[SessionTag, ...] = ()
    session_policies: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Credentials:
    """One set of AWS credentials; ``token`` and ``expires_at`` (seconds since the epoch) only for sessions."""

    access_key_id: str
    secret_access_key: str
    token: str | None = None
    expires_at: float | None = None


@dataclass(frozen=True)
class HttpRequest:
    """A request as it came in; ``path`` is the raw, still encoded path, ``query`` the raw query string."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class HttpResponse:
    """An answer in the wire form of the service's protocol."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Call:
    """One AWS API call, already authenticated. ``service`` is the signing name, ``action`` the operation's name.

    ``on_behalf_of``: for whom an AWS service makes the call, with that one's permissions.
    """

    principal: Principal
    region: str
    service: str
    action: str
    request: HttpRequest
    on_behalf_of: Principal | None = None

    @property
    def caller(self) -> Principal:
        """Whose permissions count."""
        return self.on_behalf_of or self.principal


class Service(Protocol):
    """An AWS service that the sandbox implements itself (EKS, EKS Auth)."""

    async def handle(self, call: Call) -> HttpResponse:
        """Answer the call; errors are answered in the service's own wire form, never raised."""
        ...


class Aws(Protocol):
    """What the other parts may ask of the front."""

    @property
    def url(self) -> str:
        """The endpoint, ``http://127.0.0.1:<port>``."""
        ...

    def client(self, service: str, account: str, region: str, *, principal: str = "eks.amazonaws.com") -> Any:
        """A boto3 client (blocking: use it in a thread) that signs as the AWS service ``principal``."""
        ...

    def mint_session(
        self, role_arn: str, session_name: str, *, duration_seconds: int = 3600, tags: Sequence[SessionTag] = ()
    ) -> Credentials:
        """Credentials of ``arn:<partition>:sts::<account>:assumed-role/<role>/<session_name>`` with session tags.

        The caller (instance metadata, pod identity) has already decided that the role may be assumed.
        Raises LookupError when the role does not exist.
        """
        ...

    def verify_presigned(self, url: str, headers: Mapping[str, str]) -> Principal:
        """The principal who presigned an STS GetCallerIdentity URL with these signed headers.

        Raises PermissionError, with the reason, when signature, age, key or session are not good.
        """
        ...


@dataclass(frozen=True)
class ControlPlaneSpec:
    """What a control plane needs to start.

    ``authentication_url``: http URL of the token review webhook.
    ``admission_url`` / ``admission_ca_pem``: https URL of the pod identity admission webhook and its CA.
    ``service_account_issuer``: what tokens of service accounts name as their issuer; the cluster's OIDC issuer.
    """

    key: ClusterKey
    kubernetes_minor: str
    service_cidr: str
    authentication_url: str
    admission_url: str
    admission_ca_pem: bytes
    service_account_issuer: str = "https://kubernetes.default.svc"


@dataclass(frozen=True)
class ControlPlaneEndpoint:
    """A control plane that answers: ``url`` on loopback, its CA, and a system:masters kubeconfig for the sandbox."""

    url: str
    ca_pem: bytes
    admin_kubeconfig: Path


class ControlPlaneLimitError(RuntimeError):
    """As many control planes run as may run in this sandbox."""


class ControlPlanes(Protocol):
    """Starts and stops control planes, one per cluster."""

    async def start(self, spec: ControlPlaneSpec) -> ControlPlaneEndpoint:
        """Return when /readyz answers. Raises RuntimeError naming the component and the end of its log.

        ControlPlaneLimitError is one of them.
        """
        ...

    async def resume(self, spec: ControlPlaneSpec, url: str) -> ControlPlaneEndpoint:
        """As ``start``, with the data and the certificates of an earlier run, at the address it had. They stay."""
        ...

    async def update(self, spec: ControlPlaneSpec) -> None:
        """Bring a control plane that runs to ``spec``'s Kubernetes minor. Its address and its data stay, and it answers
        all the while. Raises RuntimeError naming the component; then it is as it was.
        """
        ...

    async def stop(self, key: ClusterKey) -> None:
        """Stop every process of the cluster and remove its data; nothing to stop is not an error."""
        ...

    def route(self, key: ClusterKey, host: str, port: int, target: tuple[str, int] | None) -> None:
        """Let the API server reach ``host:port`` of the cluster's network (a node's or a pod's address) at a
        loopback ``target``; ``None`` takes the route away. Served by the egress selector's CONNECT proxy."""
        ...


class Agents(Protocol):
    """Runs the nodes of one cluster: instances become nodes, pods of known images become processes."""

    async def start(self, key: ClusterKey, endpoint: ControlPlaneEndpoint) -> None: ...

    async def stop(self, key: ClusterKey) -> None:
        """Stop what runs for the cluster, pods' processes included."""
        ...
