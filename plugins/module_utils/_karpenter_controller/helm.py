# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Helm's releases, read from their Secrets. Pure: standard library only. Private to the collection.

Helm 3 keeps a revision as a Secret of type ``helm.sh/release.v1``: base64 of gzip of JSON, in the Secret's own base64
(https://helm.sh/docs/topics/advanced/#storage-backends).
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Mapping
from typing import Any

from .model import Release


def newest_releases(secrets: Iterable[Mapping[str, Any]]) -> dict[str, Release]:
    """The newest revision of each release among the Secrets, by name. Raises OSError for one of another form."""
    newest: dict[str, Mapping[str, Any]] = {}
    for secret in secrets:
        name = secret["metadata"]["labels"]["name"]
        if name not in newest or _revision(secret) > _revision(newest[name]):
            newest[name] = secret
    return {name: release_of(secret) for name, secret in newest.items()}


def release_of(secret: Mapping[str, Any]) -> Release:
    """The release in a Secret."""
    document = json.loads(gzip.decompress(base64.b64decode(base64.b64decode(secret["data"]["release"]))))
    return Release(
        name=document["name"],
        chart_version=document["chart"]["metadata"]["version"],
        status=document["info"]["status"],
        revision=int(document["version"]),
        values=document.get("config") or {},
        manifest=document.get("manifest") or "",
    )


def _revision(secret: Mapping[str, Any]) -> int:
    return int(secret["metadata"]["labels"]["version"])
