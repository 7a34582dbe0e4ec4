#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module karpenter_fleet_info."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: karpenter_fleet_info
short_description: Tell what a cluster with Karpenter is made of, and what it costs
version_added: 0.1.0
description:
  - Reads versions, node pools, node classes with the age of their AMIs, nodes, pods without a node, and prices, in one
    go. The filter P(eksops.karpenter.eksops_recap#filter) makes a page for people of it.
  - Prices are the controller's own estimate, from its metrics. It knows them once a node pool is ready.
  - A cluster without Karpenter is told as such.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  namespace:
    description: Namespace of the controller.
    type: str
    default: kube-system
  prices:
    description: Whether to read prices. The controller's metrics are a few megabytes.
    type: bool
    default: true
extends_documentation_fragment:
  - eksops.karpenter.kubernetes
  - eksops.karpenter.attributes.reads
attributes:
  idempotent:
    description: Returns the same, but for ages, as long as the cluster stays the same.
    support: full
"""

EXAMPLES = r"""
- name: Look at the fleet
  eksops.karpenter.karpenter_fleet_info:
    kubeconfig: /home/me/.kube/demo
  register: fleet

- name: Tell it
  ansible.builtin.debug:
    msg: "{{ fleet | eksops.karpenter.eksops_recap({'cluster_name': 'demo', 'region': 'us-west-2'}) }}"
"""

RETURN = r"""
kubernetes_version:
  description: Version of the control plane.
  type: str
  returned: success
  sample: 1.36.3
karpenter:
  description: Whether the controller is installed, its version, replicas and leader.
  type: dict
  returned: success
  sample: {installed: true, version: 1.14.0, replicas: 2, replicas_ready: 2, leader: karpenter-6d5f9c7b8-abcde}
node_pools:
  description:
    - The pools in the order in which Karpenter tries them, with node_class, ready, reason, weight, limits, usage, nodes
      and cost_per_hour.
  type: list
  elements: dict
  returned: success
  sample: [{name: default, node_class: default, ready: true, limits: {cpu: "1000"}, nodes: 1, cost_per_hour: 0.306}]
node_classes:
  description:
    - The node classes with ready, reason, pinned, ami_selector, ami_release, ami_age_days and images.
    - An image has id, name, release, age_days, architectures and deprecated.
  type: list
  elements: dict
  returned: success
  sample: [{name: default, ready: true, pinned: true, ami_release: v20261106, ami_age_days: 24}]
nodes:
  description:
    - All nodes with instance_id, instance_type, zone, architecture, capacity_type, node_pool or node_group, ready,
      unschedulable, age_seconds, kubelet_version, image_id, ami_release, drifted and cost_per_hour.
  type: list
  elements: dict
  returned: success
  sample: [{name: ip-192-168-1-2.us-west-2.compute.internal, instance_type: c6a.2xlarge, node_pool: default}]
node_claims_on_the_way:
  description: Node claims that are no ready node yet, with name, node_pool and age_seconds.
  type: list
  elements: dict
  returned: success
  sample: []
cost:
  description:
    - US dollars; null where no price is known. The keys are per_hour, per_month (730 hours), node_pools_per_hour,
      other_nodes_per_hour and nodes_without_price.
  type: dict
  returned: success
  sample: {per_hour: 0.49, per_month: 357.7, node_pools_per_hour: 0.306, nodes_without_price: 0}
pending_pods:
  description: Pods without a node, with namespace, name, age_seconds and the scheduler's reason.
  type: list
  elements: dict
  returned: success
  sample: []
notices:
  description: What is worth knowing, such as AMIs that are not pinned.
  type: list
  elements: str
  returned: success
  sample: []
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._core.errors import EksopsError
from ..module_utils._core.result import failure
from ..module_utils._fleet.run import run
from ..module_utils._kubernetes.access import ARGUMENT_SPEC as ACCESS
from ..module_utils._kubernetes.access import client_of

ARGUMENT_SPEC = {
    **ACCESS,
    "namespace": {"type": "str", "default": "kube-system"},
    "prices": {"type": "bool", "default": True},
}


def main() -> None:
    """Run the module."""
    module = AnsibleModule(ARGUMENT_SPEC, supports_check_mode=True)
    try:
        result = run(client_of(module), module.params["namespace"], prices=module.params["prices"])
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(changed=False, **result)


if __name__ == "__main__":
    main()
