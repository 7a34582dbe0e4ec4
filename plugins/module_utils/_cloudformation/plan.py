# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What differs between a stack and what is wanted. Pure: standard library only. Private to the collection.

Description, Metadata and parameter declarations alone are left out: CloudFormation answers "No updates are to be
performed" to them, so they would differ for ever.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from .model import Difference, DifferenceKind, Stack, Wanted

# CloudFormation shows the value of a NoEcho parameter as asterisks:
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html
NO_ECHO = "****"
_SECTIONS: tuple[tuple[str, DifferenceKind], ...] = (
    ("Resources", "resource"),
    ("Outputs", "output"),
    ("Conditions", "condition"),
    ("Mappings", "mapping"),
)


def differences(stack: Stack, template: Mapping[str, Any], wanted: Wanted) -> list[Difference]:
    """All differences, resources first; ``template`` is the stack's own, canonical."""
    found: list[Difference] = []
    for section, kind in _SECTIONS:
        found += _compare(kind, template.get(section) or {}, wanted.template.get(section) or {})
    if template.get("Transform") != wanted.template.get("Transform"):
        before, after = template.get("Transform"), wanted.template.get("Transform")
        found += [Difference("template", "Transform", _action(before, after), before, after)]
    shown = {name: value for name, value in stack.parameters.items() if value != NO_ECHO}
    asked = {name: value for name, value in wanted.parameters.items() if stack.parameters.get(name) != NO_ECHO}
    found += _compare("parameter", shown, asked)
    if wanted.tags is not None:
        found += _compare("tag", stack.tags, wanted.tags)
    return found


def notices(stack: Stack) -> list[str]:
    """What the comparison could not see."""
    return [
        f"The value of parameter {name} of stack {stack.name} is hidden (NoEcho), so it was not compared."
        for name, value in stack.parameters.items()
        if value == NO_ECHO
    ]


def _compare(kind: DifferenceKind, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    for name in [*after, *(name for name in before if name not in after)]:
        old, new = before.get(name), after.get(name)
        if old != new:
            kept = new if isinstance(new, Mapping) else old
            type_ = kept.get("Type") if kind == "resource" and isinstance(kept, Mapping) else None
            yield Difference(kind, name, _action(old, new), old, new, type_)


def _action(before: Any, after: Any) -> Literal["add", "modify", "remove"]:
    if before is None:
        return "add"
    return "remove" if after is None else "modify"
