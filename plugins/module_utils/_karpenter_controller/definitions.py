# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What makes two CustomResourceDefinitions the same. Pure: standard library only. Private to the collection."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


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
