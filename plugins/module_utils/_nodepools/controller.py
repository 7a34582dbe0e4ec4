# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Whether a controller is at work that can end what is deleted. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._kubernetes.model import is_true, timestamp

STALE_SECONDS = 60.0
"""A leader renews its Lease every few seconds and loses it after 15; a clock that is a little off does no harm."""


def absence(now: float, lease: Mapping[str, Any] | None, pods: Iterable[Mapping[str, Any]]) -> str | None:
    """Why there is no controller at work, or None when there is one.

    :param now: seconds since the epoch. :param lease: the Lease of its leader election. :param pods: its pods.
    """
    renewed = ((lease or {}).get("spec") or {}).get("renewTime")
    holder = ((lease or {}).get("spec") or {}).get("holderIdentity")
    age = now - timestamp(renewed) if renewed and holder else None
    if age is not None and age <= STALE_SECONDS:
        return None
    if any(is_true(pod, "Ready") and not pod["metadata"].get("deletionTimestamp") for pod in pods):
        return None
    if age is None:
        return "it has no leader and no pod that is ready"
    return f"its leader last renewed its Lease {round(age)} seconds ago and no pod of it is ready"
