# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Reads and reports: the module karpenter_fleet_info without its options. Private to the collection."""

from __future__ import annotations

from typing import Any

from .._kubernetes.client import Client
from . import api
from .report import report


def run(client: Client, namespace: str, *, prices: bool) -> dict[str, Any]:
    """The fleet. Raises KubernetesError."""
    return report(api.observe(client, namespace, prices=prices))
