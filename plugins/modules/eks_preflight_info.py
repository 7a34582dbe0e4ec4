#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module eks_preflight_info."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: eks_preflight_info
short_description: Check everything that can be checked before a cluster is made
version_added: 0.1.0
description:
  - Checks tools, Python libraries, versions, names, tags, policy sizes, the place of the kubeconfig, node pools and
    classes, region, credentials, account, inventory, variables and an existing cluster, and returns all findings of
    one run together.
  - What needs no credentials is checked without them; trouble with credentials is a finding of its own.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  cluster_name:
    description: Name of the cluster.
    type: str
    required: true
  kubernetes_version:
    description: Kubernetes minor version as text, such as V("1.36").
    type: raw
    required: true
  karpenter_version:
    description: Karpenter release as text, such as V("1.14.0").
    type: raw
    required: true
  ami_families:
    description: Families of the images that node classes use.
    type: list
    elements: str
    default: [al2023]
  expected_account_id:
    description: The account that the credentials have to lead to.
    type: raw
  tools:
    description: The tools that the chosen path runs.
    type: list
    elements: str
    default: [helm]
  binary_dir:
    description: Folder that is searched for tools before PATH.
    type: path
  python_libraries:
    description: The Python libraries that the chosen path imports.
    type: list
    elements: str
    choices: [boto3, botocore, kubernetes, PyYAML]
    default: [boto3, botocore, kubernetes, PyYAML]
  given_layers:
    description: Layers that somebody else makes, so that their names are not made of the cluster's name.
    type: list
    elements: str
    choices: [karpenter_iam, eks_network, eks_cluster]
    default: []
  tags:
    description: Tags of everything that is made.
    type: dict
    default: {}
  kubeconfig:
    description: Where the kubeconfig is to be written. Left out or empty, it is not checked.
    type: path
  node_classes:
    description:
      - Node classes as module M(eksops.karpenter.karpenter_nodepools) takes them.
      - One with C(unknown_reason) is not checked.
    type: list
    elements: raw
    default: []
  node_pools:
    description:
      - Node pools as module M(eksops.karpenter.karpenter_nodepools) takes them.
      - One with C(unknown_reason) is not checked.
    type: list
    elements: raw
    default: []
  pin:
    description: The images that node classes without C(ami_selector_terms) get when they are made.
    type: dict
    suboptions:
      family:
        description: Family of the images, as in an EC2NodeClass.
        type: str
      release:
        description: V(latest), or a dated release.
        type: str
        default: latest
      architectures:
        description: Architectures of the images, as Kubernetes calls them.
        type: list
        elements: str
        default: []
  host:
    description: The inventory host that stands for the cluster.
    type: str
  inventory_hosts:
    description: All hosts that stand for clusters, to find two for one cluster.
    type: list
    elements: dict
    default: []
    suboptions:
      host:
        description: Inventory host.
        type: str
        required: true
      cluster_name:
        description: Name of its cluster.
        type: str
      region:
        description: Region of its cluster.
        type: str
      account:
        description: Its expected account.
        type: str
      profile:
        description: Its AWS profile.
        type: str
  variable_names:
    description: The names of all variables of the host. Values are not looked at.
    type: list
    elements: str
    default: []
  roles_path:
    description: Folder of the collection's roles, whose argument specifications tell the known variables.
    type: path
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
  - eksops.karpenter.attributes.reads
attributes:
  idempotent:
    description: Returns the same as long as inputs and account stay the same.
    support: full
"""

EXAMPLES = r"""
- name: Check what can be checked
  eksops.karpenter.eks_preflight_info:
    cluster_name: demo
    kubernetes_version: "1.36"
    karpenter_version: "1.14.0"
    expected_account_id: "111122223333"
  register: preflight

- name: Show the findings
  ansible.builtin.debug:
    msg: "{{ preflight.report }}"
"""

RETURN = r"""
passed:
  description: Whether there is no error. Warnings do not count.
  type: bool
  returned: always
  sample: true
findings:
  description: All findings, with check, severity (error or warning), what, where, allowed and next_step.
  type: list
  elements: dict
  returned: always
  sample: []
error_count:
  description: Number of errors.
  type: int
  returned: always
  sample: 0
warning_count:
  description: Number of warnings.
  type: int
  returned: always
  sample: 0
skipped_checks:
  description: What was not checked, and why.
  type: list
  elements: str
  returned: always
  sample: []
report:
  description: All findings as text.
  type: str
  returned: always
  sample: "Preflight of cluster demo: no errors, no warnings."
facts:
  description:
    - What the checks found out. Keys are tools, python, names, region, partition, identity, cluster, spot_role_arn,
      kubernetes_version and karpenter_version.
  type: dict
  returned: always
  sample: {region: us-west-2, partition: aws}
"""

from ..module_utils._aws.module import aws_module
from ..module_utils._preflight.run import run

HOST = {
    "host": {"type": "str", "required": True},
    "cluster_name": {"type": "str"},
    "region": {"type": "str"},
    "account": {"type": "str"},
    "profile": {"type": "str"},
}
PIN = {
    "family": {"type": "str"},
    "release": {"type": "str", "default": "latest"},
    "architectures": {"type": "list", "elements": "str", "default": []},
}
LIBRARIES = ["boto3", "botocore", "kubernetes", "PyYAML"]
LAYERS = ["karpenter_iam", "eks_network", "eks_cluster"]
ARGUMENT_SPEC = {
    "cluster_name": {"type": "str", "required": True},
    "kubernetes_version": {"type": "raw", "required": True},
    "karpenter_version": {"type": "raw", "required": True},
    "ami_families": {"type": "list", "elements": "str", "default": ["al2023"]},
    "expected_account_id": {"type": "raw"},
    "tools": {"type": "list", "elements": "str", "default": ["helm"]},
    "binary_dir": {"type": "path"},
    "python_libraries": {"type": "list", "elements": "str", "choices": LIBRARIES, "default": LIBRARIES},
    "given_layers": {"type": "list", "elements": "str", "choices": LAYERS, "default": []},
    "tags": {"type": "dict", "default": {}},
    "kubeconfig": {"type": "path"},
    "node_classes": {"type": "list", "elements": "raw", "default": []},
    "node_pools": {"type": "list", "elements": "raw", "default": []},
    "pin": {"type": "dict", "options": PIN},
    "host": {"type": "str"},
    "inventory_hosts": {"type": "list", "elements": "dict", "default": [], "options": HOST},
    "variable_names": {"type": "list", "elements": "str", "default": []},
    "roles_path": {"type": "path"},
}


def main() -> None:
    """Run the module."""
    module = aws_module(ARGUMENT_SPEC)
    module.exit_json(changed=False, **run(module, module.run_command))


if __name__ == "__main__":
    main()
