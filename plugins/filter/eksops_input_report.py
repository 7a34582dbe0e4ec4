# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Filter eksops_input_report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._core.errors import EksopsError
from ..module_utils._preflight.inputs import input_report
from ..plugin_utils._known import known_of

DOCUMENTATION = r"""
name: eksops_input_report
short_description: What is wrong with the form of a host's variables
version_added: 0.1.0
description:
  - Compares the variables of a host with what a playbook and all roles of the collection declare, and tells everything
    that is missing, empty or of a wrong type in one short text, each with what is allowed and what to do next.
  - A role's variable that is made of what is known only later is left to that role.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
positional: playbook
options:
  _input:
    description: The variables of a host, as C(hostvars) has them.
    type: dict
    required: true
  playbook:
    description: Name of the playbook whose inputs are looked at, such as V(site).
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Inputs have the form that is declared
  ansible.builtin.assert:
    that: hostvars[inventory_hostname] | eksops.karpenter.eksops_input_report('site') == ''
    fail_msg: "{{ hostvars[inventory_hostname] | eksops.karpenter.eksops_input_report('site') }}"
"""

RETURN = r"""
_value:
  description: The report, empty when nothing is wrong.
  type: str
"""

ROOT = Path(__file__).parents[2]


def eksops_input_report(variables: Any, playbook: str) -> str:
    """The report. Raises AnsibleFilterError for input that is no mapping, and for an unknown playbook."""
    if not isinstance(variables, Mapping):
        got = type(variables).__name__
        raise AnsibleFilterError(f"eksops_input_report: its input is {got}. Allowed: hostvars of a host.")

    try:
        host = str(variables.get("inventory_hostname", "?"))
        return input_report(host, ROOT, playbook, frozenset(variables), partial(known_of, variables))
    except EksopsError as error:
        raise AnsibleFilterError(f"eksops_input_report: {error}") from error


class FilterModule:
    """The collection's filter."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Names and functions."""
        return {"eksops_input_report": eksops_input_report}
