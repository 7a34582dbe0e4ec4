# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What tags may be so that every service takes them. Pure: standard library only. Private to the collection.

EC2    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html (50 each, key 128, value 256, no aws:)
IAM    https://docs.aws.amazon.com/IAM/latest/APIReference/API_Tag.html (letters, digits, spaces and _.:/=+-@)
stack  https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Tag.html (a value is not empty)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from .._core.errors import EksopsError

KEY_MAXIMUM = 128
VALUE_MAXIMUM = 256
# A subnet has three of ours beside the given ones: Name, kubernetes.io/role/internal-elb and karpenter.sh/discovery.
COUNT_MAXIMUM = 50 - 3
# Given ones would be on every subnet, where Karpenter and load balancer controllers take them for a choice.
_RESERVED = ("aws:", "karpenter.sh/", "karpenter.k8s.aws/", "kubernetes.io/")
_SIGNS = frozenset("_.:/=+-@")
_CHARACTERS = "letters, digits, spaces and _ . : / = + - @"


def tag_errors(tags: Mapping[Any, Any]) -> list[EksopsError]:
    """What is wrong with tags, as an inventory has them: numbers and booleans count as their text."""
    errors = []
    if len(tags) > COUNT_MAXIMUM:
        errors.append(
            EksopsError(
                f"There are {len(tags)} tags",
                allowed=f"{COUNT_MAXIMUM}: AWS takes 50 for each resource, and three are the collection's own",
                next_step="take some out",
            )
        )
    for key, value in tags.items():
        errors += _key_errors(str(key)) + _value_errors(str(key), value)
    return errors


def _key_errors(key: str) -> list[EksopsError]:
    if not 1 <= len(key) <= KEY_MAXIMUM:
        what = f"The key of tag {_short(key)} has {len(key)} characters"
        return [EksopsError(what, allowed=f"1 to {KEY_MAXIMUM}", next_step="choose another key")]
    reserved = next((prefix for prefix in _RESERVED if key.lower().startswith(prefix)), None)
    if reserved:
        what = f"Tag {_short(key)} begins with {reserved}, which is not for tags of everything"
        return [EksopsError(what, allowed="other prefixes", next_step="take it out")]
    return _character_errors(f"The key of tag {_short(key)}", key)


def _value_errors(key: str, value: Any) -> list[EksopsError]:
    if not isinstance(value, str | int | float):
        what = f"The value of tag {_short(key)} is {'empty' if value is None else type(value).__name__}"
        return [EksopsError(what, allowed="text", next_step="write it as text in quotes")]
    text = str(value)
    if not 1 <= len(text) <= VALUE_MAXIMUM:
        what = f"The value of tag {_short(key)} has {len(text)} characters"
        return [EksopsError(what, allowed=f"1 to {VALUE_MAXIMUM}", next_step="shorten it" if text else "give it one")]
    return _character_errors(f"The value of tag {_short(key)}", text)


def _character_errors(what: str, text: str) -> list[EksopsError]:
    # The classes of IAM's pattern: letters, numbers, separators.
    odd = sorted({sign for sign in text if sign not in _SIGNS and unicodedata.category(sign)[0] not in "LNZ"})
    if not odd:
        return []
    shown = " ".join(repr(sign) for sign in odd)
    return [
        EksopsError(f"{what} has characters that IAM refuses: {shown}", allowed=_CHARACTERS, next_step="replace them")
    ]


def _short(key: str) -> str:
    return repr(key if len(key) <= 40 else f"{key[:40]}...")
