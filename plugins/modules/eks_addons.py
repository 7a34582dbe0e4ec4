#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module eks_addons."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: eks_addons
short_description: Create, change and delete add-ons of an EKS cluster
version_added: 0.1.0
description:
  - Brings a list of EKS add-ons into the wanted state and waits for them.
  - Versions are found by DescribeAddonVersions for the cluster's Kubernetes version, and used at the creation alone.
    A later difference is a notice and never a write, playbook upgrade_cluster.yml moves it.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  addons:
    description: The add-ons.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the add-on.
        type: str
        required: true
      version:
        description: V(default) is AWS's choice for the Kubernetes version, V(latest) the newest; or an exact version.
        type: str
        default: default
      configuration_values:
        description: Settings of the add-on, compared by meaning. Not stated, they are left alone.
        type: dict
      resolve_conflicts:
        description: What becomes of fields of the add-on's objects that someone else has set.
        type: str
        choices: [OVERWRITE, NONE, PRESERVE]
        default: OVERWRITE
      service_account_role_arn:
        description: Role of the add-on's service account.
        type: str
      tags:
        description: Tags of the add-on.
        type: dict
  kubernetes_version:
    description: Kubernetes minor version, as quoted text, to predict versions in check mode without a cluster.
    type: raw
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
  - eksops.karpenter.eks.cluster
  - eksops.karpenter.eks.items
  - eksops.karpenter.eks.wait
  - eksops.karpenter.attributes.writes
seealso:
  - module: eksops.karpenter.eks_cluster
  - name: EKS API
    description: What EKS says about add-ons.
    link: https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAddon.html
"""

EXAMPLES = r"""
- name: What every node needs, and pod identity
  eksops.karpenter.eks_addons:
    cluster_name: demo
    region: us-west-2
    addons:
      - name: vpc-cni
      - name: kube-proxy
      - name: coredns
        configuration_values:
          replicaCount: 2
      - name: eks-pod-identity-agent
        version: latest

- name: Delete all add-ons
  eksops.karpenter.eks_addons:
    cluster_name: demo
    region: us-west-2
    addons: []
    state: absent
    purge: true
"""

RETURN = r"""
extends_documentation_fragment: [eksops.karpenter.results.planned]
addons:
  description: All add-ons of the cluster as a last read describes them; in check mode also those that would be.
  type: list
  elements: dict
  returned: always
  sample:
    - name: vpc-cni
      exists: true
      arn: arn:aws:eks:us-west-2:111122223333:addon/demo/vpc-cni/0a1b
      status: ACTIVE
      version: v1.21.1-eksbuild.3
      configuration_values: null
      service_account_role_arn: null
      tags: {}
      health_issues: []
      created_at: "2026-09-01T12:00:00+00:00"
      modified_at: "2026-09-01T12:01:00+00:00"
plan:
  sample:
    - action: create
      kind: Addon
      name: vpc-cni
      before: null
      after: {addonVersion: v1.21.1-eksbuild.3, resolveConflicts: OVERWRITE}
"""

from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module
from ..module_utils._core.errors import EksopsError
from ..module_utils._core.result import failure
from ..module_utils._eks.common import kubernetes_version
from ..module_utils._eks.options import CLUSTER_OPTIONS, ITEMS_OPTIONS, WAIT_OPTIONS, waiting
from ..module_utils._eks_addons.api import AddonApi
from ..module_utils._eks_addons.model import AddonSpec
from ..module_utils._eks_addons.run import AddonsRun

ADDON_OPTIONS = {
    "name": {"type": "str", "required": True},
    "version": {"type": "str", "default": "default"},
    "configuration_values": {"type": "dict"},
    "resolve_conflicts": {"type": "str", "choices": ["OVERWRITE", "NONE", "PRESERVE"], "default": "OVERWRITE"},
    "service_account_role_arn": {"type": "str"},
    "tags": {"type": "dict"},
}
ARGUMENT_SPEC = {
    "addons": {"type": "list", "elements": "dict", "required": True, "options": ADDON_OPTIONS},
    "kubernetes_version": {"type": "raw"},
    **CLUSTER_OPTIONS,
    **ITEMS_OPTIONS,
    **WAIT_OPTIONS,
}


def main() -> None:
    """Entry point."""
    module = aws_module(ARGUMENT_SPEC)
    try:
        params = module.params
        specs = AddonSpec.many(params["addons"])
        version = kubernetes_version(params["kubernetes_version"])
        api = AddonApi(Aws(module).client("eks"), params["cluster_name"])
        run = AddonsRun(specs, api, waiting(params), version)
        result = run.run(params["state"], purge=params["purge"], check_mode=module.check_mode)
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
