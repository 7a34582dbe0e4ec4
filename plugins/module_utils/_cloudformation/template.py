# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Reads CloudFormation templates, YAML with short tags or JSON, into one canonical form. Private to the collection.

Canonical: intrinsic functions in their long form, ``Fn::GetAtt`` as a list, every scalar as text, JSON inside a string
(policy documents, often below ``Fn::Sub``) as data. So two templates that mean the same compare equal.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from .._core.documents import require_yaml
from .._core.errors import EksopsError

# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
MAXIMUM_BODY_BYTES = 51_200
_UNPREFIXED = ("Ref", "Condition")


@cache
def _loader() -> Any:
    """A loader for which all scalars stay text (account ids with a leading zero, dates) and tags become functions."""
    base: Any = require_yaml().BaseLoader

    class Loader(base):  # type: ignore[misc]  # PyYAML is imported on first use, so its class is not known here
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen: set[str] = set()
            for key_node, _value in node.value:
                if key_node.value in seen:
                    line = key_node.start_mark.line + 1
                    raise EksopsError(
                        f"The key {key_node.value!r} is there twice", where=f"line {line} of the template"
                    )
                seen.add(key_node.value)
            return super().construct_mapping(node, deep=deep)

    Loader.add_multi_constructor("!", _short_tag)
    return Loader


def _short_tag(loader: Any, suffix: str, node: Any) -> dict[str, Any]:
    value: Any = node.value
    if node.id == "mapping":
        value = loader.construct_mapping(node, deep=True)
    elif node.id == "sequence":
        value = loader.construct_sequence(node, deep=True)
    return {suffix if suffix in _UNPREFIXED else f"Fn::{suffix}": value}


def load_template(body: str | Mapping[str, Any], where: str) -> dict[str, Any]:
    """The template in canonical form.

    :param body: text, or the mapping that boto3 makes of a JSON template.
    :param where: the option or file, for the error.
    Raises EksopsError when it is no template or too large to be sent as a body.
    """
    if isinstance(body, str):
        size = len(body.encode())
        if size > MAXIMUM_BODY_BYTES:
            raise EksopsError(
                f"The template has {size} bytes", where=where, allowed=f"at most {MAXIMUM_BODY_BYTES} bytes"
            )
    data = _parse(body, where) if isinstance(body, str) else body
    if not isinstance(data, Mapping) or not isinstance(data.get("Resources"), Mapping) or not data["Resources"]:
        raise EksopsError(
            "This is no CloudFormation template",
            where=where,
            allowed="a mapping with at least one entry below Resources",
        )
    canonical: dict[str, Any] = canonical_value(data)
    return canonical


def read_template(path: str) -> str:
    """The text of a template file. Raises EksopsError when it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EksopsError(f"The template cannot be read: {error}", where=path) from error


def _parse(body: str, where: str) -> Any:
    yaml = require_yaml()
    try:
        return yaml.load(body, Loader=_loader())
    except yaml.YAMLError as error:
        raise EksopsError(f"The template is not valid YAML or JSON: {error}", where=where) from error


def canonical_value(value: Any) -> Any:
    """The canonical form of any part of a template."""
    if isinstance(value, Mapping):
        found = {str(key): canonical_value(item) for key, item in value.items()}
        attribute = found.get("Fn::GetAtt")
        if len(found) == 1 and isinstance(attribute, str) and "." in attribute:
            found["Fn::GetAtt"] = attribute.split(".", 1)
        return found
    if isinstance(value, list | tuple):
        return [canonical_value(item) for item in value]
    if isinstance(value, str):
        return _inner_json(value)
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else str(value)


def _inner_json(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        data = json.loads(text)
    except ValueError:
        return text
    return canonical_value(data)
