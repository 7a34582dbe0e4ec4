# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Which versions go together. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from typing import Any

from .._core.errors import EksopsError
from .data import (
    AS_OF,
    FIRST_PATCH,
    KUBERNETES_OF_KARPENTER,
    MINIMUM_KARPENTER,
    SKIPPED_KARPENTER,
    TRIED_KARPENTER,
)
from .parse import dotted, karpenter_release, kubernetes_minor

_MATRIX = "https://karpenter.sh/docs/upgrading/compatibility/"
Minor = tuple[int, int]
Release = tuple[int, int, int]


def supports(karpenter: Release, kubernetes: Minor) -> bool:
    """Whether the matrix has the pair; False for a Karpenter minor that it does not know."""
    span = KUBERNETES_OF_KARPENTER.get(karpenter[:2])
    if span is None or not span[0] <= kubernetes <= span[1]:
        return False
    return karpenter[2] >= FIRST_PATCH.get(karpenter[:2], {}).get(kubernetes, 0)


def first_karpenter(kubernetes: Minor) -> str | None:
    """The first Karpenter release that supports a Kubernetes minor, None when none is known to."""
    for minor, (oldest, newest) in sorted(KUBERNETES_OF_KARPENTER.items()):
        if oldest <= kubernetes <= newest:
            return f"{dotted(minor)}.{FIRST_PATCH.get(minor, {}).get(kubernetes, 0)}"
    return None


def karpenter_errors(release: Release) -> list[EksopsError]:
    """What is wrong with a Karpenter release by itself."""
    text = dotted(release)
    for skipped in SKIPPED_KARPENTER:
        if skipped.version == text:
            return [
                EksopsError(
                    f"Karpenter {text} must not be installed: {skipped.reason} ({skipped.source})",
                    allowed=", ".join(TRIED_KARPENTER),
                    next_step=f"take {TRIED_KARPENTER[-1]}, or another patch release",
                )
            ]
    if release[:2] not in KUBERNETES_OF_KARPENTER and release >= MINIMUM_KARPENTER:
        newest = dotted(max(KUBERNETES_OF_KARPENTER))
        return [
            EksopsError(
                f"Karpenter {text} is not known to this version of the collection (data of {AS_OF})",
                allowed=f"{dotted(MINIMUM_KARPENTER)} to {newest}.x",
                next_step="take a known release, or a newer version of the collection",
            )
        ]
    if release < MINIMUM_KARPENTER:
        return [
            EksopsError(
                f"Karpenter {text} is older than the permissions that the collection sets up",
                allowed=f"{dotted(MINIMUM_KARPENTER)} or newer",
                next_step=f"take {TRIED_KARPENTER[-1]}",
            )
        ]
    return []


def karpenter_warnings(release: Release) -> list[str]:
    """What is worth saying about a release that may be installed."""
    if dotted(release) in TRIED_KARPENTER or karpenter_errors(release):
        return []
    return [f"Karpenter {dotted(release)} is not among the releases that were tried: {', '.join(TRIED_KARPENTER)}"]


def pair_errors(karpenter: Release, kubernetes: Minor) -> list[EksopsError]:
    """What is wrong with running a Karpenter release on a Kubernetes minor."""
    span = KUBERNETES_OF_KARPENTER.get(karpenter[:2])
    if span is None or supports(karpenter, kubernetes):
        return []
    wanted = first_karpenter(kubernetes)
    karpenters = f"; Kubernetes {dotted(kubernetes)} with Karpenter {wanted} or newer" if wanted else ""
    return [
        EksopsError(
            f"Karpenter {dotted(karpenter)} does not support Kubernetes {dotted(kubernetes)}",
            allowed=f"Karpenter {dotted(karpenter)} with Kubernetes {dotted(span[0])} to {dotted(span[1])}{karpenters}"
            f" ({_MATRIX}, {AS_OF})",
            next_step=f"set the Karpenter version to {wanted} or newer (Karpenter goes up before the control plane)"
            if wanted
            else "choose a supported Kubernetes version",
        )
    ]


def version_errors(kubernetes: Any, karpenter: Any) -> list[EksopsError]:
    """All that is wrong with two versions as a user gave them."""
    errors: list[EksopsError] = []
    minor: Minor | None = None
    release: Release | None = None
    try:
        minor = kubernetes_minor(kubernetes)
    except EksopsError as error:
        errors.append(error)
    try:
        release = karpenter_release(karpenter)
        errors += karpenter_errors(release)
    except EksopsError as error:
        errors.append(error)
        release = _first_of_minor(karpenter)  # so that "1.12" is told about the matrix too
    if release is not None and minor is not None:
        errors += pair_errors(release, minor)
    return errors


def _first_of_minor(value: Any) -> Release | None:
    try:
        return (*kubernetes_minor(value), 0)
    except EksopsError:
        return None
