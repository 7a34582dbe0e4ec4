# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Which CustomResourceDefinitions Karpenter has, and what makes two the same. Pure. Private to the collection."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .._vendor.karpenter_crds.index import DIGESTS
from .._versions.parse import tool_version


def names_of(version: str | None) -> tuple[str, ...]:
    """The definitions that chart karpenter-crd of a version installs.

    A version that is not known has those of the newest known one before it, or of the oldest; without a version, of the
    newest.
    """
    known = sorted((tool_version(text) or (), text) for text in DIGESTS)
    number = tool_version(version) if version else None
    before = [text for found, text in known if number is None or found <= number]
    return tuple(DIGESTS[before[-1] if before else known[0][1]])


def bare(schema: Any) -> Any:
    """The schema without its descriptions: what decides about objects, and nothing else."""
    if isinstance(schema, Mapping):
        return {
            key: bare(value) for key, value in schema.items() if not (key == "description" and isinstance(value, str))
        }
    if isinstance(schema, list):
        return [bare(item) for item in schema]
    return schema


def digest(definition: Mapping[str, Any]) -> str:
    """A short fingerprint of the served versions and their schemas."""
    versions = [
        {"name": version["name"], "schema": bare((version.get("schema") or {}).get("openAPIV3Schema"))}
        for version in definition["spec"]["versions"]
        if version.get("served")
    ]
    text = json.dumps(versions, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
