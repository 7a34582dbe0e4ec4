"""What EKS keeps: plain records, saved as JSON. Times are seconds since the epoch, tags and labels are dicts."""

from __future__ import annotations

import dataclasses
import types
import typing
from dataclasses import dataclass, field
from typing import Any

from sandbox.contracts import ClusterKey


@dataclass
class PolicyScope:
    """An access policy associated with an access entry; ``namespaces`` is empty for a whole cluster."""

    policy_arn: str
    type: str
    namespaces: list[str]
    associated_at: float
    modified_at: float


@dataclass
class AccessEntry:
    """Who may talk to the API server. ``principal_id`` is what IAM called the principal when the entry was made."""

    principal_arn: str
    principal_id: str
    arn: str
    type: str
    username: str
    groups: list[str]
    tags: dict[str, str]
    created_at: float
    modified_at: float
    policies: dict[str, PolicyScope] = field(default_factory=dict)


@dataclass
class PodIdentityAssociation:
    """Which role the pods of one service account get."""

    id: str
    arn: str
    namespace: str
    service_account: str
    role_arn: str
    tags: dict[str, str]
    created_at: float
    modified_at: float
    disable_session_tags: bool = False
    owner_arn: str | None = None


@dataclass
class Issue:
    """One entry of a resource's health."""

    code: str
    message: str
    resource_ids: list[str] = field(default_factory=list)


@dataclass
class Addon:
    """An add-on that EKS manages; ``unhealthy_since`` is when it last stopped being healthy.

    ``preserve``: its deletion leaves its objects in the cluster.
    """

    name: str
    arn: str
    version: str
    status: str
    tags: dict[str, str]
    created_at: float
    modified_at: float
    configuration_values: str | None = None
    issues: list[Issue] = field(default_factory=list)
    associations: list[str] = field(default_factory=list)
    unhealthy_since: float | None = None
    preserve: bool = False


@dataclass
class Taint:
    """A taint in EKS' spelling (NO_SCHEDULE, NO_EXECUTE, PREFER_NO_SCHEDULE)."""

    key: str
    effect: str
    value: str = ""


@dataclass
class CustomTemplate:
    """The version of a user's launch template that a node group was made with."""

    id: str
    name: str
    version: str


@dataclass
class Nodegroup:
    """A managed node group. ``launch_template_id`` and ``instance_profile`` are the parts EKS made for it."""

    name: str
    arn: str
    uid: str
    status: str
    version: str
    release_version: str
    image_id: str
    ami_type: str
    capacity_type: str
    instance_types: list[str]
    subnets: list[str]
    node_role: str
    disk_size: int
    min_size: int
    max_size: int
    desired_size: int
    labels: dict[str, str]
    taints: list[Taint]
    tags: dict[str, str]
    update_config: dict[str, Any]
    created_at: float
    modified_at: float
    max_pods: int
    launch_template_id: str | None = None
    launch_template_version: str | None = None
    instance_profile: str | None = None
    custom_template: CustomTemplate | None = None
    types_in_template: bool = False
    issues: list[Issue] = field(default_factory=list)

    @property
    def auto_scaling_group(self) -> str:
        """The name of the Auto Scaling group that AWS would make (the sandbox has no Auto Scaling API)."""
        return f"eks-{self.name}-{self.uid}"


@dataclass
class Update:
    """A change under way or done; of the cluster, or of the named node group or add-on."""

    id: str
    type: str
    status: str
    params: list[dict[str, str]]
    created_at: float
    errors: list[dict[str, Any]] = field(default_factory=list)
    nodegroup_name: str | None = None
    addon_name: str | None = None


@dataclass
class Insight:
    """What a check of the cluster last said; ``view`` is what the API shows of it beside id and times."""

    id: str
    refreshed_at: float
    transitioned_at: float
    view: dict[str, Any]


@dataclass
class Refresh:
    """The latest refresh of insights that somebody asked for."""

    status: str
    started_at: float
    message: str = ""
    ended_at: float | None = None


@dataclass
class Token:
    """A client request token that was used: what it was used with, and what the answer was."""

    fingerprint: str
    answer: dict[str, Any]
    resource: str


@dataclass
class Creator:
    """The role or user that made a cluster, and what IAM called it then."""

    arn: str
    id: str


@dataclass
class Cluster:
    """A cluster with all that belongs to it. ``secret`` is in the path of its webhooks, known to its API server."""

    account: str
    region: str
    name: str
    arn: str
    status: str
    version: str
    platform_version: str
    role_arn: str
    subnet_ids: list[str]
    security_group_ids: list[str]
    vpc_id: str
    service_cidr: str
    oidc_issuer: str
    authentication_mode: str
    bootstrap_creator_admin: bool
    creator: Creator
    secret: str
    created_at: float
    endpoint_public_access: bool = True
    endpoint_private_access: bool = False
    public_access_cidrs: list[str] = field(default_factory=lambda: ["0.0.0.0/0"])
    support_type: str = "EXTENDED"
    zonal_shift: bool = False
    deletion_protection: bool = False
    self_managed_addons: bool = True
    log_types: list[str] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    client_request_token: str | None = None
    cluster_security_group_id: str | None = None
    endpoint: str | None = None
    ca_data: str | None = None
    admin_kubeconfig: str | None = None
    issues: list[Issue] = field(default_factory=list)
    entries: dict[str, AccessEntry] = field(default_factory=dict)
    associations: dict[str, PodIdentityAssociation] = field(default_factory=dict)
    addons: dict[str, Addon] = field(default_factory=dict)
    nodegroups: dict[str, Nodegroup] = field(default_factory=dict)
    updates: dict[str, Update] = field(default_factory=dict)
    upgraded_from: str | None = None
    upgraded_at: float | None = None
    insights: dict[str, Insight] = field(default_factory=dict)
    insights_refresh: Refresh | None = None
    tokens: dict[str, Token] = field(default_factory=dict)

    @property
    def key(self) -> ClusterKey:
        """The cluster's place among all clusters of the sandbox."""
        return ClusterKey(self.account, self.region, self.name)


def dump(record: Any) -> dict[str, Any]:
    """A record as JSON data."""
    return dataclasses.asdict(record)


def load[Record](kind: type[Record], data: dict[str, Any]) -> Record:
    """The record that ``dump`` made ``data`` from. Raises TypeError for data of another form."""
    hints = typing.get_type_hints(kind)
    return kind(**{name: _load(hints[name], value) for name, value in data.items()})


def _load(hint: Any, value: Any) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if value is None:
        return None
    if origin in (typing.Union, types.UnionType):
        return _load(next(one for one in arguments if one is not type(None)), value)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return load(hint, value)
    if origin is list:
        return [_load(arguments[0], one) for one in value]
    if origin is dict:
        return {key: _load(arguments[1], one) for key, one in value.items()}
    return value
