# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the live objects beside the Deployment have otherwise than their chart rendered them. Pure. Private to the
collection.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .._kubernetes.model import Resource
from .drift import stated
from .model import DEFINITION_NAMES

Rendered = Mapping[str, Any]
# The kinds of chart karpenter 1.14 (charts/karpenter/templates); another one is looked up.
PLURALS: dict[str, tuple[str, bool]] = {
    "ClusterRole": ("clusterroles", False),
    "ClusterRoleBinding": ("clusterrolebindings", False),
    "PodDisruptionBudget": ("poddisruptionbudgets", True),
    "Role": ("roles", True),
    "RoleBinding": ("rolebindings", True),
    "Service": ("services", True),
    "ServiceAccount": ("serviceaccounts", True),
}
OTHERWISE = frozenset({"Deployment", "CustomResourceDefinition"})
"""Kinds that are looked at elsewhere."""
NOT_STATED = frozenset({"apiVersion", "kind", "metadata", "status"})
# Gives the pods other credentials: https://docs.aws.amazon.com/eks/latest/userguide/associate-service-account-role.html
CREDENTIALS = "eks.amazonaws.com/"


@dataclass(frozen=True)
class Looked:
    """A rendered object and the live one, None when it is not there; ``unseen`` says why nobody could look."""

    rendered: Rendered
    live: Mapping[str, Any] | None
    unseen: str | None = None


def resource_of(item: Rendered, known: Mapping[str, tuple[str, bool]]) -> Resource | None:
    """Where the API serves the object, None for a kind that is not known."""
    kind = str(item.get("kind"))
    if kind not in known:
        return None
    *group, version = str(item["apiVersion"]).split("/")
    plural, namespaced = known[kind]
    return Resource("".join(group), version, plural, kind, namespaced)


def name_of(item: Rendered) -> str:
    """The object as a sentence calls it."""
    return f"{item['kind']} {item['metadata']['name']}"


def object_differences(rendered: Rendered, live: Mapping[str, Any] | None) -> list[str]:
    """One sentence for each field that differs; none where the object is as its chart rendered it."""
    if live is None:
        return [f"{name_of(rendered)} is not there"]
    return [f"{name_of(rendered)}: {text}" for text in _differences(rendered, live)]


def _differences(rendered: Rendered, live: Mapping[str, Any]) -> Iterator[str]:
    for key in ("labels", "annotations"):
        want, have = rendered["metadata"].get(key) or {}, live["metadata"].get(key) or {}
        yield from stated(want, have, ("metadata", key))
        if key == "annotations":
            added = [name for name in have if name not in want and name.startswith(CREDENTIALS)]
            yield from (f"metadata.annotations.{name} is not the chart's" for name in added)
    for key, value in rendered.items():
        if key not in NOT_STATED:
            yield from stated(value, live.get(key), ("", key))


def missing_definitions(manifest: str, there: Iterable[str]) -> list[str]:
    """The definitions of a chart that somebody has deleted. Their schemas are long: only names are looked for."""
    lines = {line.strip() for line in manifest.splitlines() if line.startswith("  name: ")}
    have = set(there)
    return [
        f"CustomResourceDefinition {name} is not there"
        for name in DEFINITION_NAMES
        if f"name: {name}" in lines and name not in have
    ]
