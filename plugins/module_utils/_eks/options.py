# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Options that the EKS modules share; documented in plugins/doc_fragments/eks.py. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core.errors import EksopsError
from .._core.progress import ARGUMENT_SPEC, Progress
from .waiters import EksWait

CLUSTER_OPTIONS: dict[str, Any] = {"cluster_name": {"type": "str", "required": True}}
ITEMS_OPTIONS: dict[str, Any] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "purge": {"type": "bool", "default": False},
}
WAIT_OPTIONS: dict[str, Any] = {
    "wait": {"type": "bool", "default": True},
    "wait_timeout_seconds": {"type": "int", "default": 2400},
}
PROGRESS_OPTIONS = ARGUMENT_SPEC


def waiting(params: Mapping[str, Any], progress: Progress | None = None) -> EksWait | None:
    """The wait that the options ask for, None without one. Raises EksopsError for a time that is none."""
    seconds = params["wait_timeout_seconds"]
    if seconds <= 0:
        raise EksopsError(f"{seconds} seconds are no time to wait", where="wait_timeout_seconds", allowed="1 or more")
    return EksWait(seconds, progress) if params["wait"] else None
