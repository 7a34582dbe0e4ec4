# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Reads version numbers. Pure: standard library only. Private to the collection."""

from __future__ import annotations

import re
from typing import Any

from .._core.errors import EksopsError

_MINOR = re.compile(r"(\d+)\.(\d+)")
_RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+)")
_LEADING = re.compile(r"\D*(\d+)\.(\d+)(?:\.(\d+))?")


def _text(value: Any, name: str, example: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise EksopsError(
            f"{name} {value} is a number, and YAML reads 1.30 as 1.3",
            allowed=f'a text such as "{example}"',
            next_step=f'put quotes around it: "{example}"',
        )
    raise EksopsError(f"{name} {value!r} is no version", allowed=f'a text such as "{example}"')


def kubernetes_minor(value: Any, name: str = "Kubernetes version") -> tuple[int, int]:
    """The minor version of a text such as ``1.36``. Raises EksopsError for numbers and anything else."""
    text = _text(value, name, "1.36").strip()
    found = _MINOR.fullmatch(text)
    if not found:
        raise EksopsError(
            f"{name} {text!r} is not a minor version",
            allowed='major and minor alone, such as "1.36"; EKS chooses the patch',
        )
    return int(found[1]), int(found[2])


def karpenter_release(value: Any, name: str = "Karpenter version") -> tuple[int, int, int]:
    """The release of a text such as ``1.14.0``. Raises EksopsError for numbers and anything else."""
    text = _text(value, name, "1.14.0").strip()
    found = _RELEASE.fullmatch(text)
    if not found:
        raise EksopsError(
            f"{name} {text!r} is not a release",
            allowed='three numbers such as "1.14.0", without "v": charts are tagged so since 0.35',
        )
    return int(found[1]), int(found[2]), int(found[3])


def tool_version(text: str) -> tuple[int, int, int] | None:
    """The first version in what a tool prints (``v3.22.0+g1234``), None when there is none."""
    found = _LEADING.search(text)
    return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else None


def dotted(version: tuple[int, ...]) -> str:
    """(1, 36) as ``1.36``."""
    return ".".join(str(part) for part in version)
