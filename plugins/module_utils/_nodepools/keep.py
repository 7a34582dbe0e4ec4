# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What a run leaves as it is: AMI pins, which rotation moves, and budgets that somebody else holds. Pure.

Private to the collection.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from .build import MANAGER, RELEASE_ANNOTATION
from .model import Manifest, image_ids, release
from .ownership import owners

PIN_FIELDS = ("amiFamily", "amiSelectorTerms")
"""The family goes with the terms: ids of one family are of no use to another."""


def pinned(wanted: Mapping[str, Any]) -> bool:
    """Whether the request itself says which images a class takes."""
    return bool(wanted["spec"].get("amiSelectorTerms"))


def keep_pin(wanted: Manifest, live: Mapping[str, Any]) -> tuple[Manifest, str | None]:
    """The wanted class with the pin that the live one has, and a notice where that is another one."""
    kept = copy.deepcopy(wanted)
    _set_release(kept, release(live))
    for field in PIN_FIELDS:
        kept["spec"].pop(field, None)
        if field in live["spec"]:
            kept["spec"][field] = copy.deepcopy(live["spec"][field])
    same_terms = wanted["spec"].get("amiSelectorTerms") == live["spec"].get("amiSelectorTerms")
    same_release = release(wanted) in (None, release(live))
    if not pinned(wanted) or (same_terms and same_release):
        return kept, None
    notice = (
        f"Node class {wanted['metadata']['name']} selects {_pin(live)}, the inventory says {_pin(wanted)}: "
        "rotate_amis.yml moves it"
    )
    return kept, notice


def keep_budgets(wanted: Manifest, live: Mapping[str, Any]) -> tuple[Manifest, str | None]:
    """The wanted pool without its budgets where another manager holds them with another value."""
    disruption = wanted["spec"].get("disruption") or {}
    live_budgets = (live["spec"].get("disruption") or {}).get("budgets")
    others = owners(live, "spec", "disruption", "budgets") - {MANAGER}
    if "budgets" not in disruption or disruption["budgets"] == live_budgets or not others:
        return wanted, None
    kept = copy.deepcopy(wanted)
    del kept["spec"]["disruption"]["budgets"]
    name = wanted["metadata"]["name"]
    return (
        kept,
        f"Node pool {name}: its disruption budgets are held by {', '.join(sorted(others))} and stay as they are",
    )


def _set_release(item: Manifest, value: str | None) -> None:
    annotations = item["metadata"].setdefault("annotations", {})
    annotations.pop(RELEASE_ANNOTATION, None)
    if value is not None:
        annotations[RELEASE_ANNOTATION] = value
    if not annotations:
        del item["metadata"]["annotations"]


def _pin(item: Mapping[str, Any]) -> str:
    """How a notice names a pin: release and ids, or else the terms."""
    terms = item["spec"].get("amiSelectorTerms") or []
    named = ", ".join(image_ids({"spec": item["spec"]})) or ", ".join(
        f"{key} {value}" for term in terms for key, value in term.items()
    )
    return f"release {release(item)} ({named})" if release(item) else named
