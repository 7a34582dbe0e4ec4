# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Documentation of the node pools that karpenter_nodepools takes."""

from __future__ import annotations


class ModuleDocFragment:
    """NodePools, with Karpenter's names in snake case."""

    DOCUMENTATION = r"""
options:
  node_pools:
    description: The NodePools. For O(state=absent) their names are enough.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the pool.
        type: str
        required: true
      labels:
        description: Labels of the pool itself, not of its nodes.
        type: dict
      annotations:
        description: Annotations of the pool itself, not of its nodes.
        type: dict
      node_class:
        description: Name of the pool's node class. Needed for state V(present).
        type: str
      node_labels:
        description: Labels of the nodes.
        type: dict
      node_annotations:
        description: Annotations of the nodes.
        type: dict
      requirements:
        description: What nodes may be. Needed for state V(present).
        type: list
        elements: dict
        suboptions:
          key:
            description: Label that is looked at.
            type: str
            required: true
          operator:
            description: V(In), V(NotIn), V(Exists), V(DoesNotExist), V(Gt), V(Lt), V(Gte) or V(Lte).
            type: str
            required: true
          values:
            description: Values to compare with.
            type: list
            elements: str
          min_values:
            description: Least number of different values that have to remain.
            type: int
      taints:
        description: Taints of the nodes.
        type: list
        elements: dict
        suboptions: &taint
          key:
            description: Key of the taint.
            type: str
            required: true
          value:
            description: Value of the taint.
            type: str
          effect:
            description: V(NoSchedule), V(PreferNoSchedule) or V(NoExecute).
            type: str
            required: true
      startup_taints:
        description: Taints that something removes once a node is set up.
        type: list
        elements: dict
        suboptions: *taint
      expire_after:
        description: Age at which a node is replaced, such as V(720h), or V(Never).
        type: str
      termination_grace_period:
        description: How long a drain may take before pods are deleted past their budgets, such as V(1h).
        type: str
      disruption:
        description: When Karpenter replaces or removes nodes.
        type: dict
        suboptions:
          consolidation_policy:
            description: V(WhenEmpty), V(WhenEmptyOrUnderutilized) or V(Balanced).
            type: str
          consolidate_after:
            description: How long a node has to be quiet, such as V(1m), or V(Never).
            type: str
          budgets:
            description:
              - How many nodes may be disrupted at a time.
              - Budgets that another manager holds, for example a freeze, stay as they are, and a notice says so.
            type: list
            elements: dict
            suboptions:
              nodes:
                description: A number, or percent such as V(10%).
                type: str
              reasons:
                description: V(Underutilized), V(Empty) and V(Drifted). All by default.
                type: list
                elements: str
              schedule:
                description:
                  - When it begins to hold, in UTC. Five words as cron has them, with days of the week from 0 to 6 and
                    ranges that do not wrap around, or one of V(@annually), V(@yearly), V(@monthly), V(@weekly),
                    V(@daily), V(@midnight), V(@hourly).
                  - Needs a duration. A budget without both always holds.
                type: str
              duration:
                description:
                  - How long it holds from each beginning on, in hours and minutes such as V(8h) or V(8h30m).
                  - Needs a schedule.
                type: str
      limits:
        description: Most of each resource that the pool's nodes may have together.
        type: dict
      weight:
        description: Which pool is tried first. The highest is, from 1 to 100.
        type: int
      replicas:
        description: Number of nodes of a static pool.
        type: int
"""
