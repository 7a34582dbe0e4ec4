# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the API server said no to, told once and for a person. Private to the collection."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from .._core.errors import EksopsError

Kind = Literal[
    "unreachable", "credentials", "unauthorized", "forbidden", "not_found", "no_kind", "conflict", "exists",
    "gone", "invalid", "throttled", "server",
]  # fmt: skip
"""What went wrong. ``no_kind``: the API has no such resource (a CRD is missing); ``gone``: the version is too old."""


class KubernetesError(EksopsError):
    """A failed call to an API server; ``status`` is its Status object, if it sent one."""

    def __init__(
        self,
        kind: Kind,
        what: str,
        *,
        where: str | None = None,
        next_step: str | None = None,
        status: Mapping[str, Any] | None = None,
    ) -> None:
        self.kind = kind
        self.status = status or {}
        super().__init__(what, where=where, next_step=next_step)

    @property
    def causes(self) -> list[dict[str, Any]]:
        """The single causes that the server named (field conflicts, invalid fields)."""
        return list((self.status.get("details") or {}).get("causes") or [])

    @property
    def retry_after_seconds(self) -> float | None:
        """The pause the server asked for."""
        value = (self.status.get("details") or {}).get("retryAfterSeconds")
        return float(value) if value else None


ACCESS_NEXT_STEP = (
    "give the principal an access entry of the cluster (aws eks list-access-entries shows them), "
    "or renew credentials that have expired"
)


def unreachable(server: str, reason: str, source: str) -> KubernetesError:
    """The endpoint does not answer."""
    return KubernetesError(
        "unreachable",
        f"The API server {server} cannot be reached: {reason}",
        where=source,
        next_step="check that the cluster is ACTIVE, that its endpoint is open to this machine, and the proxy settings",
    )


def from_answer(code: int, body: bytes, *, verb: str, path: str, server: str, source: str) -> KubernetesError:
    """The error of an HTTP answer of 400 or above."""
    status = _status(body)
    text = str(status.get("message") or body[:300].decode("utf-8", "replace").strip() or f"HTTP {code}")
    about = f"{verb} {path}"
    if code == 401:
        return KubernetesError(
            "unauthorized",
            f"The API server {server} does not accept the credentials of the kubeconfig (401 Unauthorized)",
            where=source,
            next_step=ACCESS_NEXT_STEP,
            status=status,
        )
    if code == 403:
        return KubernetesError(
            "forbidden",
            f"The API server {server} refuses {about}: {text}",
            where=source,
            next_step="give its access entry a policy that allows it (AmazonEKSClusterAdminPolicy does)",
            status=status,
        )
    if code == 404 and not (status.get("details") or {}).get("name"):
        return KubernetesError(
            "no_kind",
            f"The API server {server} has nothing at {path}",
            where=source,
            next_step="install the CRDs first (chart karpenter-crd; role karpenter_install does)",
            status=status,
        )
    return KubernetesError(_kind(code, status), f"{about}: {text}", where=source, status=status)


def _kind(code: int, status: Mapping[str, Any]) -> Kind:
    if code == 409:
        return "exists" if status.get("reason") == "AlreadyExists" else "conflict"
    if "failed to create typed patch object" in str(status.get("message")):  # a 500 for a manifest with unknown fields
        return "invalid"
    kinds: dict[int, Kind] = {404: "not_found", 410: "gone", 429: "throttled"}
    return kinds.get(code, "server" if code >= 500 else "invalid")


def _status(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except ValueError:
        return {}
    return data if isinstance(data, dict) and data.get("kind") == "Status" else {}
