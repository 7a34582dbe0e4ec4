# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Filter eksops_known."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._preflight.inputs import NotYetError
from ..plugin_utils._known import known, known_of

DOCUMENTATION = r"""
name: eksops_known
short_description: What is known of a list before the first write
version_added: 0.1.0
description:
  - Returns a list of dictionaries in which each one that is made of something without a value so far, such as the
    result of a role that has not run, is replaced by its name and the reason.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  _input:
    description: Dictionaries with a C(name), such as node classes.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Show the node pools that can be checked already
  ansible.builtin.debug:
    msg: "{{ karpenter_nodepool_node_pools | eksops.karpenter.eksops_known | rejectattr('unknown_reason', 'defined') }}"
"""

RETURN = r"""
_value:
  description: The dictionaries; those that are not known yet have C(name), when that is known, and C(unknown_reason).
  type: list
  elements: dict
"""


def eksops_known(items: Any) -> list[Any]:
    """The list. Raises AnsibleFilterError for input that is no list."""
    if not isinstance(items, list | tuple):
        raise AnsibleFilterError(f"eksops_known: its input is {type(items).__name__}. Allowed: a list of dictionaries.")
    return [_known(item) for item in items]


def _known(item: Any) -> Any:
    try:
        return known(item)
    except NotYetError as error:
        found: dict[str, Any] = {"unknown_reason": str(error)}
        if isinstance(item, Mapping):
            with contextlib.suppress(NotYetError, KeyError):  # without a name it is told without one
                found["name"] = known_of(item, "name")
        return found


class FilterModule:
    """The collection's filter."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Names and functions."""
        return {"eksops_known": eksops_known}
