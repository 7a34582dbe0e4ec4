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
  thresholds:
    description:
      - Limits that make the test fail. All are maxima but V(packing_percent_min).
      - Names are V(scale_up_seconds), V(pod_startup_p50_seconds), V(pod_startup_max_seconds),
        V(node_startup_p50_seconds), V(node_startup_max_seconds), V(scale_down_seconds), V(nodes),
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
extends_documentation_fragment: [eksops.karpenter.results.planned]
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
started_at:
  description: Time of the scale call, in UTC.
  type: str
  returned: always
  sample: "2026-11-30T05:58:00.123000+00:00"
scale_up_seconds:
  description: From the scale call until the last pod was heard to be ready.
  type: float
  returned: always
  sample: 41.2
scale_down_seconds:
  description: From the drop to 0 until the last launched node claim was heard to be gone; null when none was launched.
  type: float
  returned: always
  sample: 92.5
latencies:
  description:
    - By field, C(objects) (from the objects' own times, grain one second) and C(watch) (from the times of receipt),
      each with n, min, p50, p90, p99 and max in seconds. p99 is null below n=100.
    - Fields are scheduling_decision (pod to the first event of Karpenter), provisioning_latency (pod to node claim),
      launch, register and initialize (node claim to the condition), node_startup (the same as initialize), node_ready
      (node to Ready), pod_scheduling_delay, containers_started and pod_startup (pod to the condition), termination
      (deletion to gone) and its parts termination_drained, termination_volumes_detached and
      termination_instance_terminating.
  type: dict
  returned: always
  sample: {pod_startup: {objects: {n: 5, min: 38.0, p50: 38.0, p90: 38.0, p99: null, max: 38.0}}}
percentile_rule:
  description: How percentiles are taken.
  type: str
  returned: always
  sample: nearest rank
ramps:
  description: Seconds from the scale call until 50, 70, 90, 99 and 100 percent of pods and nodes were there or gone.
  type: dict
  returned: always
  sample: {pods_up: {t50: 40.1, t70: 40.1, t90: 40.2, t99: 40.2, t100: 40.2}}
churn:
  description: Node claims made and deleted, also for others, and what was lost while it was needed.
  type: dict
  returned: always
  sample: {created: 1, deleted: 1, deleted_young: 1, created_for_others: 0, claims_lost_at_work: 0, pods_disrupted: 0}
packing:
  description: At the peak, requested share of the launched nodes' CPU and memory, pods per node and price.
  type: dict
  returned: always
  sample: {nodes: 1, pods: 8, pods_per_node: 8.0, cpu_percent: 67.1, memory_percent: 2.3, cost_per_hour: 0.306}
cost:
  description: US dollars per hour of all nodes of Karpenter before, at the peak and after; null where unknown.
  type: dict
  returned: always
  sample: {before_per_hour: 0.0, peak_per_hour: 0.306, after_per_hour: 0.0}
controller:
  description: What the leader used, and how often its calls were repeated, throttled or failed.
  type: dict
  returned: always
  sample: {samples: 9, memory_p95_bytes: 210000000, cpu_cores_average: 0.08, kubernetes_throttles: 0}
node_claims:
  description: The node claims that were made for the test.
  type: list
  elements: dict
  returned: always
  sample: [{name: default-x7k2p, instance_type: c6a.2xlarge, capacity_type: on-demand, zone: us-west-2a, gone: true}]
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
