# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Values of variables that may be made of what is known only later in the run. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleError
from jinja2 import Undefined, UndefinedError

from ..module_utils._preflight.inputs import NotYetError


def known(value: Any) -> Any:
    """The value with everything in it looked at. Raises NotYetError when something in it has no value."""
    try:
        return _walked(value)
    except (AnsibleError, UndefinedError) as error:
        raise NotYetError(str(error)) from error


def known_of(variables: Mapping[str, Any], name: str) -> Any:
    """The value of a variable. Raises NotYetError when it, or something in it, has no value."""
    try:
        value = variables[name]
    except (AnsibleError, UndefinedError) as error:
        raise NotYetError(str(error)) from error
    return known(value)


def _walked(value: Any) -> Any:
    if isinstance(value, Undefined):
        str(value)  # raises UndefinedError, with the reason
    if isinstance(value, Mapping):
        return {key: _walked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_walked(item) for item in value]
    return value
