#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module karpenter_iam_info."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: karpenter_iam_info
short_description: Read Karpenter's roles, policies, interruption queue and rules
version_added: 0.1.0
description:
  - Reads from IAM, SQS and EventBridge themselves what Karpenter needs there, whoever has made it, and tells what is
    missing or wrong, and what would keep it from being deleted.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  cluster_name:
    description: Name of the cluster.
    type: str
    required: true
  node_role_name:
    description: Name of the node role. By default C(KarpenterNodeRole-) and the cluster's name.
    type: str
  controller_role_name:
    description: Name of the controller's role. By default the cluster's name and C(-karpenter).
    type: str
  queue_name:
    description: Name of the interruption queue. By default the cluster's name.
    type: str
  managed:
    description: Whether the six policies of the collection's own template are expected too.
    type: bool
    default: true
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
- name: Look at Karpenter's roles and queue
  eksops.karpenter.karpenter_iam_info:
    cluster_name: demo
  register: iam
"""

RETURN = r"""
exists:
  description: Whether any part is there.
  type: bool
  returned: success
  sample: true
complete:
  description: Whether everything is there and right.
  type: bool
  returned: success
  sample: true
problems:
  description: What keeps Karpenter from working, one sentence each.
  type: list
  elements: str
  returned: success
  sample: []
obstacles:
  description: What would keep the parts from being deleted and is not Karpenter's own, one sentence each.
  type: list
  elements: str
  returned: success
  sample: []
node_role:
  description: The node role with name, arn, trusted_services and attached_policies; null without one.
  type: dict
  returned: success
  sample: {name: KarpenterNodeRole-demo, arn: "arn:aws:iam::111122223333:role/KarpenterNodeRole-demo"}
controller_role:
  description: The controller's role, same keys; null without one.
  type: dict
  returned: success
  sample: {name: demo-karpenter, arn: "arn:aws:iam::111122223333:role/demo-karpenter"}
policies:
  description: The controller policies that are there, with name, arn and holders.
  type: list
  elements: dict
  returned: success
  sample: []
instance_profiles:
  description: Profiles of the cluster or with its node role, with name, arn, path, roles and own.
  type: list
  elements: dict
  returned: success
  sample: []
queue:
  description: The queue with name, url and arn; null without one.
  type: dict
  returned: success
  sample: {name: demo, arn: "arn:aws:sqs:us-west-2:111122223333:demo"}
rules:
  description: Names of the rules that send to the queue.
  type: list
  elements: str
  returned: success
  sample: []
"""

from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module, failure
from ..module_utils._core.errors import EksopsError
from ..module_utils._karpenter_iam.run import Request, run

ARGUMENT_SPEC = {
    "cluster_name": {"type": "str", "required": True},
    "node_role_name": {"type": "str"},
    "controller_role_name": {"type": "str"},
    "queue_name": {"type": "str"},
    "managed": {"type": "bool", "default": True},
}


def main() -> None:
    """Run the module."""
    module = aws_module(ARGUMENT_SPEC)
    options = module.params
    request = Request(
        cluster=options["cluster_name"],
        node_role=options["node_role_name"],
        controller_role=options["controller_role_name"],
        queue=options["queue_name"],
        managed=options["managed"],
    )
    try:
        result = run(Aws(module), request)
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(changed=False, **result)


if __name__ == "__main__":
    main()
