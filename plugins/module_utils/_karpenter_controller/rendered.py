# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The objects as a chart rendered them, from a release's manifest. Private to the collection."""

from __future__ import annotations

import re
from typing import Any

from .._core.documents import load_yaml

_SEPARATOR = re.compile(r"^---.*$", re.MULTILINE)
_DEPLOYMENT = re.compile(r"^kind: *[\"']?Deployment[\"']?\s*$", re.MULTILINE)


def documents_of(manifest: str) -> list[dict[str, Any]]:
    """All objects of the manifest. Raises EksopsError for a document that is no YAML."""
    found = [load_yaml(text, "An object in the release of Helm") for text in _SEPARATOR.split(manifest) if text.strip()]
    return [dict(item) for item in found if item]


def deployment_of(manifest: str) -> dict[str, Any] | None:
    """The manifest's Deployment, None without one. Only its document is read: a manifest has a dozen.

    Raises EksopsError for a document that is no YAML.
    """
    for text in _SEPARATOR.split(manifest):
        if _DEPLOYMENT.search(text):
            document = load_yaml(text, "The Deployment in the release of Helm")
            if document.get("kind") == "Deployment":
                return dict(document)
    return None
