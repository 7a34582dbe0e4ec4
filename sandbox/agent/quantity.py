"""Kubernetes quantities: ``100m``, ``1Gi``, ``2e3``. Pure."""

from __future__ import annotations

import math
import re
from fractions import Fraction

_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_DECIMAL = {"n": -3, "u": -2, "m": -1, "": 0, "k": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_FORM = re.compile(r"([+-]?[0-9]*\.?[0-9]+)([eE][+-]?[0-9]+|[KMGTPE]i|[numkMGTPE]?)")


def parse(text: str | int | float) -> Fraction:
    """The value in base units (cores, bytes, count). Raises ValueError for what is no quantity."""
    match = _FORM.fullmatch(str(text).strip())
    if match is None:
        raise ValueError(f"not a Kubernetes quantity: {text!r}")
    number, suffix = Fraction(match[1]), match[2]
    if suffix in _BINARY:
        return number * Fraction(1024 ** _BINARY[suffix])
    if suffix in _DECIMAL:
        return number * Fraction(1000) ** _DECIMAL[suffix]
    return number * Fraction(10) ** int(suffix[1:])


def whole(text: str | int | float) -> int:
    """The value in whole base units, rounded up as Kubernetes rounds."""
    return math.ceil(parse(text))


def milli(text: str | int | float) -> int:
    """The value in thousandths, rounded up."""
    return math.ceil(parse(text) * 1000)


def divided(text: str | int | float, divisor: str | int | float) -> int:
    """How often ``divisor`` fits, rounded up: what ``resourceFieldRef`` gives a container. Divisor 0 means 1."""
    by = parse(divisor) or Fraction(1)
    return math.ceil(parse(text) / by)


def cpu(millicores: int) -> str:
    """Millicores as Kubernetes prints them: ``2`` or ``1930m``."""
    return str(millicores // 1000) if millicores % 1000 == 0 else f"{millicores}m"
