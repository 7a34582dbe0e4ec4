"""Kubernetes versions as EKS has them. Read on 2026-11-30; 1.36's dates of the end of support are 14 and 26 months on.

https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html
https://docs.aws.amazon.com/eks/latest/userguide/platform-versions.html
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from sandbox.eks.errors import invalid_parameter

DEFAULT_VERSION = "1.36"


@dataclass(frozen=True)
class Minor:
    """One minor version: its newest patch and platform version on EKS, and the dates of its support."""

    name: str
    patch: str
    platform: str
    released: str
    standard_until: str
    extended_until: str


MINORS = {
    minor.name: minor
    for minor in (
        Minor("1.36", "1.36.3", "eks.6", "2026-06-02", "2027-08-02", "2028-08-02"),
        Minor("1.35", "1.35.9", "eks.16", "2026-01-27", "2027-03-27", "2028-03-27"),
        Minor("1.34", "1.34.12", "eks.25", "2025-10-02", "2026-12-02", "2027-12-02"),
        Minor("1.33", "1.33.14", "eks.38", "2025-05-29", "2026-07-29", "2027-07-29"),
        Minor("1.32", "1.32.13", "eks.45", "2025-01-23", "2026-03-23", "2027-03-23"),
    )
}


def support(minor: Minor, today: dt.date) -> str:
    """UNSUPPORTED, EXTENDED_SUPPORT or STANDARD_SUPPORT on a day."""
    if today.isoformat() >= minor.extended_until:
        return "UNSUPPORTED"
    return "EXTENDED_SUPPORT" if today.isoformat() >= minor.standard_until else "STANDARD_SUPPORT"


def choose(version: str | None, startable: frozenset[str]) -> Minor:
    """The minor version for a new cluster.

    Raises EksError (InvalidParameterException) for one that EKS does not offer, or that the sandbox cannot start.
    """
    wanted = version or DEFAULT_VERSION
    minor = MINORS.get(wanted)
    if minor is None or support(minor, dt.datetime.now(dt.UTC).date()) == "UNSUPPORTED":
        raise invalid_parameter(f"unsupported Kubernetes version {wanted}; EKS offers {', '.join(MINORS)}.")
    if wanted not in startable:
        can = ", ".join(sorted(startable)) or "none"
        raise invalid_parameter(f"The sandbox has no control plane for Kubernetes {wanted}; it can start {can}.")
    return minor


def describe(params: dict[str, Any]) -> list[dict[str, Any]]:
    """The answer of DescribeClusterVersions, newest first.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeClusterVersions.html
    """
    today = dt.datetime.now(dt.UTC).date()
    wanted_status = params.get("versionStatus") or params.get("status", "").upper().replace("-", "_")
    wanted = params.get("clusterVersions")
    found = []
    for minor in MINORS.values():
        status = support(minor, today)
        if wanted is not None and minor.name not in wanted:
            continue
        if wanted_status and status != wanted_status:
            continue
        if status == "UNSUPPORTED" and not (params.get("includeAll") or wanted_status == status or wanted):
            continue
        if params.get("defaultOnly") and minor.name != DEFAULT_VERSION:
            continue
        if params.get("clusterType", "eks") == "eks":
            found.append(_describe(minor, status))
    return found


def _describe(minor: Minor, status: str) -> dict[str, Any]:
    return {
        "clusterVersion": minor.name,
        "clusterType": "eks",
        "defaultPlatformVersion": minor.platform,
        "defaultVersion": minor.name == DEFAULT_VERSION,
        "releaseDate": _seconds(minor.released),
        "endOfStandardSupportDate": _seconds(minor.standard_until),
        "endOfExtendedSupportDate": _seconds(minor.extended_until),
        "status": status.lower().replace("_", "-"),
        "versionStatus": status,
        "kubernetesPatchVersion": minor.patch,
    }


def _seconds(day: str) -> float:
    return dt.datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp()
