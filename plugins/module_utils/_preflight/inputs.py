# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The variables of a host against what playbooks and roles declare. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .._core.documents import load_yaml
from .._core.errors import EksopsError
from .model import Finding, report
from .shape import CHECK, WHERE, Option, allowed, shape_findings

Options = Mapping[str, Option]


class NotYetError(Exception):
    """A variable has no value so far; the text says why."""


def declared_options(root: Path) -> tuple[dict[str, Options], Options]:
    """The options of each playbook, and those of all roles. Raises EksopsError for a file that is no YAML."""
    playbooks: dict[str, Options] = {}
    roles: dict[str, Option] = {}
    for path in sorted(root.glob("playbooks/*.meta.yml")):
        playbooks |= {name: entry.get("options", {}) for name, entry in _specs(path).items()}
    for path in sorted(root.glob("roles/*/meta/argument_specs.yml")):
        for entry in _specs(path).values():
            roles |= entry.get("options", {})
    return playbooks, roles


def _specs(path: Path) -> Mapping[str, Any]:
    data: Mapping[str, Any] = load_yaml(path.read_text(encoding="utf-8"), str(path))["argument_specs"]
    return data


def input_report(host: str, root: Path, playbook: str, names: frozenset[str], read: Callable[[str], Any]) -> str:
    """Everything wrong with the form of a host's variables, as text; empty when nothing is.

    :param root: the collection's folder. :param names: of the host's variables.
    :param read: the value of one; raises NotYetError for one that cannot be had.

    Raises EksopsError for an unknown playbook.
    """
    playbooks, roles = declared_options(root)
    if playbook not in playbooks:
        raise EksopsError(f"There is no playbook {playbook!r}", allowed=", ".join(playbooks))
    everywhere = {name: option for options in playbooks.values() for name, option in options.items()}
    findings = [*_missing(playbooks[playbook], names)]
    for name in sorted(names):
        if name in everywhere:
            findings += _wide_findings(everywhere[name], name, read)
        elif name in roles:
            findings += _role_findings(roles[name], name, read)
    return report(f"Inputs of host {host}", findings, ()) if findings else ""


def _missing(options: Options, names: frozenset[str]) -> Iterator[Finding]:
    for name, option in options.items():
        if option.get("required") and name not in names:
            yield Finding(CHECK, "error", f"{name} is not set", WHERE, allowed(option), f"set {name}")


def _wide_findings(option: Option, name: str, read: Callable[[str], Any]) -> list[Finding]:
    """A variable of the whole collection: it has a value, or is not there at all."""
    try:
        value = read(name)
    except NotYetError as error:
        what = f"{name} cannot be read: {error}"
        return [Finding(CHECK, "error", what, WHERE, allowed(option), "correct what it is made of")]
    if value is None or (isinstance(value, str) and not value.strip()):
        # Empty would be taken for the environment's region or profile, or for any account, and nobody would be told.
        step = f"give {name} a value" if option.get("required") else f"give {name} a value, or take it out"
        return [Finding(CHECK, "error", f"{name} is {value!r}: it is empty", WHERE, allowed(option), step)]
    return list(shape_findings(option, value, name))


def _role_findings(option: Option, name: str, read: Callable[[str], Any]) -> list[Finding]:
    """A role's variable; one that is made of what a role finds out later is left to that role."""
    try:
        value = read(name)
    except NotYetError:
        return []
    if value is None:
        if option.get("required") or option.get("default") is not None:
            step = f"give {name} a value, or take it out for its default"
            return [Finding(CHECK, "error", f"{name} is empty", WHERE, allowed(option), step)]
        return []
    return list(shape_findings(option, value, name))
