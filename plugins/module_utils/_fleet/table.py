# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Columns for a terminal, and amounts for people. Pure. Private to the collection."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from decimal import Decimal

from .._kubernetes.quantity import quantity

WIDTH = 110
GAP = "  "
INDENT = "  "
SHORTEST = 8
"""No column is cut below that."""


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int = WIDTH) -> list[str]:
    """Aligned lines below their heads, indented; the widest columns are cut until all fit."""
    grid = [list(heads), *[list(row) for row in rows]]
    sizes = [max(len(row[column]) for row in grid) for column in range(len(heads))]
    room = width - len(INDENT) - len(GAP) * (len(heads) - 1)
    while sum(sizes) > room and max(sizes) > SHORTEST:
        sizes[sizes.index(max(sizes))] -= 1
    return [
        INDENT + GAP.join(_cell(text, size) for text, size in zip(row, sizes, strict=True)).rstrip() for row in grid
    ]


def _cell(text: str, size: int) -> str:
    return cut(text, size).ljust(size)


def cut(text: str, size: int) -> str:
    """The text, shortened to that many characters."""
    return text if len(text) <= size else f"{text[: size - 1]}…"


def wrapped(text: str, width: int = WIDTH, mark: str = "- ") -> list[str]:
    """A sentence as lines with a mark before the first; words that are too long are cut in two."""
    return textwrap.wrap(
        " ".join(text.split()),
        width,
        initial_indent=INDENT + mark,
        subsequent_indent=INDENT + " " * len(mark),
    )


def age(seconds: int | None) -> str:
    """The largest unit: 45s, 12m, 5h, 3d."""
    if seconds is None:
        return "?"
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{max(0, seconds)}s"


def days(count: int | None) -> str:
    """An age in days."""
    if count is None:
        return "unknown"
    return f"{count} day" if count == 1 else f"{count} days"


def money(amount: float | None, digits: int = 3) -> str:
    """US dollars, or a question mark."""
    return "?" if amount is None else f"${amount:,.{digits}f}"


def cores(value: str | float | Decimal | None) -> str:
    """A quantity of CPU in cores."""
    return "-" if value is None else _plain(value if isinstance(value, Decimal) else quantity(value))


def gibibytes(value: str | float | None) -> str:
    """A quantity of bytes in GiB."""
    return "-" if value is None else f"{_plain(quantity(value) / 2**30)} GiB"


def _plain(number: Decimal) -> str:
    return f"{number:.1f}".removesuffix(".0")
