# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Requirements that the API server would take and no node could ever meet. Pure. Private to the collection.

https://karpenter.sh/docs/concepts/scheduling/#well-known-labels
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .schema import Problem
from .schemas import spec_schema

# The labels of Kubernetes' own domains that Karpenter sets on nodes; those of its own domains are in its schema.
KUBERNETES_KEYS = (
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "node.kubernetes.io/windows-build",
    "topology.k8s.aws/zone-id",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
)
VALUES = {
    "karpenter.sh/capacity-type": ("on-demand", "reserved", "spot"),
    "kubernetes.io/arch": ("amd64", "arm64"),
    "kubernetes.io/os": ("linux", "windows"),
}
# What others call the same thing.
_OTHER_NAMES = {"x86_64": "amd64", "x64": "amd64", "aarch64": "arm64", "ondemand": "on-demand"}
_DOMAINS = ("kubernetes.io", "k8s.io", "karpenter.sh", "karpenter.k8s.aws")
# How alike a misspelt label and a known one are in domain and in name, at least: own labels are allowed too.
_ALIKE = 0.75


def requirement_problems(pool: Mapping[str, Any], path: str, karpenter_version: str) -> Iterator[Problem]:
    """Keys that are nearly a label that nodes have, and values that no node has."""
    keys = known_keys(karpenter_version)
    for index, requirement in enumerate(pool["spec"]["template"]["spec"].get("requirements") or ()):
        where = f"{path}[{index}]"
        key = requirement["key"]
        near = _near_key(key, keys)
        if near:
            yield Problem(f"{where}.key", f"{key!r} is no label that nodes have; did you mean {near}?")
        if requirement["operator"] in ("In", "NotIn") and key in VALUES:
            yield from _value_problems(requirement.get("values") or (), VALUES[key], key, f"{where}.values")


@functools.cache
def known_keys(karpenter_version: str) -> frozenset[str]:
    """The labels that requirements may name in the domains of Kubernetes and of Karpenter: by the schema's rules."""
    template = spec_schema("NodePool", karpenter_version)["properties"]["template"]["properties"]["spec"]
    key = template["properties"]["requirements"]["items"]["properties"]["key"]
    rules = [rule["rule"] for rule in key.get("x-kubernetes-validations") or () if " in [" in rule["rule"]]
    named = {label for rule in rules for label in re.findall(r'"([a-z0-9.]+/[A-Za-z0-9._-]+)"', rule)}
    return frozenset(named) | frozenset(KUBERNETES_KEYS)


def _near_key(key: str, keys: Collection[str]) -> str | None:
    domain, _slash, name = key.partition("/")
    if key in keys or not domain.endswith(_DOMAINS):
        return None
    likeness = {other: min(map(_likeness, (domain, name), other.split("/"))) for other in sorted(keys)}
    near = max(likeness, key=lambda other: likeness[other])
    return near if likeness[near] >= _ALIKE else None


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _value_problems(values: Collection[str], known: Collection[str], key: str, path: str) -> Iterator[Problem]:
    for value in values:
        if value not in known:
            near = _OTHER_NAMES.get(value) or next(iter(difflib.get_close_matches(value, known, n=1)), None)
            hint = f"; did you mean {near}?" if near else ""
            yield Problem(path, f"{value!r} is no {key} of any node; one of: {', '.join(known)}{hint}")
