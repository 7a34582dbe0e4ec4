# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What CloudFormation would refuse, found before it is asked. Pure. Private to the collection."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .._core.errors import EksopsError

# Types that need a capability, and the property that names them; a given name needs the NAMED one:
# https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html
_IAM_NAMES: dict[str, str | None] = {
    "AWS::IAM::AccessKey": None,
    "AWS::IAM::Group": "GroupName",
    "AWS::IAM::InstanceProfile": "InstanceProfileName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::IAM::Policy": None,
    "AWS::IAM::Role": "RoleName",
    "AWS::IAM::User": "UserName",
    "AWS::IAM::UserToGroupAddition": None,
}


def parameter_values(template: Mapping[str, Any], given: Mapping[str, Any], where: str) -> dict[str, str]:
    """Every parameter's value as CloudFormation will see it: the given one, else the template's default.

    Raises EksopsError for an unknown name, a missing value, or one that the declaration does not allow.
    """
    declared: Mapping[str, Mapping[str, Any]] = template.get("Parameters") or {}
    for name in given:
        if name not in declared:
            near = difflib.get_close_matches(name, declared, n=1)
            raise EksopsError(
                f"The template has no parameter {name!r}",
                where=where,
                allowed=", ".join(declared) or "no parameters at all",
                next_step=f"did you mean {near[0]!r}" if near else None,
            )
    values = {}
    for name, declaration in declared.items():
        if given.get(name) is None and "Default" not in declaration:
            raise EksopsError(f"Parameter {name!r} has neither a value nor a default", where=where)
        given_value = given.get(name)
        values[name] = _as_text(declaration["Default"] if given_value is None else given_value)
        _check(name, values[name], declaration, where)
    return values


def _as_text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(_as_text(item) for item in value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _check(name: str, value: str, declaration: Mapping[str, Any], where: str) -> None:
    """https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html"""
    allowed = declaration.get("AllowedValues")
    if allowed and value not in [_as_text(item) for item in allowed]:
        raise EksopsError(
            f"Parameter {name!r} is {value!r}", where=where, allowed=", ".join(_as_text(item) for item in allowed)
        )
    pattern = declaration.get("AllowedPattern")
    if pattern and not re.fullmatch(str(pattern), value):
        hint = declaration.get("ConstraintDescription") or f"text that matches {pattern}"
        raise EksopsError(f"Parameter {name!r} is {value!r}", where=where, allowed=str(hint))
    low, high = int(declaration.get("MinLength", 0)), int(declaration.get("MaxLength", 4096))
    if not low <= len(value) <= high:
        raise EksopsError(
            f"Parameter {name!r} has {len(value)} characters", where=where, allowed=f"{low} to {high} characters"
        )


def required_capabilities(template: Mapping[str, Any]) -> list[str]:
    """The capabilities that CloudFormation will ask an acknowledgement of."""
    needed: set[str] = set()
    for resource in template["Resources"].values():
        kind = resource.get("Type", "")
        if kind in _IAM_NAMES:
            name = _IAM_NAMES[kind]
            named = name is not None and name in (resource.get("Properties") or {})
            needed.add("CAPABILITY_NAMED_IAM" if named else "CAPABILITY_IAM")
    if template.get("Transform"):
        needed.add("CAPABILITY_AUTO_EXPAND")
    if "CAPABILITY_NAMED_IAM" in needed:  # it includes the other
        needed.discard("CAPABILITY_IAM")
    return sorted(needed)


def check_capabilities(needed: Iterable[str], given: Iterable[str], where: str) -> None:
    """Raises EksopsError when an acknowledgement is missing."""
    have = set(given)
    if "CAPABILITY_NAMED_IAM" in have:
        have.add("CAPABILITY_IAM")
    missing = [name for name in needed if name not in have]
    if missing:
        raise EksopsError(
            f"The template needs {', '.join(missing)}, which is not acknowledged",
            where=where,
            next_step=f"add {', '.join(missing)} to capabilities",
        )
