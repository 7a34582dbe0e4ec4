#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module eks_access_entries."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: eks_access_entries
short_description: Create, change and delete access entries of an EKS cluster
version_added: 0.1.0
description:
  - Brings a list of access entries, which let IAM principals and nodes into a cluster, into the wanted state.
  - An entry of another type than the wanted one is an error, because EKS never changes the type, and nodes do not
    join by an entry of type V(STANDARD).
  - A purge can lock out its own caller.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  access_entries:
    description: The access entries.
    type: list
    elements: dict
    required: true
    suboptions:
      principal_arn:
        description: ARN of an IAM role or user. The ARN of a session is refused.
        type: str
        required: true
      type:
        description: V(STANDARD) for people and programs, V(EC2_LINUX) for the role of Linux nodes.
        type: str
        choices: [STANDARD, EC2_LINUX, EC2_WINDOWS, FARGATE_LINUX, HYBRID_LINUX, EC2]
        default: STANDARD
      kubernetes_groups:
        description: Kubernetes groups of the principal, all of them. Only with type V(STANDARD).
        type: list
        elements: str
      username:
        description: Kubernetes user name of the principal. Only with type V(STANDARD).
        type: str
      policies:
        description: Access policies of the principal, all of them. Not stated, they are left alone.
        type: list
        elements: dict
        suboptions:
          policy:
            description: Name or ARN of an access policy, such as V(AmazonEKSClusterAdminPolicy).
            type: str
            required: true
          namespaces:
            description: Namespaces for which it holds. Not stated, it holds for the whole cluster.
            type: list
            elements: str
      tags:
        description: Tags of the entry.
        type: dict
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
  - eksops.karpenter.eks.cluster
  - eksops.karpenter.eks.items
  - eksops.karpenter.attributes.writes
seealso:
  - module: eksops.karpenter.eks_cluster
  - name: EKS access entries
    description: What EKS says about access entries.
    link: https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
"""

EXAMPLES = r"""
- name: Let the nodes of Karpenter and the operators in
  eksops.karpenter.eks_access_entries:
    cluster_name: demo
    region: us-west-2
    access_entries:
      - principal_arn: arn:aws:iam::111122223333:role/KarpenterNodeRole-demo
        type: EC2_LINUX
      - principal_arn: arn:aws:iam::111122223333:role/operators
        policies:
          - policy: AmazonEKSClusterAdminPolicy
          - policy: AmazonEKSEditPolicy
            namespaces: [shop]
"""

RETURN = r"""
extends_documentation_fragment: [eksops.karpenter.results.planned]
access_entries:
  description: All access entries of the cluster as a last read describes them; in check mode also those that would be.
  type: list
  elements: dict
  returned: always
  sample:
    - principal_arn: arn:aws:iam::111122223333:role/KarpenterNodeRole-demo
      exists: true
      arn: arn:aws:eks:us-west-2:111122223333:access-entry/demo/role/111122223333/KarpenterNodeRole-demo/0a1b
      type: EC2_LINUX
      kubernetes_groups: [system:nodes]
      username: "system:node:{{EC2PrivateDNSName}}"
      policies: []
      tags: {}
      created_at: "2026-09-01T12:00:00+00:00"
      modified_at: "2026-09-01T12:00:00+00:00"
plan:
  sample:
    - action: create
      kind: AccessEntry
      name: arn:aws:iam::111122223333:role/KarpenterNodeRole-demo
      before: null
      after: {type: EC2_LINUX}
"""

from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module
from ..module_utils._core.errors import EksopsError
from ..module_utils._core.result import failure
from ..module_utils._eks.options import CLUSTER_OPTIONS, ITEMS_OPTIONS
from ..module_utils._eks_access_entries.api import AccessEntryApi
from ..module_utils._eks_access_entries.run import AccessEntriesRun

POLICY_OPTIONS = {"policy": {"type": "str", "required": True}, "namespaces": {"type": "list", "elements": "str"}}
TYPES = ["STANDARD", "EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "HYBRID_LINUX", "EC2"]
ENTRY_OPTIONS = {
    "principal_arn": {"type": "str", "required": True},
    "type": {"type": "str", "choices": TYPES, "default": "STANDARD"},
    "kubernetes_groups": {"type": "list", "elements": "str"},
    "username": {"type": "str"},
    "policies": {"type": "list", "elements": "dict", "options": POLICY_OPTIONS},
    "tags": {"type": "dict"},
}
ARGUMENT_SPEC = {
    "access_entries": {"type": "list", "elements": "dict", "required": True, "options": ENTRY_OPTIONS},
    **CLUSTER_OPTIONS,
    **ITEMS_OPTIONS,
}


def main() -> None:
    """Entry point."""
    module = aws_module(ARGUMENT_SPEC)
    try:
        params = module.params
        eks = Aws(module).client("eks")
        api = AccessEntryApi(eks, params["cluster_name"])
        run = AccessEntriesRun(params["access_entries"], api, eks.partition)
        result = run.run(params["state"], purge=params["purge"], check_mode=module.check_mode)
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
