"""Kubernetes minor versions as numbers. Pure."""

from __future__ import annotations

import re

Minor = tuple[int, int]
#: https://kubernetes.io/releases/version-skew-policy/
MOST_BEHIND = 3


def number(text: str) -> Minor | None:
    """The minor of ``1.36``, ``v1.36.2-eks-1234567`` or ``v1.36.0-eksbuild.14``; None for any other text."""
    match = re.match(r"v?(\d+)\.(\d+)(?![\d])", text)
    return (int(match[1]), int(match[2])) if match else None


def known(text: str) -> Minor:
    """As ``number``, for a text that is one of ours. Raises ValueError for another."""
    found = number(text)
    if found is None:
        raise ValueError(f"{text!r} is no Kubernetes version")
    return found


def dotted(minor: Minor) -> str:
    """``1.36``."""
    return f"{minor[0]}.{minor[1]}"


def moved(minor: Minor, by: int) -> Minor:
    """The minor that is so many later, or earlier."""
    return (minor[0], minor[1] + by)
