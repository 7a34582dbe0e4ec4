# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the AMIs of a node class are, how old they are, and whether they are pinned. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

RELEASE_ANNOTATION = "eksops.io/ami-release"
_DATED = re.compile(r"v(20\d{2})(\d{2})(\d{2})\b")
_ARCHITECTURE = "kubernetes.io/arch"


def release_in(text: str | None) -> str | None:
    """The dated release in a name or alias, such as v20261106; EKS puts it at the end of an image's name
    (https://docs.aws.amazon.com/eks/latest/userguide/eks-linux-ami-versions.html)."""
    found = _DATED.search(text or "")
    return found.group(0) if found else None


def age_days(release: str | None, now: float) -> int | None:
    """Full days since the date in a release; None where there is no date, or no such one."""
    found = _DATED.search(release or "")
    if not found:
        return None
    try:
        date = datetime(int(found.group(1)), int(found.group(2)), int(found.group(3)), tzinfo=UTC)
    except ValueError:
        return None
    return int((now - date.timestamp()) // 86400)


def pin(node_class: Mapping[str, Any]) -> tuple[bool, str | None]:
    """Whether the class selects one release for ever, and what it selects in words.

    An alias with @latest moves by itself, and so does a search by name or tags
    (https://karpenter.sh/docs/concepts/nodeclasses/#specamiselectorterms).
    """
    terms = node_class["spec"].get("amiSelectorTerms") or []
    words = [_term(term) for term in terms]
    pinned = bool(terms) and all(
        "id" in term or ("alias" in term and not str(term["alias"]).endswith("@latest")) for term in terms
    )
    return pinned, ", ".join(words) or None


def _term(term: Mapping[str, Any]) -> str:
    for key in ("alias", "id", "name", "ssmParameter"):
        if key in term:
            return str(term[key])
    return "tags " + ",".join(f"{key}={value}" for key, value in sorted((term.get("tags") or {}).items()))


def images(node_class: Mapping[str, Any], now: float) -> list[dict[str, Any]]:
    """The images that the class resolves to, each once, with release and age where the name has a date."""
    annotated = (node_class["metadata"].get("annotations") or {}).get(RELEASE_ANNOTATION)
    found: dict[str, dict[str, Any]] = {}
    for image in (node_class.get("status") or {}).get("amis") or ():
        release = release_in(image.get("name")) or annotated
        entry = found.setdefault(
            image["id"],
            {
                "id": image["id"],
                "name": image.get("name"),
                "release": release,
                "age_days": age_days(release, now),
                "architectures": [],
                "deprecated": bool(image.get("deprecated")),
            },
        )
        entry["architectures"] = sorted({*entry["architectures"], *_architectures(image)})
    return list(found.values())


def _architectures(image: Mapping[str, Any]) -> list[str]:
    for requirement in image.get("requirements") or ():
        if requirement.get("key") == _ARCHITECTURE and requirement.get("operator") == "In":
            return list(requirement.get("values") or ())
    return []
