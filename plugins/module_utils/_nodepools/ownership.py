# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Who manages which field, from ``metadata.managedFields``. Pure: standard library only. Private to the collection.

https://kubernetes.io/docs/reference/using-api/server-side-apply/
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def owners(item: Mapping[str, Any], *path: str) -> set[str]:
    """The managers of the field at ``path`` (``spec``, ``disruption``, ``budgets``)."""
    return {
        str(entry["manager"])
        for entry in item["metadata"].get("managedFields") or ()
        if not entry.get("subresource") and _holds(entry.get("fieldsV1") or {}, path)
    }


def applied_by(item: Mapping[str, Any], manager: str) -> bool:
    """Whether ``manager`` has applied the object by server-side apply."""
    return any(
        entry["manager"] == manager and entry["operation"] == "Apply"
        for entry in item["metadata"].get("managedFields") or ()
    )


def conflict_lines(kind: str, name: str, causes: Iterable[Mapping[str, Any]]) -> list[str]:
    """One line per field of a conflict, as the API server names it: ``conflict with "x" using ...``."""
    lines = []
    for cause in causes:
        manager = str(cause.get("message", "")).split('"')
        who = manager[1] if len(manager) > 1 else "somebody else"
        lines.append(f"{kind} {name}: {str(cause.get('field', '')).lstrip('.')} is managed by {who}")
    return lines


def _holds(fields: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    for part in path:
        key = f"f:{part}"
        if key not in fields:
            return False
        fields = fields[key]
    return True
