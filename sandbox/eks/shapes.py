"""Checks of a request against a shape of botocore's service model: types, required members, and constraints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from botocore.model import Shape
from botocore.validate import ParamValidator

from sandbox.eks.errors import EksError, invalid_parameter


def check(params: dict[str, Any], shape: Shape) -> None:
    """Raise InvalidParameterException for the first thing in ``params`` that the model does not allow."""
    report = ParamValidator().validate(params, shape)
    if report.has_errors():
        raise invalid_parameter(report.generate_report())
    for problem in _violations(params, shape, ""):
        raise invalid_parameter(f"1 validation error detected: {problem}")


def _violations(value: Any, shape: Shape, path: str) -> Iterator[str]:
    if shape.type_name == "structure":
        for name, child in value.items():
            yield from _violations(child, shape.members[name], f"{path}.{name}" if path else name)
    elif shape.type_name == "list":
        yield from _size(len(value), shape, path)
        for child in value:
            yield from _violations(child, shape.member, f"{path}.member")
    elif shape.type_name == "map":
        yield from _size(len(value), shape, path)
        for key, child in value.items():
            yield from _violations(key, shape.key, f"{path}.key")
            yield from _violations(child, shape.value, f"{path}.{key}")
    elif shape.type_name == "string":
        yield from _text(value, shape, path)
    elif shape.type_name in ("integer", "long"):
        yield from _size(value, shape, path, what="Value")


def _text(value: str, shape: Shape, path: str) -> Iterator[str]:
    enum = shape.metadata.get("enum")
    if enum and value not in enum:
        yield f"Value '{value}' at '{path}' failed to satisfy constraint: Member must satisfy enum value set: {enum}"
    pattern = shape.metadata.get("pattern")
    if pattern and not re.fullmatch(pattern, value):
        yield (
            f"Value '{value}' at '{path}' failed to satisfy constraint: "
            f"Member must satisfy regular expression pattern: {pattern}"
        )
    yield from _size(len(value), shape, path)


def _size(size: int, shape: Shape, path: str, what: str = "Length") -> Iterator[str]:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if most is not None and size > most:
        yield f"{what} {size} at '{path}' failed to satisfy constraint: Member must be at most {most}"
    if least is not None and size < least:
        yield f"{what} {size} at '{path}' failed to satisfy constraint: Member must be at least {least}"


def read_body(value: Any, shape: Shape, path: str = "") -> Any:
    """``value`` of a JSON body without its nulls.

    Raises InvalidParameterException for a member that the model does not have, SerializationException for a
    structure, list or map in another form.
    """
    expected = {"structure": dict, "map": dict, "list": list}.get(shape.type_name)
    if expected is None:
        return value
    if not isinstance(value, expected):
        raise EksError("SerializationException", f"Expected a {shape.type_name} at '{path or 'body'}'.")
    if shape.type_name == "list":
        return [read_body(child, shape.member, f"{path}[{index}]") for index, child in enumerate(value)]
    kept = {key: child for key, child in value.items() if child is not None}
    if shape.type_name == "map":
        return {key: read_body(child, shape.value, f"{path}.{key}") for key, child in kept.items()}
    unknown = sorted(set(kept) - set(shape.members))
    if unknown:
        raise invalid_parameter(f"Unknown member '{unknown[0]}' at '{path or 'body'}'.")
    return {key: read_body(child, shape.members[key], f"{path}.{key}") for key, child in kept.items()}


def read_text(value: str, shape: Shape, name: str) -> Any:
    """``value`` of a path or a query string as the type that ``shape`` has."""
    if shape.type_name in ("integer", "long"):
        if not re.fullmatch(r"-?\d+", value):
            raise invalid_parameter(f"'{name}' must be a whole number, not '{value}'.")
        return int(value)
    if shape.type_name == "boolean":
        if value not in ("true", "false"):
            raise invalid_parameter(f"'{name}' must be true or false, not '{value}'.")
        return value == "true"
    return value


def write_body(value: Any, shape: Shape, path: str) -> Any:
    """``value`` as JSON of an answer: without nulls. Raises KeyError for a member that the model does not have."""
    if shape.type_name == "structure":
        unknown = sorted(set(value) - set(shape.members))
        if unknown:
            raise KeyError(f"{path}: the service model has no member {unknown[0]}")
        return {
            key: write_body(child, shape.members[key], f"{path}.{key}")
            for key, child in value.items()
            if child is not None
        }
    if shape.type_name == "list":
        return [write_body(child, shape.member, f"{path}[]") for child in value]
    return value
