# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Kubernetes quantities ("1500m", "31.2Gi", 4). Pure: standard library only. Private to the collection."""

from __future__ import annotations

import re
from decimal import Decimal

_FORM = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?\d+))?")
_FACTORS = {
    "n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3"), "k": Decimal(10**3), "M": Decimal(10**6),
    "G": Decimal(10**9), "T": Decimal(10**12), "P": Decimal(10**15), "E": Decimal(10**18),
    "Ki": Decimal(2**10), "Mi": Decimal(2**20), "Gi": Decimal(2**30), "Ti": Decimal(2**40), "Pi": Decimal(2**50),
    "Ei": Decimal(2**60),
}  # fmt: skip


def quantity(value: str | int | float) -> Decimal:
    """The number a quantity stands for, exact: cores, bytes or a count. Raises ValueError."""
    match = _FORM.fullmatch(str(value).strip())
    if match is None:
        raise ValueError(f"{value!r} is no Kubernetes quantity")
    number, suffix, exponent = match.groups()
    if exponent is not None:
        return Decimal(number) * Decimal(10) ** int(exponent)
    return Decimal(number) * _FACTORS.get(suffix or "", Decimal(1))


def same(left: str | int | float, right: str | int | float) -> bool:
    """Whether two quantities are the same number, however written."""
    try:
        return quantity(left) == quantity(right)
    except ValueError:
        return left == right
