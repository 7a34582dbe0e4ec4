#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module eks_nodegroup."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: eks_nodegroup
short_description: Create, change and delete a managed node group of an EKS cluster
version_added: 0.1.0
description:
  - Brings a managed node group into the wanted state and waits for it. Failures are told with EKS's health issues.
  - What is not stated is left alone. What EKS never changes is an error when it differs.
  - A difference in the AMI release is a notice and never a write, playbook rotate_amis.yml moves it.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  name:
    description: Name of the node group.
    type: str
    required: true
  state:
    description: Whether the node group is to be there. The deletion is waited for until the group is gone.
    type: str
    choices: [present, absent]
    default: present
  node_role_arn:
    description: ARN of the nodes' role. Needed for the creation, never changed by EKS.
    type: str
  subnet_ids:
    description: Subnets of the nodes. Needed for the creation, never changed by EKS.
    type: list
    elements: str
  instance_types:
    description: Instance types, never changed by EKS.
    type: list
    elements: str
  ami_type:
    description: Family, architecture and variant of the nodes' image, never changed by EKS.
    type: str
    default: AL2023_x86_64_STANDARD
  capacity_type:
    description: How capacity is bought, never changed by EKS.
    type: str
    choices: [ON_DEMAND, SPOT]
  disk_size_gib:
    description: Size of the root volume in GiB, never changed by EKS.
    type: int
  min_size:
    description: Least number of nodes.
    type: int
  max_size:
    description: Greatest number of nodes.
    type: int
  desired_size:
    description: Number of nodes. Not stated, it is only moved into new bounds.
    type: int
  labels:
    description: All labels that EKS gives to the nodes.
    type: dict
  taints:
    description: All taints that EKS gives to the nodes.
    type: list
    elements: dict
    suboptions:
      key:
        description: Key of the taint.
        type: str
        required: true
      value:
        description: Value of the taint.
        type: str
      effect:
        description: Effect of the taint, as EKS spells it.
        type: str
        required: true
        choices: [NO_SCHEDULE, NO_EXECUTE, PREFER_NO_SCHEDULE]
  max_unavailable:
    description: How many nodes an update may replace at a time.
    type: int
  max_unavailable_percentage:
    description: How many percent of the nodes an update may replace at a time.
    type: int
  release_version:
    description: Release of the EKS image, such as V(1.36.1-20260901). Used at the creation, only compared later.
    type: str
  tags:
    description: Tags of the node group. They do not reach its instances.
    type: dict
  purge_tags:
    description: Whether tags of the node group that are not in O(tags) are removed.
    type: bool
    default: false
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
  - eksops.karpenter.eks.cluster
  - eksops.karpenter.eks.wait
  - eksops.karpenter.eks.progress
  - eksops.karpenter.attributes.writes
seealso:
  - module: eksops.karpenter.eks_cluster
  - name: EKS API
    description: What EKS says about node groups.
    link: https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html
"""

EXAMPLES = r"""
- name: Two nodes for the system's pods
  eksops.karpenter.eks_nodegroup:
    cluster_name: demo
    name: demo-system
    region: us-west-2
    node_role_arn: arn:aws:iam::111122223333:role/EksNode-demo
    subnet_ids: [subnet-0a1, subnet-0b2]
    instance_types: [m5.large]
    min_size: 1
    desired_size: 2
    max_size: 10
    labels:
      eksops.io/node-group: system

- name: Delete it again
  eksops.karpenter.eks_nodegroup:
    cluster_name: demo
    name: demo-system
    region: us-west-2
    state: absent
"""

RETURN = r"""
extends_documentation_fragment: [eksops.karpenter.results.planned]
exists:
  description: Whether there is a node group now, at the end of the run.
  type: bool
  returned: always
  sample: true
nodegroup:
  description: The node group as a last read describes it; in check mode, what would be. Unknown values are null.
  type: dict
  returned: always
  sample:
    cluster_name: demo
    name: demo-system
    exists: true
    arn: arn:aws:eks:us-west-2:111122223333:nodegroup/demo/demo-system/0a1b
    status: ACTIVE
    kubernetes_version: "1.36"
    release_version: 1.36.1-20260901
    node_role_arn: arn:aws:iam::111122223333:role/EksNode-demo
    subnet_ids: [subnet-0a1, subnet-0b2]
    instance_types: [m5.large]
    ami_type: AL2023_x86_64_STANDARD
    capacity_type: ON_DEMAND
    disk_size_gib: 20
    min_size: 1
    max_size: 10
    desired_size: 2
    labels: {eksops.io/node-group: system}
    taints: []
    max_unavailable: 1
    max_unavailable_percentage: null
    autoscaling_groups: [eks-demo-system-0a1b]
    tags: {}
    health_issues: []
    created_at: "2026-09-01T12:00:00+00:00"
    modified_at: "2026-09-01T12:05:00+00:00"
plan:
  sample:
    - action: update
      kind: NodegroupConfigUpdate
      name: demo-system
      before: {scalingConfig: {minSize: 1, maxSize: 10, desiredSize: 2}}
      after: {scalingConfig: {minSize: 1, maxSize: 10, desiredSize: 3}}
"""

from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module
from ..module_utils._core.errors import EksopsError
from ..module_utils._core.progress import Progress
from ..module_utils._core.result import failure
from ..module_utils._eks.options import CLUSTER_OPTIONS, PROGRESS_OPTIONS, WAIT_OPTIONS, waiting
from ..module_utils._eks_nodegroup.api import NodegroupApi
from ..module_utils._eks_nodegroup.model import NodegroupSpec
from ..module_utils._eks_nodegroup.run import NodegroupRun

TAINT_OPTIONS = {
    "key": {"type": "str", "required": True, "no_log": False},
    "value": {"type": "str"},
    "effect": {"type": "str", "required": True, "choices": ["NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE"]},
}
ARGUMENT_SPEC = {
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "node_role_arn": {"type": "str"},
    "subnet_ids": {"type": "list", "elements": "str"},
    "instance_types": {"type": "list", "elements": "str"},
    "ami_type": {"type": "str", "default": "AL2023_x86_64_STANDARD"},
    "capacity_type": {"type": "str", "choices": ["ON_DEMAND", "SPOT"]},
    "disk_size_gib": {"type": "int"},
    "min_size": {"type": "int"},
    "max_size": {"type": "int"},
    "desired_size": {"type": "int"},
    "labels": {"type": "dict"},
    "taints": {"type": "list", "elements": "dict", "options": TAINT_OPTIONS},
    "max_unavailable": {"type": "int"},
    "max_unavailable_percentage": {"type": "int"},
    "release_version": {"type": "str"},
    "tags": {"type": "dict"},
    "purge_tags": {"type": "bool", "default": False},
    **CLUSTER_OPTIONS,
    **WAIT_OPTIONS,
    **PROGRESS_OPTIONS,
}


def main() -> None:
    """Entry point."""
    module = aws_module(ARGUMENT_SPEC)
    try:
        params = module.params
        spec = NodegroupSpec.from_params(params)
        progress = Progress(params["progress_path"])
        api = NodegroupApi(Aws(module).client("eks"), spec.cluster_name)
        run = NodegroupRun(spec, api, waiting(params, progress), progress)
        result = run.run(params["state"], check_mode=module.check_mode)
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
