# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Checks data against the structural schema of a CRD, as the API server would. Pure. Private to the collection."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .cel import holds

Schema = Mapping[str, Any]
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


@dataclass(frozen=True)
class Problem:
    """One thing wrong: where (``spec.limits.cpu``), and what."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def problems(schema: Schema, value: Any, path: str) -> list[Problem]:
    """Everything in ``value`` that the schema does not allow; empty when it is fine.

    Rules that look at the former object (``oldSelf``) are left out: there is none here.
    """
    return list(_problems(schema, value, path))


def with_defaults(schema: Schema, value: Any) -> Any:
    """The value as the API server stores it: with the schema's defaults filled in."""
    if isinstance(value, dict):
        properties: Mapping[str, Schema] = schema.get("properties") or {}
        filled = {key: with_defaults(properties.get(key) or {}, item) for key, item in value.items()}
        for key, child in properties.items():
            if key not in filled and "default" in child:
                filled[key] = with_defaults(child, child["default"])
        return filled
    if isinstance(value, list):
        return [with_defaults(schema.get("items") or {}, item) for item in value]
    return value


def _problems(schema: Schema, value: Any, path: str) -> Iterator[Problem]:
    expected = _type_problem(schema, value)
    if expected:
        yield Problem(path, expected)
        return
    if isinstance(value, dict):
        yield from _object_problems(schema, value, path)
    elif isinstance(value, list):
        yield from _array_problems(schema, value, path)
    elif isinstance(value, str):
        yield from _string_problems(schema, value, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number_problems(schema, value, path)
    if "enum" in schema and value not in schema["enum"]:
        yield Problem(path, f"{value!r} is not allowed; one of: {', '.join(map(str, schema['enum']))}")
    for rule in schema.get("x-kubernetes-validations") or ():
        if "oldSelf" not in rule["rule"] and not holds(rule["rule"], value):
            yield Problem(path, rule["message"])


def _type_problem(schema: Schema, value: Any) -> str | None:
    if schema.get("x-kubernetes-int-or-string"):
        fine = isinstance(value, int | str) and not isinstance(value, bool)
        return None if fine else f"{value!r} is no number or quantity"
    kind = schema.get("type")
    if kind is None:
        return None
    fine = isinstance(value, _TYPES[kind]) and not (isinstance(value, bool) and kind != "boolean")
    if fine:
        return None
    hint = "; put it in quotes" if kind == "string" and not isinstance(value, dict | list) else ""
    return f"{value!r} is no {kind}{hint}"


def _object_problems(schema: Schema, value: dict[str, Any], path: str) -> Iterator[Problem]:
    properties: Mapping[str, Schema] = schema.get("properties") or {}
    extra = schema.get("additionalProperties")
    for key in schema.get("required") or ():
        if key not in value:
            yield Problem(path, f"{key} is missing")
    for key, item in value.items():
        if key in properties:
            yield from _problems(properties[key], item, f"{path}.{key}")
        elif isinstance(extra, Mapping):
            yield from _problems(extra, item, f"{path}[{key}]")
        elif not extra and not schema.get("x-kubernetes-preserve-unknown-fields"):
            close = difflib.get_close_matches(str(key), properties, n=1)
            yield Problem(path, f"{key} is no field of it" + (f"; did you mean {close[0]}?" if close else ""))
    yield from _size_problems(schema, len(value), "Properties", "entries", path)


def _array_problems(schema: Schema, value: list[Any], path: str) -> Iterator[Problem]:
    for index, item in enumerate(value):
        yield from _problems(schema.get("items") or {}, item, f"{path}[{index}]")
    if schema.get("x-kubernetes-list-type") == "set" and len({repr(item) for item in value}) != len(value):
        yield Problem(path, "has an entry twice")
    yield from _size_problems(schema, len(value), "Items", "entries", path)


def _string_problems(schema: Schema, value: str, path: str) -> Iterator[Problem]:
    pattern = schema.get("pattern")
    if pattern is not None and re.search(pattern, value) is None:
        yield Problem(path, f"{value!r} does not have the form {pattern}")
    yield from _size_problems(schema, len(value), "Length", "characters", path)


def _number_problems(schema: Schema, value: float, path: str) -> Iterator[Problem]:
    if "minimum" in schema and value < schema["minimum"]:
        yield Problem(path, f"{value} is less than {schema['minimum']}")
    if "maximum" in schema and value > schema["maximum"]:
        yield Problem(path, f"{value} is more than {schema['maximum']}")


def _size_problems(schema: Schema, size: int, suffix: str, what: str, path: str) -> Iterator[Problem]:
    if size < schema.get(f"min{suffix}", 0):
        yield Problem(path, f"has {size} {what}, at least {schema[f'min{suffix}']} are needed")
    if size > schema.get(f"max{suffix}", size):
        yield Problem(path, f"has {size} {what}, at most {schema[f'max{suffix}']} are allowed")
