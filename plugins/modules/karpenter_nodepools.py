#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module karpenter_nodepools."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: karpenter_nodepools
short_description: Create, change and delete Karpenter's node pools and node classes
version_added: 0.1.0
description:
  - Brings NodePools and EC2NodeClasses into the wanted state by server-side apply, as manager C(eksops-nodepool), and
    waits until Karpenter has taken them.
  - Everything is checked against the schemas of Karpenter first, also where there is no cluster yet.
  - The pin of the images of a class that exists is never moved, a difference is a notice. Playbook rotate_amis.yml
    moves it.
  - A removal waits until pools, NodeClaims and node classes are gone, and tells what holds a node.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  state:
    description: Whether the named pools and classes are to be there.
    type: str
    choices: [present, absent]
    default: present
  kubeconfig:
    description:
      - Path of the kubeconfig of the cluster; M(eksops.karpenter.eks_kubeconfig) writes one.
      - Needed unless O(cluster_exists=false).
    type: path
  context:
    description: Context of the kubeconfig. By default its current one.
    type: str
  cluster_exists:
    description:
      - V(false) where the cluster is still to be made. Then check mode predicts from the options alone.
      - With O(state=absent) there is nothing to do then.
    type: bool
    default: true
  cluster_name:
    description: Name of the cluster. A rescue proves by it, from tags, what is to be ended.
    type: str
  karpenter_version:
    description: Version of Karpenter whose schemas the options are checked against.
    type: str
    default: 1.14.0
  namespace:
    description: Namespace of Karpenter's controller.
    type: str
    default: kube-system
  unpinned_action:
    description:
      - What to do about a class that does not exist and has no O(node_classes[].ami_selector_terms).
      - With V(report) nothing at all is written and RV(unpinned) names it, so that images need to be looked up only
        where a class is to be made.
    type: str
    choices: [fail, report]
    default: fail
  purge:
    description: Whether pools and classes that this module has applied, and that are not named any more, are deleted.
    type: bool
    default: false
  all:
    description: With O(state=absent), delete every pool, NodeClaim and class of the cluster.
    type: bool
    default: false
  force_conflicts:
    description: Whether to take over fields that another manager holds. Otherwise they are an error that names it.
    type: bool
    default: false
  force:
    description:
      - With O(state=absent), whether pods that still hold their node after O(drain_timeout_seconds) are deleted
        past their disruption budgets and C(karpenter.sh/do-not-disrupt). Karpenter does it, as at the end of
        O(node_pools[].termination_grace_period).
    type: bool
    default: false
  drain_timeout_seconds:
    description: How long pods may take to leave before O(force) comes to bear, in seconds.
    type: int
    default: 300
  controller_absent_action:
    description:
      - What to do about a removal while no controller is at work that could end it.
      - V(fail) is an error before the first write.
      - V(rescue) terminates the instances through EC2, each proved by its tags to be of O(cluster_name), waits for it,
        takes Karpenter's finalizers off, and deletes Karpenter's launch templates and instance profiles.
    type: str
    choices: [fail, rescue]
    default: fail
  wait:
    description:
      - Whether to wait until pools and classes are ready in their present generation, or gone.
      - A rescue always waits for its instances.
    type: bool
    default: true
  wait_timeout_seconds:
    description: How long each single wait may take, in seconds.
    type: int
    default: 600
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - eksops.karpenter.node_classes
  - eksops.karpenter.node_pools
  - eksops.karpenter.eks.progress
  - eksops.karpenter.attributes.writes
seealso:
  - module: eksops.karpenter.eks_ami_info
  - name: NodePools
    description: What Karpenter says about pools.
    link: https://karpenter.sh/docs/concepts/nodepools/
  - name: NodeClasses
    description: What Karpenter says about node classes.
    link: https://karpenter.sh/docs/concepts/nodeclasses/
"""

EXAMPLES = r"""
- name: One pool and its class
  eksops.karpenter.karpenter_nodepools:
    kubeconfig: /home/me/.kube/demo
    node_classes:
      - name: default
        role: KarpenterNodeRole-demo
        ami_family: AL2023
        ami_release: v20261106
        ami_architectures: [x86_64]
        ami_selector_terms: [{id: ami-0123456789abcdef0}]
        subnet_selector_terms: [{tags: {karpenter.sh/discovery: demo}}]
        security_group_selector_terms: [{tags: {karpenter.sh/discovery: demo}}]
    node_pools:
      - name: default
        node_class: default
        requirements:
          - {key: kubernetes.io/arch, operator: In, values: [amd64]}
          - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
        limits: {cpu: 1000}

- name: Take everything of Karpenter's away, also when its controller is dead
  eksops.karpenter.karpenter_nodepools:
    kubeconfig: /home/me/.kube/demo
    cluster_name: demo
    region: us-west-2
    state: absent
    all: true
    force: true
    controller_absent_action: rescue
"""

RETURN = r"""
extends_documentation_fragment: [eksops.karpenter.results.planned]
exists:
  description: Whether there is any pool, NodeClaim or class in the cluster; in check mode, whether there would be.
  type: bool
  returned: success
  sample: true
ready:
  description: Whether all that is named is ready in its present generation. Without names, all that there is.
  type: bool
  returned: success
  sample: true
node_classes:
  description: All node classes of the cluster.
  type: list
  elements: dict
  returned: success
  sample:
    - name: default
      ready: true
      reason: null
      ami_family: AL2023
      ami_release: v20261106
      ami_ids: [ami-0123456789abcdef0]
      ami_selector_terms: [{id: ami-0123456789abcdef0}]
      role: KarpenterNodeRole-demo
      instance_profile: null
node_pools:
  description: All node pools of the cluster, each with its disruption budgets and the hours in which these hold.
  type: list
  elements: dict
  returned: success
  sample:
    - name: default
      ready: true
      reason: null
      node_class: default
      limits: {cpu: 1000}
      weight: null
      budgets: [{nodes: "0", reasons: [], holds: "07:00-20:00 Mon-Fri UTC"}]
      nodes: 2
node_claims:
  description: Names of all NodeClaims.
  type: list
  elements: str
  returned: success
  sample: [default-x7k2p]
unpinned:
  description: Classes to be made for which O(node_classes[].ami_selector_terms) are missing. Then nothing was written.
  type: list
  elements: str
  returned: success
  sample: []
rescued:
  description: What a rescue has ended, by kind; empty without one.
  type: dict
  returned: success
  sample:
    instances: [i-0123456789abcdef0]
    nodes: [ip-10-0-1-23.us-west-2.compute.internal]
    finalizers: [NodeClaim/default-x7k2p]
    launch_templates: [karpenter.k8s.aws/1234]
    instance_profiles: [demo_1234]
plan:
  sample:
    - action: update
      kind: NodePool
      name: default
      before: {spec: {limits: {cpu: 1000}}}
      after: {spec: {limits: {cpu: 2000}}}
notices:
  description: Differences that this module reports and leaves alone, and what a forced removal or a rescue has done.
  sample:
    - >-
      Node class default selects release v20261106 (ami-0a), the inventory says release v20261120 (ami-0b):
      rotate_amis.yml moves it
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._core.errors import EksopsError
from ..module_utils._core.progress import Progress
from ..module_utils._core.result import failure
from ..module_utils._kubernetes.access import client_of
from ..module_utils._nodepools.access import cloud_of
from ..module_utils._nodepools.api import Api
from ..module_utils._nodepools.awsoptions import ARGUMENT_SPEC as AWS
from ..module_utils._nodepools.model import Request
from ..module_utils._nodepools.options import NODE_CLASSES, NODE_POOLS
from ..module_utils._nodepools.run import run

ARGUMENT_SPEC = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "kubeconfig": {"type": "path"},
    "context": {"type": "str"},
    "cluster_exists": {"type": "bool", "default": True},
    "cluster_name": {"type": "str"},
    "karpenter_version": {"type": "str", "default": "1.14.0"},
    "namespace": {"type": "str", "default": "kube-system"},
    "node_classes": NODE_CLASSES,
    "node_pools": NODE_POOLS,
    "unpinned_action": {"type": "str", "choices": ["fail", "report"], "default": "fail"},
    "purge": {"type": "bool", "default": False},
    "all": {"type": "bool", "default": False},
    "force_conflicts": {"type": "bool", "default": False},
    "force": {"type": "bool", "default": False},
    "drain_timeout_seconds": {"type": "int", "default": 300},
    "controller_absent_action": {"type": "str", "choices": ["fail", "rescue"], "default": "fail"},
    "wait": {"type": "bool", "default": True},
    "wait_timeout_seconds": {"type": "int", "default": 600},
    "progress_path": {"type": "path"},
    **AWS,
}


def main() -> None:
    """Run the module."""
    settings = {"required_if": [("cluster_exists", True, ["kubeconfig"])]}
    module = AnsibleModule(ARGUMENT_SPEC, supports_check_mode=True, **settings)
    options = module.params
    try:
        request = Request.from_params(options)
        api = Api(client_of(module), request.namespace) if options["cluster_exists"] else None
        progress = Progress(options["progress_path"])
        state, check_mode = options["state"], module.check_mode
        result = run(request, api, lambda: cloud_of(module), progress, state=state, check_mode=check_mode)
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
