# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Reads what the roles declare: inputs, collection-wide variables, templates. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._cloudformation.template import load_template, read_template
from .._core.documents import load_yaml
from .._core.errors import EksopsError

_WIDE = re.compile(r"\beksops_[a-z0-9_]+")


@dataclass(frozen=True)
class Declared:
    """What the roles below a folder declare."""

    specs: Mapping[str, tuple[str, ...]]
    wide: frozenset[str]
    templates: tuple[Path, ...]


def read_roles(folder: str) -> Declared:
    """Options by role, the eksops_* variables that defaults and playbooks read, and the CloudFormation templates.

    Raises EksopsError when the folder holds no roles.
    """
    root = Path(folder)
    specs = {path.parents[1].name: _options(path) for path in sorted(root.glob("*/meta/argument_specs.yml"))}
    if not specs:
        raise EksopsError("There are no roles", where=folder, next_step="give the folder of the collection's roles")
    readers = [*root.glob("*/defaults/main.yml"), *root.parent.glob("playbooks/*.yml")]
    wide = {name for path in readers for name in _WIDE.findall(path.read_text(encoding="utf-8"))}
    templates = [path for path in sorted(root.glob("*/files/*.yml")) if _is_template(path)]
    return Declared(specs, frozenset(wide), tuple(templates))


def _options(path: Path) -> tuple[str, ...]:
    data = load_yaml(path.read_text(encoding="utf-8"), str(path))
    entries = (data or {}).get("argument_specs", {}).values()
    return tuple(sorted({name for entry in entries for name in entry.get("options", {})}))


def _is_template(path: Path) -> bool:
    return "AWSTemplateFormatVersion" in path.read_text(encoding="utf-8")


def templates_of(declared: Declared) -> dict[str, dict[str, Any]]:
    """The canonical templates by path. Raises EksopsError for one that is too large or broken."""
    return {str(path): load_template(read_template(str(path)), str(path)) for path in declared.templates}
