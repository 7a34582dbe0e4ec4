# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The three answers of a check. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable

from .model import Check


def passed(name: str, message: str, *evidence: str) -> Check:
    """It is as it should be."""
    return Check(name, "pass", message, evidence)


def failed(name: str, message: str, evidence: Iterable[str], next_step: str) -> Check:
    """It is not, and what to do about it."""
    return Check(name, "fail", message, tuple(evidence), next_step)


def undecided(name: str, message: str, *evidence: str) -> Check:
    """It cannot be told (yet)."""
    return Check(name, "inconclusive", message, evidence)
