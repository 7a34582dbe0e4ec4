# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Has a value the form that an option declares: type, choices, names inside. Private to the collection.

By the conversions of Ansible's own validation, which would tell a mistake too, but with all of the specification.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ansible.module_utils.common.validation import (
    check_type_bool,
    check_type_dict,
    check_type_float,
    check_type_int,
    check_type_list,
)

from .model import Finding

Option = Mapping[str, Any]
CHECK = "inputs"
WHERE = "inventory, group_vars, host_vars or extra variables"
_SHOWN = 60
# Of Ansible's documentation, such as O(name) and V(value).
_MARKUP = re.compile(r"\b[A-Z]\(([^()]*)\)")
_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "bool": check_type_bool,
    "dict": check_type_dict,
    "float": check_type_float,
    "int": check_type_int,
    "list": check_type_list,
}
_ALLOWED = {
    "bool": "true or false",
    "dict": "a dictionary (lines of name: value)",
    "float": "a number",
    "int": "a whole number",
    "list": "a list (lines that begin with a dash)",
    "path": "text, the path of a file or folder",
    "str": "text",
}


def shape_findings(option: Option, value: Any, path: str) -> Iterator[Finding]:
    """What is wrong with the form of a value, every part of it.

    :param option: as in an argument specification. :param path: the name of the variable, and the way into it.
    """
    kind = option.get("type", "str")
    try:
        converted = _converted(kind, value)
    except (TypeError, ValueError):
        yield _wrong_type(option, kind, value, path)
        return
    choices = option.get("choices")
    if kind == "list":
        yield from _list_findings(option, converted, path)
    elif kind == "dict" and "options" in option:
        yield from _dict_findings(option["options"], converted, path)
    elif choices and converted not in choices:
        yield _no_choice(option, converted, choices, path)


def told(value: Any, option: Option) -> str:
    """A value in an error: containers by their kind alone, and nothing of what may be secret."""
    if isinstance(value, Mapping):
        return "a dictionary"
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return "a list"
    if option.get("no_log"):
        return "text" if isinstance(value, str) else "a number"
    shown = repr(str(value) if isinstance(value, str) else value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def _converted(kind: str, value: Any) -> Any:
    if kind in ("str", "path"):
        if isinstance(value, Mapping | list | tuple):  # Ansible would take its Python notation for the text
            raise TypeError
        return str(value)
    conversion = _CONVERSIONS.get(kind)
    return conversion(value) if conversion else value


def _wrong_type(option: Option, kind: str, value: Any, path: str) -> Finding:
    form = _ALLOWED.get(kind, kind).split(" (")[0].split(",")[0]
    what = f"{path} is {told(value, option)}, which is not {form}"
    return Finding(CHECK, "error", what, WHERE, allowed({**option, "type": kind}), f"correct {path}, or take it out")


def _list_findings(option: Option, items: Sequence[Any], path: str) -> Iterator[Finding]:
    element = {**option, "type": option.get("elements", "raw")}
    for index, item in enumerate(items):
        yield from shape_findings(element, item, f"{path}[{index}]")


def _dict_findings(options: Mapping[str, Option], values: Mapping[Any, Any], path: str) -> Iterator[Finding]:
    for name in values:
        if name not in options:
            near = difflib.get_close_matches(str(name), options, n=1)
            step = f"did you mean {near[0]}" if near else "take it out"
            yield Finding(CHECK, "error", f"{path} has no {name!r}", WHERE, ", ".join(options), step)
    for name, option in options.items():
        if values.get(name) is not None:
            yield from shape_findings(option, values[name], f"{path}.{name}")
        elif option.get("required"):
            yield Finding(CHECK, "error", f"{path}.{name} is missing", WHERE, allowed(option), f"give {path} a {name}")


def _no_choice(option: Option, value: Any, choices: Sequence[Any], path: str) -> Finding:
    near = difflib.get_close_matches(str(value), [str(choice) for choice in choices], n=1)
    step = f"did you mean {near[0]}" if near else "choose one of them"
    listed = ", ".join(str(choice) for choice in choices)
    return Finding(CHECK, "error", f"{path} is {told(value, option)}, which is no choice", WHERE, listed, step)


def allowed(option: Option) -> str:
    """The form of an option, and the first sentence of what it is for."""
    text = option.get("description") or ""
    first = _MARKUP.sub(r"\1", str(text if isinstance(text, str) else text[0]).rstrip("."))
    return ": ".join(part for part in (_ALLOWED.get(option.get("type", "str")), first) if part)
