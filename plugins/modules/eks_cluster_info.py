#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module eks_cluster_info."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: eks_cluster_info
short_description: Read EKS clusters with everything that belongs to them
version_added: 0.1.0
description:
  - Reads one cluster, or all of the region, with node groups, add-ons, access entries and pod identity associations,
    in the same form in which the writing modules return them.
  - With O(wanted) it also tells, from the same read, which of the writing modules would do something. They may be
    left out where RV(plans) says that they are not needed.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  name:
    description: Name of the cluster. Not stated, all clusters of the region are read.
    type: str
  wanted:
    description:
      - What the cluster should be, in the options of the writing modules. Needs O(name).
      - Known keys are C(cluster) (options of M(eksops.karpenter.eks_cluster)), C(nodegroups) (a list of options of
        M(eksops.karpenter.eks_nodegroup)), C(addons), C(access_entries) and C(pod_identity_associations) (the lists
        of M(eksops.karpenter.eks_addons), M(eksops.karpenter.eks_access_entries) and
        M(eksops.karpenter.eks_pod_identity_associations)). A part that is not stated is not compared.
      - What those modules would refuse is an error here.
    type: dict
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
  - eksops.karpenter.attributes.reads
attributes:
  idempotent:
    description: Returns the same as long as the clusters stay the same.
    support: full
seealso:
  - module: eksops.karpenter.eks_cluster
"""

EXAMPLES = r"""
- name: Everything about one cluster
  eksops.karpenter.eks_cluster_info:
    name: demo
    region: us-west-2
  register: found

- name: Would eks_addons do anything
  eksops.karpenter.eks_cluster_info:
    name: demo
    region: us-west-2
    wanted:
      addons:
        - name: vpc-cni
  register: compared
"""

RETURN = r"""
clusters:
  description: The clusters; an empty list when there is none of that name.
  type: list
  elements: dict
  returned: always
  contains:
    nodegroups:
      description: As M(eksops.karpenter.eks_nodegroup) returns them.
      type: list
      elements: dict
    addons:
      description: As M(eksops.karpenter.eks_addons) returns them.
      type: list
      elements: dict
    access_entries:
      description: As M(eksops.karpenter.eks_access_entries) returns them.
      type: list
      elements: dict
    pod_identity_associations:
      description: As M(eksops.karpenter.eks_pod_identity_associations) returns them.
      type: list
      elements: dict
  sample:
    - name: demo
      arn: arn:aws:eks:us-west-2:111122223333:cluster/demo
      status: ACTIVE
      kubernetes_version: "1.36"
      nodegroups: []
      addons: []
      access_entries: []
      pod_identity_associations: []
plans:
  description:
    - Per part of O(wanted), what its module would do. Null without O(wanted).
    - The keys are C(cluster), C(nodegroups), C(addons), C(access_entries) and C(pod_identity_associations).
  type: dict
  returned: always
  sample:
    addons:
      would_change: true
      needed: true
      waiting_for: []
      plan:
        - {action: create, kind: Addon, name: vpc-cni, before: null, after: {resolveConflicts: OVERWRITE}}
      notices: []
"""

from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module
from ..module_utils._core.errors import EksopsError
from ..module_utils._core.result import failure
from ..module_utils._eks_cluster_info.run import run

ARGUMENT_SPEC = {"name": {"type": "str"}, "wanted": {"type": "dict"}}


def main() -> None:
    """Entry point."""
    module = aws_module(ARGUMENT_SPEC, required_by={"wanted": ("name",)})
    try:
        aws = Aws(module)
        result = run(aws, module.params["name"], module.params["wanted"], aws.client("eks").partition)
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
