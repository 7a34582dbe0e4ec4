#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module eks_leftovers_info."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: eks_leftovers_info
short_description: Find what is left of an EKS cluster with Karpenter
version_added: 0.1.0
description:
  - Looks for everything that a tag, a name, a path or a target links to a cluster. That is EC2 resources of every type,
    instance profiles, roles, policies, the interruption queue and its rules, the collection's stacks and the cluster,
    load balancers with their target groups, and the identity provider of the cluster's issuer.
  - The log group of the control plane, which AWS keeps without its cluster, is told in RV(kept) and is no leftover.
  - A listing that is denied is told in RV(unread), and the answer then counts as incomplete, not as clean.
  - The service-linked role of Spot belongs to the account and is not looked for.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  cluster_name:
    description: Name of the cluster. It need not exist any more.
    type: str
    required: true
  oidc_issuer:
    description:
      - The cluster's OIDC issuer, which M(eksops.karpenter.eks_cluster_info) tells while the cluster exists.
      - Without it, the identity provider of a cluster that is gone is only found by its tags.
    type: str
  ignored:
    description: Ids, ARNs or names of things that are to stay.
    type: list
    elements: str
    default: []
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
  - eksops.karpenter.attributes.reads
attributes:
  idempotent:
    description: Returns the same as long as the account stays the same.
    support: full
"""

EXAMPLES = r"""
- name: Look for what is left of a cluster
  eksops.karpenter.eks_leftovers_info:
    cluster_name: demo
  register: sweep

- name: Show it
  ansible.builtin.debug:
    msg: "{{ sweep.report }}"
"""

RETURN = r"""
cluster_name:
  description: Name of the cluster.
  type: str
  returned: success
  sample: demo
region:
  description: The region that was searched.
  type: str
  returned: success
  sample: us-west-2
account_id:
  description: The account that was searched.
  type: str
  returned: success
  sample: "111122223333"
leftovers:
  description: What is left.
  type: list
  elements: dict
  returned: success
  contains:
    kind:
      description: What it is, such as instance, launch-template, volume, instance-profile, iam-role, load-balancer.
      type: str
    id:
      description: Id, ARN or URL.
      type: str
    name:
      description: Name, where it has one.
      type: str
    state:
      description: State, where it has one.
      type: str
    why:
      description: What links it to the cluster.
      type: str
    owned:
      description: Whether it exists for the cluster alone.
      type: bool
    karpenter:
      description: Whether its tags or its path prove that Karpenter made it for this cluster.
      type: bool
    remedy:
      description: How to get rid of it.
      type: str
  sample: []
kept:
  description: What AWS keeps by design when it deletes a cluster, which is the control plane's log group. Same keys.
  type: list
  elements: dict
  returned: success
  sample:
    - kind: log-group
      id: /aws/eks/demo/cluster
      name: /aws/eks/demo/cluster
      state: 1024 bytes, entries kept for ever
      why: its name
      owned: true
      karpenter: false
      remedy: aws logs delete-log-group --log-group-name /aws/eks/demo/cluster, once nobody needs the logs
marked:
  description: Things of others, such as given subnets, that still carry a tag with the cluster's name. Same keys.
  type: list
  elements: dict
  returned: success
  sample: []
unread:
  description: What could not be listed, and why.
  type: list
  elements: dict
  returned: success
  sample: []
complete:
  description: Whether everything could be listed.
  type: bool
  returned: success
  sample: true
clean:
  description: Whether it is proved that nothing is left.
  type: bool
  returned: success
  sample: true
counts:
  description: Number of leftovers by kind.
  type: dict
  returned: success
  sample: {}
report:
  description: The same as text.
  type: str
  returned: success
  sample: Nothing is left of cluster demo in account 111122223333, us-west-2.
"""

from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module, failure
from ..module_utils._core.errors import EksopsError
from ..module_utils._leftovers.run import run

ARGUMENT_SPEC = {
    "cluster_name": {"type": "str", "required": True},
    "oidc_issuer": {"type": "str"},
    "ignored": {"type": "list", "elements": "str", "default": []},
}


def main() -> None:
    """Run the module."""
    module = aws_module(ARGUMENT_SPEC)
    try:
        options = module.params
        result = run(Aws(module), options["cluster_name"], options["ignored"], options["oidc_issuer"])
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(changed=False, **result)


if __name__ == "__main__":
    main()
