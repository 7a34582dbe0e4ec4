# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Small rules that all EKS modules share. Pure: standard library only. Private to the collection."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from .._core.errors import EksopsError
from .._core.plan import Step

_VERSION = re.compile(r"1\.\d{2}")


def kubernetes_version(value: Any, where: str = "kubernetes_version") -> str | None:
    """The Kubernetes minor version as text, such as ``1.36``; None and an empty text mean "not stated".

    Raises EksopsError for a number: YAML reads 1.30 as 1.3, so a number has lost the version already.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise EksopsError(
            f"The Kubernetes version {value} is a number, and YAML drops its last zero (1.30 becomes 1.3)",
            where=where,
            allowed="a text such as '1.36'",
            next_step="put quotes around it",
        )
    if not _VERSION.fullmatch(value):
        raise EksopsError(
            f"{value!r} is no Kubernetes minor version",
            where=where,
            allowed="major and minor without patch, such as '1.36'",
            next_step="leave out 'v' and the patch number",
        )
    return value


def tag_changes(
    have: Mapping[str, str], want: Mapping[str, str] | None, *, purge: bool
) -> tuple[dict[str, str], list[str]]:
    """Which tags to set and which keys to remove. Tags that AWS reserves (``aws:``) are never touched.

    https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
    """
    if want is None:
        return {}, []
    put = {key: value for key, value in want.items() if have.get(key) != value}
    drop = [key for key in have if key not in want and not key.startswith("aws:")] if purge else []
    return put, sorted(drop)


def tag_steps(kind: str, name: str, have: Mapping[str, str], want: Mapping[str, str] | None) -> list[Step]:
    """The write that brings stated tags to a thing, if one is needed. Others are left alone."""
    put = tag_changes(have, want, purge=False)[0]
    before = {key: have[key] for key in put if key in have}
    return [Step("update", kind, name, before=before, after=put)] if put else []


def text_tags(tags: Mapping[str, Any] | None) -> dict[str, str] | None:
    """Tags as AWS takes them: every value a text. None stays None."""
    if tags is None:
        return None
    return {str(key): _tag_text(value) for key, value in tags.items()}


def _tag_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def health_text(issues: Iterable[Mapping[str, Any]]) -> str:
    """Health issues of EKS as one text: ``code: message (resource, resource)``."""
    texts = []
    for issue in issues:
        resources = ", ".join(issue.get("resourceIds") or issue.get("resource_ids") or [])
        text = f"{issue.get('code', 'Other')}: {str(issue.get('message', '')).rstrip('.')}"
        texts.append(f"{text} ({resources})" if resources else text)
    return "; ".join(texts)


def health_issues(raw: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """The issues of a described resource, in snake case."""
    issues = (raw.get("health") or {}).get("issues") or []
    return tuple(
        {
            "code": issue.get("code"),
            "message": issue.get("message"),
            "resource_ids": list(issue.get("resourceIds") or []),
        }
        for issue in issues
    )


def instant(value: Any) -> str | None:
    """A time of the API as text in ISO 8601."""
    if value is None:
        return None
    return value.isoformat() if isinstance(value, datetime) else str(value)


def request_token(operation: str, subject: Sequence[Any], generation: Any) -> str:
    """The client request token of one write: the same write asked again has the same token, so EKS does it once.

    :param subject: what is written: names and values, plain data.
    :param generation: something that differs once the write has been done and undone, so that asking for it anew is
        not taken for a repetition.
    https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html (clientRequestToken)
    """
    text = json.dumps([operation, list(subject), generation], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:64]


def known_keys(given: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise EksopsError, with a suggestion, for a key that is not known."""
    names = sorted(known)
    for key in given:
        if key not in names:
            close = difflib.get_close_matches(str(key), names, n=1)
            raise EksopsError(
                f"Unknown key {key!r}",
                where=where,
                allowed=", ".join(names),
                next_step=f"did you mean {close[0]!r}?" if close else None,
            )


def unique(items: Iterable[Any], where: str) -> None:
    """Raise EksopsError when a list names the same thing twice."""
    seen: set[Any] = set()
    for item in items:
        if item in seen:
            shown = "/".join(item) if isinstance(item, tuple) else item
            raise EksopsError(f"{shown} is named twice", where=where, allowed="each once")
        seen.add(item)


def by_key(items: Iterable[Any], key: Any) -> dict[Any, Any]:
    """The items by what ``key`` says of them."""
    return {key(item): item for item in items}
