#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module eks_cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: eks_cluster
short_description: Create, change and delete the control plane of an EKS cluster
version_added: 0.1.0
description:
  - Brings the control plane of an EKS cluster into the wanted state and waits for it.
  - A cluster that exists is found, not made twice; one that is being created by an interrupted run is waited for.
  - What is not stated is left alone. What EKS never changes is an error when it differs.
  - A difference in the Kubernetes version is a notice and never a write, playbook upgrade_cluster.yml moves it.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  name:
    description: Name of the cluster.
    type: str
    required: true
  state:
    description: Whether the cluster is to be there. Its node groups have to be gone before it can be deleted.
    type: str
    choices: [present, absent]
    default: present
  kubernetes_version:
    description:
      - Kubernetes minor version as quoted text, such as V(1.36).
      - A number is refused, because YAML reads 1.30 as 1.3.
      - Needed for the creation, only compared later.
    type: raw
  role_arn:
    description: ARN of the cluster role. Needed for the creation, never changed by EKS.
    type: str
  subnet_ids:
    description: Subnets of the control plane's network interfaces, in at least two zones. Needed for the creation.
    type: list
    elements: str
  security_group_ids:
    description: Security groups of the control plane besides the one that EKS makes.
    type: list
    elements: str
  endpoint_public_access:
    description: Whether the endpoint can be reached from the internet.
    type: bool
  endpoint_private_access:
    description: Whether the endpoint can be reached inside of the VPC.
    type: bool
  public_access_cidrs:
    description: Networks that may reach the public endpoint.
    type: list
    elements: str
  authentication_mode:
    description:
      - How IAM principals get in. V(API) at the creation when not stated.
      - EKS changes it only in the order of the choices. This is done, step by step, when it is stated.
    type: str
    choices: [CONFIG_MAP, API_AND_CONFIG_MAP, API]
  bootstrap_cluster_creator_admin_permissions:
    description: Whether the creation makes its caller an administrator of the cluster. Only used at the creation.
    type: bool
    default: true
  bootstrap_self_managed_addons:
    description:
      - Whether the creation installs vpc-cni, kube-proxy and coredns outside of EKS add-ons.
      - Only used at the creation.
    type: bool
    default: false
  service_ipv4_cidr:
    description: Network of the cluster's services. Chosen by EKS at the creation when not stated, never changed.
    type: str
  zonal_shift:
    description: Whether Application Recovery Controller may shift traffic away from a zone.
    type: bool
  logging_types:
    description: Logs that the control plane sends to CloudWatch; all others are switched off.
    type: list
    elements: str
    choices: [api, audit, authenticator, controllerManager, scheduler]
  support_type:
    description: What happens at the end of standard support, an upgrade or extended support, which costs more.
    type: str
    choices: [STANDARD, EXTENDED]
  deletion_protection:
    description:
      - Whether EKS refuses to delete the cluster.
      - With O(state=absent), V(false) takes the protection off first; otherwise a protected cluster is an error.
    type: bool
  tags:
    description: Tags of the cluster.
    type: dict
  purge_tags:
    description: Whether tags of the cluster that are not in O(tags) are removed.
    type: bool
    default: false
  discovery_tags:
    description:
      - Tags for the cluster's security group and for O(discovery_subnet_ids), by which node classes find them.
      - They are set by EC2, and taken off the subnets with O(state=absent).
    type: dict
  discovery_subnet_ids:
    description: Subnets that carry O(discovery_tags).
    type: list
    elements: str
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
  - eksops.karpenter.eks.wait
  - eksops.karpenter.eks.progress
  - eksops.karpenter.attributes.writes
seealso:
  - module: eksops.karpenter.eks_cluster_info
  - module: eksops.karpenter.eks_nodegroup
  - name: EKS API
    description: What EKS says about clusters.
    link: https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html
"""

EXAMPLES = r"""
- name: A cluster in three subnets, found by Karpenter through tags
  eksops.karpenter.eks_cluster:
    name: demo
    region: us-west-2
    kubernetes_version: "1.36"
    role_arn: arn:aws:iam::111122223333:role/EksCluster-demo
    subnet_ids: [subnet-0a1, subnet-0b2, subnet-0c3]
    endpoint_private_access: true
    zonal_shift: true
    tags:
      environment: dev
    discovery_tags:
      karpenter.sh/discovery: demo
    discovery_subnet_ids: [subnet-0a1, subnet-0b2, subnet-0c3]

- name: Delete the cluster, protected or not
  eksops.karpenter.eks_cluster:
    name: demo
    region: us-west-2
    state: absent
    deletion_protection: false
"""

RETURN = r"""
extends_documentation_fragment: [eksops.karpenter.results.planned]
exists:
  description: Whether there is a cluster now, at the end of the run.
  type: bool
  returned: always
  sample: true
cluster:
  description: The cluster as a last read describes it; in check mode, what would be. Unknown values are null.
  type: dict
  returned: always
  sample:
    name: demo
    exists: true
    arn: arn:aws:eks:us-west-2:111122223333:cluster/demo
    account_id: "111122223333"
    partition: aws
    region: us-west-2
    status: ACTIVE
    kubernetes_version: "1.36"
    platform_version: eks.3
    endpoint: https://0A1B2C3D4E5F60718293A4B5C6D7E8F9.gr7.us-west-2.eks.amazonaws.com
    certificate_authority_data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t
    oidc_issuer: https://oidc.eks.us-west-2.amazonaws.com/id/0A1B2C3D4E5F60718293A4B5C6D7E8F9
    role_arn: arn:aws:iam::111122223333:role/EksCluster-demo
    vpc_id: vpc-0a1
    subnet_ids: [subnet-0a1, subnet-0b2]
    security_group_ids: []
    cluster_security_group_id: sg-0a1
    endpoint_public_access: true
    endpoint_private_access: true
    public_access_cidrs: [0.0.0.0/0]
    service_ipv4_cidr: 10.100.0.0/16
    ip_family: ipv4
    authentication_mode: API
    logging_types: []
    support_type: EXTENDED
    zonal_shift: true
    deletion_protection: false
    tags: {environment: dev}
    health_issues: []
    created_at: "2026-09-01T12:00:00+00:00"
plan:
  sample:
    - {action: update, kind: ZonalShiftConfigUpdate, name: demo, before: false, after: true}
"""

from functools import partial

from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module
from ..module_utils._core.errors import EksopsError
from ..module_utils._core.progress import Progress
from ..module_utils._core.result import failure
from ..module_utils._eks.options import PROGRESS_OPTIONS, WAIT_OPTIONS, waiting
from ..module_utils._eks_cluster.api import ClusterApi
from ..module_utils._eks_cluster.model import ClusterSpec
from ..module_utils._eks_cluster.run import ClusterRun

ARGUMENT_SPEC = {
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "kubernetes_version": {"type": "raw"},
    "role_arn": {"type": "str"},
    "subnet_ids": {"type": "list", "elements": "str"},
    "security_group_ids": {"type": "list", "elements": "str"},
    "endpoint_public_access": {"type": "bool"},
    "endpoint_private_access": {"type": "bool"},
    "public_access_cidrs": {"type": "list", "elements": "str"},
    "authentication_mode": {"type": "str", "choices": ["CONFIG_MAP", "API_AND_CONFIG_MAP", "API"]},
    "bootstrap_cluster_creator_admin_permissions": {"type": "bool", "default": True},
    "bootstrap_self_managed_addons": {"type": "bool", "default": False},
    "service_ipv4_cidr": {"type": "str"},
    "zonal_shift": {"type": "bool"},
    "logging_types": {
        "type": "list",
        "elements": "str",
        "choices": ["api", "audit", "authenticator", "controllerManager", "scheduler"],
    },
    "support_type": {"type": "str", "choices": ["STANDARD", "EXTENDED"]},
    "deletion_protection": {"type": "bool"},
    "tags": {"type": "dict"},
    "purge_tags": {"type": "bool", "default": False},
    "discovery_tags": {"type": "dict"},
    "discovery_subnet_ids": {"type": "list", "elements": "str"},
    **WAIT_OPTIONS,
    **PROGRESS_OPTIONS,
}


def main() -> None:
    """Entry point."""
    module = aws_module(ARGUMENT_SPEC)
    try:
        params, aws = module.params, Aws(module)
        spec = ClusterSpec.from_params(params)
        progress = Progress(params["progress_path"])
        api = ClusterApi(aws.client("eks"), spec.name, partial(aws.client, "ec2"))
        run = ClusterRun(spec, api, waiting(params, progress), progress)
        result = run.run(params["state"], check_mode=module.check_mode)
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
