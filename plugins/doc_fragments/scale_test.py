# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The figures of a scale test: what each number means, and its unit."""

from __future__ import annotations


class ModuleDocFragment:
    """Return values of karpenter_scale_test. Times are seconds, unless the name says another unit."""

    FIGURES = r"""
started_at:
  description: Time of the scale call, in UTC.
  type: str
  returned: always
  sample: "2026-11-30T05:58:00.123000+00:00"
scale_up_seconds:
  description: From the scale call until the watch told that the last pod is ready.
  type: float
  returned: always
  sample: 41.2
scale_down_seconds:
  description: From the drop to 0 until the watch told that the last launched claim is gone; null when none was.
  type: float
  returned: always
  sample: 92.5
latencies:
  description:
    - Each with C(objects), from the objects' own times, whose grain is one second, and C(watch), from the times at
      which this machine heard of them, with the way here in it.
    - Either has C(n), C(min), C(p50), C(p90), C(p99) and C(max), in seconds; see RV(percentile_rule). C(n) is how many
      had that latency; it is less than the pods or nodes where something was not reached, or was there before.
  type: dict
  returned: always
  contains:
    scheduling_decision:
      description: Pod made, to the first event of Karpenter about it (Nominated or FailedScheduling).
      type: dict
    provisioning_latency:
      description: Pod made, to the claim of its node made.
      type: dict
    launch:
      description: Claim made, to condition Launched, EC2 has started an instance.
      type: dict
    register:
      description: Claim made, to condition Registered, the instance has joined as a node.
      type: dict
    initialize:
      description: Claim made, to condition Initialized, the node can take pods.
      type: dict
    node_startup:
      description: The same as C(initialize), by the name under which others report it.
      type: dict
    node_ready:
      description: Node made, to condition Ready.
      type: dict
    pod_scheduling_delay:
      description: Pod made, to condition PodScheduled, it is bound to a node.
      type: dict
    containers_started:
      description: Pod made, to the start of its last container. Only the object knows, so C(watch) has C(n) 0.
      type: dict
    pod_startup:
      description: Pod made, to condition Ready.
      type: dict
    termination:
      description: Deletion of the claim asked for, to the claim gone.
      type: dict
    termination_drained:
      description: Deletion of the claim asked for, to condition Drained, no pod is left to move.
      type: dict
    termination_volumes_detached:
      description: Deletion of the claim asked for, to condition VolumesDetached.
      type: dict
    termination_instance_terminating:
      description: Deletion of the claim asked for, to condition InstanceTerminating, EC2 ends the instance.
      type: dict
  sample: {pod_startup: {objects: {n: 5, min: 38.0, p50: 38.0, p90: 38.0, p99: null, max: 38.0}}}
percentile_rule:
  description: How percentiles are taken. p99 is null below n=100.
  type: str
  returned: always
  sample: nearest rank
ramps:
  description:
    - Seconds until 50, 70, 90, 99 and 100 percent were there (from the scale call) or gone (from the drop to 0), as
      the watch told; null for a share that was not reached.
  type: dict
  returned: always
  contains:
    pods_up:
      description: Of the wanted pods, the first time that each was Ready.
      type: dict
    nodes_up:
      description: Of the launched claims, Initialized.
      type: dict
    pods_down:
      description: Of the test's pods, gone.
      type: dict
    nodes_down:
      description: Of the launched claims, gone.
      type: dict
  sample: {pods_up: {t50: 40.1, t70: 40.1, t90: 40.2, t99: 40.2, t100: 40.2}}
churn:
  description: What came and went from the scale call on.
  type: dict
  returned: always
  contains:
    created:
      description: Number of claims made for the test's pods.
      type: int
    deleted:
      description: Number of those that are gone.
      type: int
    ratio_to_ideal:
      description: Claims made for each one that lasted until the drop; 1 where none was made in vain, null without any.
      type: float
    deleted_young:
      description: Number of those that are gone and were less than 15 minutes old.
      type: int
    created_for_others:
      description: Number of claims made meanwhile for other pods.
      type: int
    claims_lost_at_work:
      description: Number of the test's claims that were deleted before the drop.
      type: int
    pods_disrupted:
      description: Number of the test's pods that were deleted before the drop.
      type: int
    pods_evicted:
      description: Number of the test's pods about which Karpenter wrote an event Evicted.
      type: int
    pods_failed_percent:
      description: Pods that failed or were deleted before the drop, in percent. Above 10 the test fails.
      type: float
    disruption_reasons:
      description:
        - Number of the test's claims by the reason of their end, Empty, Underutilized or Drifted as Karpenter spells
          them, or Interrupted (a message of the queue), Expired (its age), Deleted (by somebody).
      type: dict
  sample: {created: 1, deleted: 1, ratio_to_ideal: 1.0, pods_disrupted: 0, disruption_reasons: {Empty: 1}}
consolidation:
  description: How the cluster came to rest after the drop to 0.
  type: dict
  returned: always
  contains:
    seconds:
      description:
        - From the drop to 0 until the test's last claim was gone and no node of Karpenter carried taint
          C(karpenter.sh/disrupted), which then stayed so for C(stability_seconds); null where it did not.
      type: float
    stable:
      description: Whether it stayed so; null where nobody waited for it, or nothing was launched.
      type: bool
    stability_seconds:
      description: How long it had to stay so, in seconds.
      type: float
    rounds:
      description: Number of rounds in which the test's nodes went; nodes that begin to go within 5 seconds are of one.
      type: int
    nodes_per_round:
      description: Number of nodes in each round.
      type: list
      elements: int
  sample: {seconds: 92.5, stable: true, stability_seconds: 180, rounds: 1, nodes_per_round: [1]}
unavailable_seconds:
  description: Pods of the Deployment that were wanted and not available, times the seconds for which they were not.
  type: dict
  returned: always
  contains:
    starting:
      description: From the scale call until all were available for the first time, in pod-seconds.
      type: float
    running:
      description: From then on until the drop to 0, in pod-seconds. 0 where no pod was lost; null without such a time.
      type: float
  sample: {starting: 190.4, running: 0.0}
packing:
  description: How full the launched nodes were when all pods were ready; null before.
  type: dict
  returned: always
  contains:
    nodes:
      description: Number of launched nodes.
      type: int
    pods:
      description: Number of all pods on them, those of DaemonSets included.
      type: int
    pods_per_node:
      description: Pods for each node.
      type: float
    cpu_percent:
      description: CPU that the pods request, in percent of what the nodes can give to pods.
      type: float
    memory_percent:
      description: The same of memory.
      type: float
    cost_per_hour:
      description: Price of the nodes in US dollars per hour, by the controller's own estimate; null if one is unknown.
      type: float
  sample: {nodes: 1, pods: 8, pods_per_node: 8.0, cpu_percent: 67.1, memory_percent: 2.3, cost_per_hour: 0.306}
cost:
  description: Price of all nodes of Karpenter, in US dollars per hour; null where one is unknown.
  type: dict
  returned: always
  contains:
    before_per_hour:
      description: Before the scale call.
      type: float
    peak_per_hour:
      description: When all pods were ready.
      type: float
    after_per_hour:
      description: At the end.
      type: float
  sample: {before_per_hour: 0.0, peak_per_hour: 0.306, after_per_hour: 0.0}
controller:
  description:
    - What the leading controller used, from its own metrics. Counters are differences between the first and the last
      look at the pod that led last; each is null without a look.
  type: dict
  returned: always
  contains:
    samples:
      description: Number of looks.
      type: int
    memory_p95_bytes:
      description: Resident memory, 95th percentile of the looks, in bytes.
      type: int
    memory_max_bytes:
      description: Resident memory, the greatest of the looks, in bytes.
      type: int
    cpu_cores_average:
      description: CPU time over wall-clock time, in cores. What a look itself costs the controller is in it.
      type: float
    aws_retries:
      description: Number of calls to AWS that were repeated, for whatever reason, throttling among them.
      type: int
    kubernetes_throttles:
      description: Number of answers 429 of the API server.
      type: int
    cloud_provider_errors:
      description: Number of errors of the cloud provider, without those by which it learns that an instance is gone.
      type: int
  sample: {samples: 30, memory_p95_bytes: 210000000, cpu_cores_average: 0.08, kubernetes_throttles: 0}
node_claims:
  description: The claims that were made for the test, with C(price_per_hour) in US dollars.
  type: list
  elements: dict
  returned: always
  sample: [{name: default-x7k2p, instance_type: c6a.2xlarge, capacity_type: on-demand, zone: us-west-2a, gone: true}]
"""
