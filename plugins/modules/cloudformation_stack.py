#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module cloudformation_stack."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: cloudformation_stack
short_description: Delete a CloudFormation stack and wait until it is gone
version_added: 0.1.0
description:
  - Deletes a stack from any status, also after a creation, an update or a deletion that failed, and waits with a
    deadline. An operation that is at work on the stack is waited for first.
  - A deletion that fails is tried once more, since what kept a resource in use may have gone meanwhile. Then the error
    names the resources that refused, and why.
  - Stacks are made and updated by M(amazon.aws.cloudformation).
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  stack_name:
    description: Name of the stack.
    type: str
    required: true
  state:
    description: The stack is only ever deleted.
    type: str
    choices: [absent]
    default: absent
  wait_timeout_seconds:
    description: Seconds until an operation that is at work has to end, and again until the stack has to be gone.
    type: int
    default: 900
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
  - eksops.karpenter.attributes.writes
"""

EXAMPLES = r"""
- name: Delete the network's stack
  eksops.karpenter.cloudformation_stack:
    stack_name: EksNetwork-demo
"""

RETURN = r"""
extends_documentation_fragment: [eksops.karpenter.results.planned]
exists:
  description: Whether the stack was there before.
  type: bool
  returned: always
  sample: true
status:
  description: Its status before, null without one.
  type: str
  returned: always
  sample: CREATE_COMPLETE
"""

from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module, failure
from ..module_utils._core.errors import EksopsError
from ..module_utils._stack_deletion.run import Request, run

ARGUMENT_SPEC = {
    "stack_name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["absent"], "default": "absent"},
    "wait_timeout_seconds": {"type": "int", "default": 900},
}


def main() -> None:
    """Run the module."""
    module = aws_module(ARGUMENT_SPEC)
    request = Request(module.params["stack_name"], module.params["wait_timeout_seconds"])
    try:
        result = run(Aws(module).client("cloudformation"), request, check_mode=module.check_mode)
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
