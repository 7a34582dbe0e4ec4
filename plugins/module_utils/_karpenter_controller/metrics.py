# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Prometheus' text format, as much as the controller's own metrics need. Pure. Private to the collection.

Format: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SAMPLE = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Sample:
    """One sample: name, labels, value."""

    name: str
    labels: dict[str, str]
    value: float


def samples(text: str, name: str) -> Iterator[Sample]:
    """The samples of one metric."""
    for line in text.splitlines():
        if not line.startswith(name):
            continue
        found = _SAMPLE.match(line)
        if found and found.group(1) == name:
            yield Sample(name, dict(_LABEL.findall(found.group(2) or "")), float(found.group(3)))


def build_version(text: str) -> str | None:
    """The version in ``karpenter_build_info``, without a leading v."""
    for sample in samples(text, "karpenter_build_info"):
        return sample.labels.get("version", "").removeprefix("v") or None
    return None
