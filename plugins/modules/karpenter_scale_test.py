#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module karpenter_scale_test."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: karpenter_scale_test
short_description: Prove that Karpenter launches and removes nodes, and measure it
version_added: 0.1.0
description:
  - Makes a Deployment C(inflate) in a namespace of its own, C(eksops-scale-test), scales it from 0 to O(replicas) and
    back, and measures what happens from the objects themselves and from the times at which a watch heard of them.
  - The pods run on nodes of Karpenter only.
  - The controller's decisions are shown while the module runs.
  - The namespace is removed at the end in any case, also after a failure, a time-out, a signal, or when the playbook
    was killed. What a killed module leaves is removed by the next run.
  - One test at a time per cluster. A second one waits a while for the first, then gives up.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  replicas:
    description: Number of pods.
    type: int
    default: 5
  cpu:
    description: CPU request of each pod, as a quantity.
    type: str
    default: "1"
  memory:
    description: Memory request of each pod, as a quantity. None by default.
    type: str
  node_pool:
    description:
      - Name of the pool that the pods have to run on; its taints are tolerated.
      - Without it, any pool without taints will do.
    type: str
  image:
    description: Image of the pods. It has to run without anything else and do nothing.
    type: str
    default: public.ecr.aws/eks-distro/kubernetes/pause:3.7
  timeout_seconds:
    description: How long all pods may take to become ready, in seconds.
    type: int
    default: 600
  wait_for_removal:
    description:
      - Whether to wait until the nodes that were launched for the test are gone again.
      - Karpenter removes an empty node after the C(consolidateAfter) of its pool, a minute and more as a rule.
    type: bool
    default: true
  removal_timeout_seconds:
    description: How long the nodes may take to go, in seconds.
    type: int
    default: 600
  stability_seconds:
    description:
      - How long, in seconds, no node of Karpenter may be disrupted and no claim of the test be left before the removal
        counts as done. Three minutes are what Karpenter's own performance suite takes; 0 does without.
      - A cluster that does not rest for so long within O(removal_timeout_seconds) more is told by C(consolidation) of
        the result, and is no failure by itself.
    type: float
    default: 180
  metrics_interval_seconds:
    description:
      - How often the controller's metrics are read, in seconds. Karpenter's own performance suite takes 5.
      - A look costs the controller 0.1 to 0.25 seconds of CPU, since it has a price for every offering of the region;
        every 5 seconds that is 0.02 to 0.05 cores, and they are in C(controller.cpu_cores_average). With 20 seconds
        they hardly show, and short peaks of memory are missed.
    type: float
    default: 5
  thresholds:
    description:
      - Limits that make the test fail. All are maxima but V(packing_percent_min).
      - Names are V(scale_up_seconds), V(pod_startup_p50_seconds), V(pod_startup_max_seconds),
        V(node_startup_p50_seconds), V(node_startup_max_seconds), V(scale_down_seconds),
        V(consolidation_seconds), V(unavailable_seconds) (of C(unavailable_seconds.running)), V(nodes),
        V(packing_percent_min) and V(cost_per_hour).
      - A figure that is not known does not pass.
    type: dict
    default: {}
  controller_namespace:
    description: Namespace of Karpenter's controller.
    type: str
    default: kube-system
extends_documentation_fragment:
  - eksops.karpenter.kubernetes
  - eksops.karpenter.eks.progress
attributes:
  check_mode:
    description: Checks whether the test can run and says what it would do.
    support: full
  diff_mode:
    description: Shows what of a former test would be removed.
    support: full
  idempotent:
    description:
      - A test leaves nothing behind, so it reports no change. It runs each time that it is asked for.
      - Only the removal of what a killed test has left is a change.
    support: full
"""

EXAMPLES = r"""
- name: See five pods get nodes, and the nodes go again
  eksops.karpenter.karpenter_scale_test:
    kubeconfig: /home/me/.kube/demo

- name: A hundred pods on one pool, within limits
  eksops.karpenter.karpenter_scale_test:
    kubeconfig: /home/me/.kube/demo
    replicas: 100
    cpu: 500m
    node_pool: batch
    thresholds:
      pod_startup_p50_seconds: 60
      packing_percent_min: 80
"""

RETURN = r"""
extends_documentation_fragment:
  - eksops.karpenter.results.planned
  - eksops.karpenter.scale_test.figures
passed:
  description: Whether the test ran to its end and met its thresholds; null in check mode.
  type: bool
  returned: always
  sample: true
plan:
  description: What lasts, which is only the removal of what a former test left.
  returned: always
notices:
  description: What is worth knowing, such as nodes that are left to consolidation.
  returned: always
summary:
  description: The test in a few lines for people.
  type: list
  elements: str
  returned: always
  sample: [Scale test of 5 pods passed, "- 0 -> 5: all ready after 41.2 s"]
steps:
  description: What the test does, or would do.
  type: list
  elements: str
  returned: always
  sample: [make namespace eksops-scale-test and Deployment inflate with 0 replicas]
replicas:
  description: Number of pods.
  type: int
  returned: always
  sample: 5
node_pool:
  description: The pool that was asked for; null for any.
  type: str
  returned: always
  sample: default
nodes_left:
  description: Launched nodes that are still there.
  type: list
  elements: str
  returned: always
  sample: []
thresholds:
  description: Each threshold with name, value, limit and status (C(pass), C(fail) or C(inconclusive)).
  type: list
  elements: dict
  returned: always
  sample: [{name: nodes, value: 1, limit: 2.0, status: pass}]
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._core.errors import EksopsError
from ..module_utils._core.progress import Progress
from ..module_utils._core.result import failure
from ..module_utils._kubernetes.access import ARGUMENT_SPEC as ACCESS
from ..module_utils._kubernetes.access import client_of
from ..module_utils._scale_test.model import IMAGE, Spec
from ..module_utils._scale_test.run import run

ARGUMENT_SPEC = {
    **ACCESS,
    "replicas": {"type": "int", "default": 5},
    "cpu": {"type": "str", "default": "1"},
    "memory": {"type": "str"},
    "node_pool": {"type": "str"},
    "image": {"type": "str", "default": IMAGE},
    "timeout_seconds": {"type": "int", "default": 600},
    "wait_for_removal": {"type": "bool", "default": True},
    "removal_timeout_seconds": {"type": "int", "default": 600},
    "stability_seconds": {"type": "float", "default": 180},
    "metrics_interval_seconds": {"type": "float", "default": 5},
    "thresholds": {"type": "dict", "default": {}},
    "controller_namespace": {"type": "str", "default": "kube-system"},
    "progress_path": {"type": "path"},
}


def main() -> None:
    """Run the module."""
    module = AnsibleModule(ARGUMENT_SPEC, supports_check_mode=True)
    try:
        spec = Spec.from_params(module.params)
        progress = Progress(module.params["progress_path"])
        result, error = run(client_of(module), spec, progress, check_mode=module.check_mode)
    except EksopsError as trouble:
        module.fail_json(**failure(trouble))
    if error is not None:
        module.fail_json(**result, **failure(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
