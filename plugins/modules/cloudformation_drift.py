#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module cloudformation_drift."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: cloudformation_drift
short_description: Put right what was changed by hand in the resources of a CloudFormation stack
version_added: 0.1.0
description:
  - An update of a stack passes over what was done to its resources by hand, since CloudFormation compares templates
    alone. This module compares the resources themselves with what the stack made, and puts back what is missing or
    otherwise - tags, routes, the attachment of an internet gateway, attributes of VPCs, subnets and endpoints, and a
    role's trust policy and attached policies.
  - What others have added (further tags, routes and policies) stays.
  - A resource that is gone cannot be put right in place; that is an error before the first write, which names the
    resource and the remedy.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  stack_name:
    description: Name of the stack. A stack that does not exist has no drift.
    type: str
    required: true
  wait_timeout_seconds:
    description: Seconds until AWS's reads have to show what was written.
    type: int
    default: 120
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
  - eksops.karpenter.attributes.writes
"""

EXAMPLES = r"""
- name: Put right what was changed by hand
  eksops.karpenter.cloudformation_drift:
    stack_name: EksNetwork-demo
"""

RETURN = r"""
extends_documentation_fragment: [eksops.karpenter.results.planned, eksops.karpenter.results.drift]
"""

from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module, failure
from ..module_utils._core.errors import EksopsError
from ..module_utils._stack_drift.run import Request, run

ARGUMENT_SPEC = {
    "stack_name": {"type": "str", "required": True},
    "wait_timeout_seconds": {"type": "int", "default": 120},
}


def main() -> None:
    """Run the module."""
    module = aws_module(ARGUMENT_SPEC)
    request = Request(module.params["stack_name"], module.params["wait_timeout_seconds"])
    try:
        result = run(Aws(module), request, check_mode=module.check_mode)
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
