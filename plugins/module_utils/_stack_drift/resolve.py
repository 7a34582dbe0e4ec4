# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The values of a template as CloudFormation gave them to the services. Pure: standard library only. Private.

Only what can be told from the stack itself; anything else is UNKNOWN and not compared.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._cloudformation.conditions import evaluate

UNKNOWN = object()
"""Stands for a value that only CloudFormation knows, such as an attribute of a resource."""
_REFERENCE = re.compile(r"\$\{([^}]*)\}")
# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/pseudo-parameter-reference.html
_SUFFIXES = {"aws": "amazonaws.com", "aws-us-gov": "amazonaws.com", "aws-cn": "amazonaws.com.cn"}


@dataclass(frozen=True)
class Scope:
    """What references can lead to: the template with its conditions, parameters, and physical ids by logical id."""

    template: Mapping[str, Any]
    parameters: Mapping[str, str]
    physical_ids: Mapping[str, str]
    stack_name: str
    stack_id: str

    def reference(self, name: str) -> Any:
        """What Ref gives for a parameter, a pseudo parameter or a resource."""
        if name.startswith("AWS::"):
            return self._pseudo(name)
        return self.parameters.get(name, self.physical_ids.get(name, UNKNOWN))

    def _pseudo(self, name: str) -> Any:
        _arn, partition, _service, region, account, *_rest = (*self.stack_id.split(":"), "", "", "", "", "")
        values = {
            "AWS::Partition": partition,
            "AWS::Region": region,
            "AWS::AccountId": account,
            "AWS::StackName": self.stack_name,
            "AWS::StackId": self.stack_id,
            "AWS::URLSuffix": _SUFFIXES.get(partition, UNKNOWN),
        }
        return None if name == "AWS::NoValue" else values.get(name, UNKNOWN)


def resolve(value: Any, scope: Scope) -> Any:
    """The value with every function replaced by its result, or by UNKNOWN. ``AWS::NoValue`` leaves nothing."""
    if isinstance(value, list):
        items = [resolve(item, scope) for item in value]
        return [item for item in items if item is not None]
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1:
        function, argument = next(iter(value.items()))
        if function == "Ref" or function.startswith("Fn::"):
            return _function(function, argument, scope)
    found = {key: resolve(item, scope) for key, item in value.items()}
    return {key: item for key, item in found.items() if item is not None}


def _function(function: str, argument: Any, scope: Scope) -> Any:
    if function == "Ref":
        return scope.reference(str(argument))
    if function == "Fn::If":
        name, then, otherwise = argument
        truth = evaluate(scope.template, scope.parameters, name)
        return UNKNOWN if truth is None else resolve(then if truth else otherwise, scope)
    if function == "Fn::Sub":
        text, own = argument if isinstance(argument, list) else (argument, {})
        return _substituted(str(text), resolve(own, scope), scope) if isinstance(argument, list | str) else UNKNOWN
    if function == "Fn::Join":
        delimiter, items = argument[0], resolve(argument[1], scope)
        return str(delimiter).join(map(str, items)) if isinstance(items, list) and is_known(items) else UNKNOWN
    return UNKNOWN


def _substituted(text: str, own: Mapping[str, Any], scope: Scope) -> Any:
    parts: list[Any] = []
    place = 0
    for match in _REFERENCE.finditer(text):
        name = match[1]
        literal = name.startswith("!")
        parts += [text[place : match.start()]]
        parts += [f"${{{name[1:]}}}" if literal else own.get(name, scope.reference(name))]
        place = match.end()
    parts.append(text[place:])
    return "".join(map(str, parts)) if is_known(parts) else UNKNOWN


def is_known(value: Any) -> bool:
    """Whether no part of a value is UNKNOWN."""
    if isinstance(value, Mapping):
        return all(map(is_known, value.values()))
    if isinstance(value, list):
        return all(map(is_known, value))
    return value is not UNKNOWN
