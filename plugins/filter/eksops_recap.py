# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Filter eksops_recap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._fleet.recap import recap

DOCUMENTATION = r"""
name: eksops_recap
short_description: The page that ends a run
version_added: 0.1.0
description:
  - Tells a person what a cluster is made of, what it costs, what a run changed in it and what comes next, in aligned
    lines of at most 110 characters.
  - Works without a cluster and in check mode too.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
positional: run
options:
  _input:
    description: What M(eksops.karpenter.karpenter_fleet_info) returned. Empty where there is no cluster.
    type: dict
    required: true
  run:
    description:
      - What the playbook knows. All keys are optional. They are C(cluster_name), C(region), C(account_id),
        C(kubernetes_version) and C(karpenter_version) as wanted, C(check_mode), C(results) with role results by the
        name of the role, and C(next_steps) with sentences.
      - Of a role's result C(changed), C(notices), C(drift), and C(plan), C(planned) or C(differences) are told.
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Look at the fleet
  eksops.karpenter.karpenter_fleet_info:
    kubeconfig: /home/me/.kube/demo
  register: fleet

- name: Tell it
  ansible.builtin.debug:
    msg: "{{ fleet | eksops.karpenter.eksops_recap({'cluster_name': 'demo', 'check_mode': ansible_check_mode}) }}"
"""

RETURN = r"""
_value:
  description: The lines.
  type: list
  elements: str
"""


def eksops_recap(fleet: Any, run: Any = None) -> list[str]:
    """The lines. Raises AnsibleFilterError for input that is no mapping."""
    for name, value in (("its input", fleet), ("run", run)):
        if value and not isinstance(value, dict):
            raise AnsibleFilterError(f"eksops_recap: {name} is {type(value).__name__}. Allowed: a dictionary.")
    return recap(fleet, run)


class FilterModule:
    """The collection's filter."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Names and functions."""
        return {"eksops_recap": eksops_recap}
